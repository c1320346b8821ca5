// antifreeze autopsy
#include <unistd.h>

#include <algorithm>
#include <array>

#include "autopsy/autopsy_run.h"
#include "cli/autopsy_html.h"
#include "cli/autopsy_view.h"
#include "cli/autopsy_words.h"
#include "cli/exit_codes.h"
#include "cli/knowledge_dir.h"
#include "cli/redact_report.h"
#include "cli/report_file.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "redact/redactor.h"

namespace antifreeze::cli {
namespace {

using autopsy::BootReport;
using autopsy::Report;
using core::Error;
using core::ErrorCode;

core::Result<autopsy::Places> read_places(const Context& context, const core::ParsedOptions& parsed) {
  autopsy::Places places;
  int given = 0;
  if (const auto root = parsed.get("root")) {
    places.root = std::string(*root);
    places.root_given = true;
    ++given;
  }
  if (const auto journal = parsed.get("journal")) {
    places.journal = std::string(*journal);
    ++given;
  }
  if (const auto files = parsed.get("file")) {
    for (const auto file : core::split(*files, ',')) places.files.emplace_back(file);
    ++given;
  }
  if (const auto logs = parsed.get("log")) {
    for (const auto log : core::split(*logs, ',')) places.logs.emplace_back(log);
    ++given;
  }
  if (given > 1) return Error(ErrorCode::kInvalid, "--root, --journal, --file and --log do not go together; give one");
  const std::string today = core::format_rfc3339(context.clock.wall());
  places.year = static_cast<int>(core::parse_int(today.substr(0, 4)).value_or(1970));
  return places;
}

// -b N counts back from the newest boot, as journalctl does; an id is 32 hex digits.
core::Result<const BootReport*> find_boot(const Report& report, std::string_view wanted) {
  const auto number = core::parse_int(wanted);
  for (const BootReport& boot : report.boots) {
    if (boot.boot.boot_id == wanted) return &boot;
    if (number && boot.index == *number && !boot.boot.is_capture_kernel) return &boot;
  }
  return Error(ErrorCode::kNotFound,
               "no boot '" + core::printable(wanted, 40) + "' here; `antifreeze autopsy --all` lists them");
}

const BootReport* last_bad(const Report& report) {
  const BootReport* found = nullptr;
  for (const BootReport& boot : report.boots) {
    if (ended_badly(boot)) found = &boot;
  }
  return found;
}

void show(const Context& context, const Report& report, const BootReport* only, bool all, Lang lang,
          const signs::Catalogue& catalogue) {
  if (only != nullptr) {
    context.out(autopsy_page(*only, catalogue, lang, context.columns));
    return;
  }
  context.out(autopsy_table(report, lang, context.columns));
  const auto bad = std::count_if(report.boots.begin(), report.boots.end(), ended_badly);
  context.out("\n" +
              say(lang, report.boots.size() == 1 ? "page.one_boot_count" : "page.boot_count",
                  {std::to_string(report.boots.size()), std::to_string(bad)}) +
              "\n");
  const BootReport* last = last_bad(report);
  if (last == nullptr) return;
  if (all) {
    context.note(say(lang, "page.next", {"antifreeze autopsy -b " + std::to_string(last->index)}));
  } else {
    context.out("\n" + say(lang, "page.last_bad") + "\n\n" + autopsy_page(*last, catalogue, lang, context.columns));
  }
}

core::Result<Lang> read_lang(const core::ParsedOptions& parsed) {
  const auto name = parsed.get("lang");
  if (!name) return Lang::kEn;
  if (const auto lang = lang_of(*name)) return *lang;
  return Error(ErrorCode::kInvalid,
               parsed.source("lang") + " knows en, ja and zh, not '" + core::printable(*name, 40) + "'");
}

/// The place as the user named it; empty for this machine.
std::string read_from(const core::ParsedOptions& parsed) {
  for (const char* option : {"root", "journal", "file", "log"}) {
    if (const auto place = parsed.get(option)) return std::string(*place);
  }
  return "";
}

/// The page into the file that --html names, or to standard output.
core::Status write_page(const Context& context, const std::string& path, const Report& report, const BootReport* only,
                        const signs::Catalogue& catalogue, const PageFacts& facts) {
  if (path != "-" && context.dry_run) {
    context.out("would write " + core::printable(path) + "\n");
    return {};
  }
  const std::string page = autopsy_html(report, only, catalogue, facts);
  if (path == "-") {
    context.out(page);
    return {};
  }
  auto done = write_report(path, page, kReportMark);
  if (done) context.note("wrote " + core::printable(path));
  return done;
}

int run_autopsy_verb(const Context& context, const core::ParsedOptions& parsed) {
  auto places = read_places(context, parsed);
  if (!places) return usage_error(context, places.error().message());
  const auto lang = read_lang(parsed);
  if (!lang) return usage_error(context, lang.error().message());
  if (parsed.has("html") && (context.json || parsed.has("all"))) {
    return usage_error(context, "--html makes a page of its own; leave out --json and --all");
  }
  if (parsed.get("html") == "") return usage_error(context, parsed.source("html") + " needs a file's name, or -");
  const auto catalogue = load_knowledge(context);
  if (!catalogue) return fail(context, catalogue.error());
  const bool bar = context.colour && !context.quiet && ::isatty(STDERR_FILENO) == 1;
  int shown = -1;
  const auto progress = [&](double part) {
    const int percent = static_cast<int>(part * 100);
    if (!bar || percent == shown) return;
    shown = percent;
    context.err("\rreading " + std::to_string(percent) + " %" + (percent == 100 ? "\r\x1b[K" : ""));
  };
  auto report = autopsy::run_autopsy(*places, *catalogue, progress);
  if (!report) return fail(context, report.error());
  std::string place = read_from(parsed);
  if (parsed.has("redact")) {
    redact::Redactor redactor({report->hosts, report->users});
    redact_report(*report, redactor);
    place = redactor.text(place);
  }

  const BootReport* only = nullptr;
  if (const auto wanted = parsed.get("boot")) {
    const auto found = find_boot(*report, *wanted);
    if (!found) return fail(context, found.error());
    only = *found;
  }
  if (const auto path = parsed.get("html")) {
    const PageFacts facts{context.clock.wall(), place, *lang};
    const auto done = write_page(context, std::string(*path), *report, only, *catalogue, facts);
    if (!done) return fail(context, done.error());
  } else if (context.json) {
    context.out(json_text(autopsy_json(*report, only, *catalogue)));
  } else {
    for (const std::string& line : report->cannot_read) {
      context.note("antifreeze: " + sentence_or_line(*lang, "read", line));
    }
    if (report->boots.empty()) {
      context.out(say(*lang, "page.no_boots") + "\n");
    } else {
      show(context, *report, only, parsed.has("all"), *lang, *catalogue);
    }
  }
  const bool findings = only != nullptr ? ended_badly(*only) : last_bad(*report) != nullptr;
  return findings ? kExitFindings : kExitFine;
}

constexpr std::array kOptions{
    core::OptionSpec{"boot", "N|ID", "", "one boot: 0 is the newest, -1 the one before, or its id", 'b'},
    core::OptionSpec{"all", "", "", "only the table of all boots"},
    core::OptionSpec{"journal", "DIR", "", "a directory of journal files instead of this machine's"},
    core::OptionSpec{"root", "DIR", "/", "the root of another machine: its journal, crash records, watchdog, packages"},
    core::OptionSpec{"file", "FILE,…", "", "these journal files"},
    core::OptionSpec{"html", "FILE", "", "one page for a browser, complete in itself; - is standard output"},
    core::OptionSpec{"lang", "en|ja|zh", "en", "the language of what is said; log lines, commands and --json stay"},
    core::OptionSpec{"redact", "", "",
                     "take out names, addresses, serial numbers, ids and secrets before anything is shown"},
    core::OptionSpec{"log", "FILE,…", "", "text logs (dmesg, syslog, journalctl output); - is standard input"},
};
constexpr std::array kExits{ExitCode{kExitFindings, "a boot that was shown ended badly"}};
constexpr std::array kExamples{
    Example{"antifreeze autopsy", "All boots of this machine, and the last bad end explained."},
    Example{"antifreeze autopsy -b -1", "The boot before this one: causes, evidence for and against, what to do."},
    Example{"antifreeze autopsy --log dmesg.txt", "What somebody pasted."},
    Example{"antifreeze autopsy --html report.html --lang ja",
            "A page to read in a browser, print or send, in Japanese."},
    Example{"antifreeze autopsy -b -1 --redact", "The same for a forum or an issue; read it once before you send it."},
    Example{"antifreeze autopsy --root /mnt --json", "A dead machine's disk, for another program."},
};

}  // namespace

const Command kAutopsyVerb{
    .path = "autopsy",
    .summary = "how each boot ended, and why",
    .description =
        "Reads the journal that is already there, crash records (pstore, kdump), wtmp, the watchdog's status, package "
        "history, the gate's log and Docker's container logs, and says how every boot ended: in order, by a panic, by "
        "memory, driver, hardware, "
        "heat, or without a trace; with causes ranked, and evidence for and against.\n\n"
        "What one boot says about the one before (hardware error records, file system recovery, a watchdog's reset) is "
        "booked on that one. A line that also stands in boots that ended well weighs next to nothing. What cannot be "
        "known is said: journald writes to the disk every five minutes, so a silent end is no proof of silence.\n\n"
        "Nothing is changed and no command is run. Without root only what is readable is read; the rest is named.",
    .operands = "",
    .options = kOptions,
    .exits = kExits,
    .examples = kExamples,
    .has_json = true,
    .handler = run_autopsy_verb,
};

}  // namespace antifreeze::cli
