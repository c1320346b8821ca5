// --help.
#pragma once

#include <string>

namespace antifreeze::fakevllm {

std::string help_text();

}  // namespace antifreeze::fakevllm
