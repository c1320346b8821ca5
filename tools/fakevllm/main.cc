// fakevllm: the test server of the start-up gate. This file is the table of contents; --help says what it can do.
#include <string>
#include <string_view>
#include <vector>

#include "fakevllm/command_line.h"
#include "fakevllm/config.h"
#include "fakevllm/device_tool.h"
#include "fakevllm/dialect.h"
#include "fakevllm/help.h"
#include "fakevllm/process.h"
#include "fakevllm/server.h"

namespace antifreeze::fakevllm {
namespace {

/// Which engine to play: argv[0], "python -m MODULE" and "--as NAME" decide. Takes the words that said so off `words`.
const Dialect* choose_dialect(std::string_view program, std::vector<std::string_view>& words) {
  program = program.substr(program.rfind('/') + 1);
  const Dialect* dialect = dialect_by_program(program);
  if (dialect == nullptr) dialect = &dialects().front();  // a copy under any other name plays vLLM
  if (program.starts_with("python") && words.size() > 1 && words[0] == "-m") {
    dialect = dialect_by_module(words[1]);
    words.erase(words.begin(), words.begin() + 2);
  }
  if (words.size() > 1 && words[0] == "--as") {
    dialect = dialect_by_name(words[1]);
    words.erase(words.begin(), words.begin() + 2);
  }
  return dialect;
}

int serve_main(const Dialect& dialect, const std::vector<std::string_view>& words, const TitleArea& title) {
  const auto line = parse_command_line(dialect, words);
  if (!line) {
    say_error(std::string(dialect.comm) + ": error: " + line.error().message());
    return 2;
  }
  auto config = make_config(dialect, *line);
  if (!config) {
    say_error(std::string(dialect.comm) + ": error: " + config.error().message());
    return 2;
  }
  return Server(std::move(*config), title).run();
}

}  // namespace
}  // namespace antifreeze::fakevllm

int main(int argc, char** argv) {
  using namespace antifreeze::fakevllm;
  // The title area is overwritten later, so nothing below may point into argv.
  const std::vector<std::string> copies(argv, argv + argc);
  std::vector<std::string_view> words(copies.begin(), copies.end());
  const TitleArea title(argc, argv);
  const std::string_view program = words.empty() ? std::string_view("fakevllm") : words[0];
  if (!words.empty()) words.erase(words.begin());
  const std::string_view verb = words.empty() ? std::string_view("--help") : words[0];
  if (verb == "device") return device_main(std::span(words).subspan(1));
  if (verb == "child") return child_main(std::span(words).subspan(1));
  const Dialect* dialect = choose_dialect(program, words);
  const bool asked = verb == "--help" || verb == "-h";
  if (dialect == nullptr || asked || (words.empty() && dialect->name == "vllm")) {
    say(help_text());
    return asked && !words.empty() ? 0 : 2;
  }
  return serve_main(*dialect, words, title);
}
