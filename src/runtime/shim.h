// antifreeze-runtime: stands in front of runc or nvidia-container-runtime.
#pragma once

namespace antifreeze::runtime {

/// Prepares the bundle of a `create`, then becomes the real runtime with the same words. Returns only when there is no
/// real runtime: the exit code then, 127 or 126.
int shim_main(int argc, char** argv, char** environment);

}  // namespace antifreeze::runtime
