// antifreeze gate log
#include <fcntl.h>

#include <algorithm>
#include <array>

#include "cli/chart.h"
#include "cli/exit_codes.h"
#include "cli/gate_options.h"
#include "cli/log_event.h"
#include "cli/log_files.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "host/dir.h"

namespace antifreeze::cli {
namespace {

using core::Error;
using core::ErrorCode;

/// What was asked for.
struct Request {
  std::optional<std::size_t> last;
  std::optional<core::Nanos> since;
  std::optional<std::string> file;
  std::string directory;
  bool follow = false;
  bool chart = false;
  bool ascii = false;
};

core::Result<Request> read_request(const Context& context, const core::ParsedOptions& parsed) {
  Request request;
  if (auto fine = check_gate_dir(parsed); !fine) return std::move(fine).error();
  request.directory = gate_dir_of(parsed);
  request.follow = parsed.has("follow");
  request.chart = parsed.has("chart");
  request.ascii = parsed.has("ascii");
  if (const auto file = parsed.get("file")) request.file = std::string(*file);
  if (const auto text = parsed.get("lines")) {
    const auto number = core::parse_int(*text);
    if (!number || *number < 0) return Error(ErrorCode::kInvalid, "--lines: '" + std::string(*text) + "' is no number");
    request.last = static_cast<std::size_t>(*number);
  }
  if (const auto text = parsed.get("since")) {
    const auto duration = core::parse_duration(*text);
    if (!duration) return Error(duration.error()).with_context("--since");
    request.since = *duration;
  }
  const auto both = [](const char* a, const char* b) {
    return Error(ErrorCode::kInvalid, std::string(a) + " and " + b + " do not go together");
  };
  if (request.chart && request.follow) return both("--chart", "--follow");
  if (request.chart && context.json) return both("--chart", "--json");
  if (request.file && request.follow) return both("--file", "--follow");
  return request;
}

core::Result<core::Fd> open_log_dir(const std::string& path) {
  auto dir = host::open_dir(AT_FDCWD, path);
  if (dir || dir.error().code() != ErrorCode::kNotFound) return dir;
  return Error(ErrorCode::kNotFound,
               "gate directory " + path + " does not exist; name one with --gate-dir, or a log with --file");
}

void print(const Context& context, const std::vector<LogEvent>& events, const TimeBase& base) {
  for (const auto& event : events) context.out((context.json ? event.line : event_text(event, base)) + "\n");
}

void mention_garbage(const Context& context, std::size_t lines) {
  if (lines > 0 && !context.quiet) {
    context.err("antifreeze: " + std::to_string(lines) + (lines == 1 ? " line is" : " lines are") +
                " no event and left out\n");
  }
}

/// `--since` counts back from now; in a file of another boot or machine, from its last event.
std::optional<core::BootTime> beginning(const Request& request, const std::vector<LogEvent>& events,
                                        const TimeBase& base) {
  if (!request.since || events.empty()) return std::nullopt;
  const auto& last = events.back();
  const auto end = last.boot_id == base.boot_id && !request.file ? base.boottime : last.boottime;
  return end - *request.since;
}

void keep_wanted(const Request& request, std::vector<LogEvent>& events, const TimeBase& base) {
  if (const auto from = beginning(request, events, base)) {
    const auto boot = events.back().boot_id;
    std::erase_if(events, [&](const LogEvent& event) { return event.boot_id != boot || event.boottime < *from; });
  }
  if (request.last && events.size() > *request.last) {
    events.erase(events.begin(), events.end() - static_cast<std::ptrdiff_t>(*request.last));
  }
}

int follow(const Context& context, LogFollower follower, const TimeBase& base) {
  for (;;) {
    const auto news = follower.wait();
    if (!news) return fail(context, news.error());
    mention_garbage(context, news->garbage);
    print(context, news->events, base);
  }
}

int run_log(const Context& context, const core::ParsedOptions& parsed) {
  const auto request = read_request(context, parsed);
  if (!request) return usage_error(context, request.error().message());
  TimeBase base{"", context.clock.boottime(), context.clock.wall()};
  if (auto identity = host::read_identity()) base.boot_id = std::move(identity->boot_id);

  core::Fd dir;
  std::optional<LogFollower> follower;
  if (!request->file) {
    auto opened = open_log_dir(request->directory);
    if (!opened) return fail(context, opened.error());
    dir = std::move(*opened);
    if (request->follow) {  // before the log is read: what comes in between is shown twice rather than not at all
      auto made = LogFollower::at_end(dir.get(), request->directory);
      if (!made) return fail(context, made.error());
      follower = std::move(*made);
    }
  }
  auto log = request->file ? read_log_file(*request->file) : read_gate_log(dir.get());
  if (!log) return fail(context, log.error());
  mention_garbage(context, log->garbage);
  if (request->chart) {
    const auto from = beginning(*request, log->events, base);
    const auto columns = static_cast<std::size_t>(std::max(context.columns, 1));
    for (const auto& line : draw_chart(std::move(log->events), {columns, request->ascii, context.colour, from})) {
      context.out(line + "\n");
    }
    return kExitFine;
  }
  keep_wanted(*request, log->events, base);
  print(context, log->events, base);
  return follower ? follow(context, std::move(*follower), base) : kExitFine;
}

constexpr std::array kOptions{
    core::OptionSpec{"lines", "N", "all", "only the last N events", 'n'},
    core::OptionSpec{"since", "DURATION", "", "only events of the last DURATION (15m, 2h)"},
    core::OptionSpec{"follow", "", "", "go on printing what happens, until interrupted", 'f'},
    core::OptionSpec{"chart", "", "", "draw who waited for whom over time"},
    core::OptionSpec{"ascii", "", "", "chart: plain characters only"},
    core::OptionSpec{"file", "FILE", "", "read this log instead of the gate's; - is stdin"},
    kGateDirOption,
};
constexpr std::array kExamples{
    Example{"antifreeze gate log -n 20", "The last twenty transitions."},
    Example{"antifreeze gate log --chart", "The latest restart as a chart: who waited for whom, and how long."},
    Example{"antifreeze gate log --follow --json", "A stream of JSON lines for another program."},
    Example{"antifreeze gate log --file /var/lib/antifreeze/gate/log.jsonl",
            "What the host's side saved before a crash."},
};

}  // namespace

const Command kGateLogVerb{
    .path = "gate log",
    .summary = "what happened at the gate, as lines or as a chart",
    .description =
        "Prints the gate's event log: one line a transition (queued, granted, reclaiming, starting, settling, ready, "
        "stopping, held, exited) with its reason and the memory that was available. Times of this boot are wall clock "
        "in UTC; events of earlier boots carry the boot and the time since its start.\n\n"
        "--chart draws one row a service over a common time axis and says below it what each one waited for. Without "
        "--since it shows the latest burst of starts: events that are less than five minutes apart.\n\n"
        "--json prints the lines of the log itself, one JSON object each. Lines that are no events (any container can "
        "write to the log) are left out and counted on stderr.",
    .operands = "",
    .options = kOptions,
    .examples = kExamples,
    .has_json = true,
    .handler = run_log,
};

}  // namespace antifreeze::cli
