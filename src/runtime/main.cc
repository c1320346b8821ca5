// antifreeze-runtime: an OCI runtime that puts the gate in front of a container's command and becomes the real one.
#include "runtime/shim.h"

int main(int argc, char** argv, char** environment) { return antifreeze::runtime::shim_main(argc, argv, environment); }
