// antifreeze completion: everything that is generated from the command table.
#include <fcntl.h>

#include <array>

#include "cli/commands.h"
#include "cli/completion_script.h"
#include "cli/exit_codes.h"
#include "cli/man_page.h"
#include "cli/markdown_page.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "host/dir.h"
#include "host/dir_edit.h"

namespace antifreeze::cli {
namespace {

struct Page {
  std::string name;
  std::string content;
};

std::vector<Page> man_pages() {
  std::vector<Page> pages{{"antifreeze.1", program_man_page()}};
  for (const auto* command : commands()) pages.push_back({command->page_name() + ".1", command_man_page(*command)});
  return pages;
}

std::vector<Page> markdown_pages() {
  std::vector<Page> pages{{"antifreeze.md", program_markdown()}};
  for (const auto* command : commands()) pages.push_back({command->page_name() + ".md", command_markdown(*command)});
  return pages;
}

int write_pages(const Context& context, const std::vector<Page>& pages, const std::string& directory) {
  if (!context.dry_run) {
    if (auto made = host::make_dirs(directory, 0755); !made)
      return fail(context, std::move(made).error().with_context(directory));
  }
  const auto dir = context.dry_run ? core::Result<core::Fd>(core::Fd()) : host::open_dir(AT_FDCWD, directory);
  if (!dir) return fail(context, core::Error(dir.error()).with_context(directory));
  for (const auto& page : pages) {
    if (!context.dry_run) {
      auto written = host::write_file_atomic(dir->get(), page.name, page.content, 0644, false);
      if (!written) return fail(context, std::move(written).error().with_context(directory + "/" + page.name));
    }
    context.note((context.dry_run ? "would write " : "") + directory + "/" + page.name);
  }
  return kExitFine;
}

int run_completion(const Context& context, const core::ParsedOptions& parsed) {
  const auto& words = parsed.operands;
  const std::string kind = words.empty() ? "" : words[0];
  if (words.size() == 1 && kind == "bash")
    context.out(bash_completion());
  else if (words.size() == 1 && kind == "zsh")
    context.out(zsh_completion());
  else if (words.size() == 1 && kind == "fish")
    context.out(fish_completion());
  else if (words.size() == 2 && kind == "man")
    return write_pages(context, man_pages(), words[1]);
  else if (words.size() == 2 && kind == "markdown")
    return write_pages(context, markdown_pages(), words[1]);
  else
    return usage_error(context, "completion is one of: bash, zsh, fish, man DIR, markdown DIR");
  return kExitFine;
}

constexpr std::array kExamples{
    Example{"source <(antifreeze completion bash)", "Completions for this shell."},
    Example{"antifreeze completion man /usr/local/share/man/man1", "Manual pages."},
};

}  // namespace

const Command kCompletionVerb{
    .path = "completion",
    .summary = "completions, manual pages and reference, from the command table",
    .description =
        "bash, zsh, fish: prints the shell's completions for antifreeze and antifreeze-run.\n\n"
        "man DIR: writes the manual pages, one a verb, into DIR.\n\n"
        "markdown DIR: writes the reference, one page a verb, into DIR.",
    .operands = "bash|zsh|fish|man DIR|markdown DIR",
    .max_operands = 2,
    .examples = kExamples,
    .handler = run_completion,
};

}  // namespace antifreeze::cli
