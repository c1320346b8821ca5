#include "cli/autopsy_words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace antifreeze::cli {
namespace {

using autopsy::BootReport;

constexpr std::int64_t kNsPerSecond = 1'000'000'000;

std::string in_one_unit(Lang lang, std::int64_t seconds) {
  if (seconds < 120) return say(lang, "page.seconds", {std::to_string(seconds)});
  if (seconds < 7200) return say(lang, "page.minutes", {std::to_string(seconds / 60)});
  if (seconds < 48 * 3600) return say(lang, "page.hours", {std::to_string(seconds / 3600)});
  return say(lang, "page.days", {std::to_string(seconds / 86400)});
}

}  // namespace

std::string ending_words(Lang lang, std::string_view ending) {
  const std::string id = "ending." + std::string(ending);
  std::string words = say(lang, id);
  return words == id ? std::string(ending) : words;
}

std::string_view ending_group(std::string_view ending) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kGroups = {{
      {"clean", "good"},
      {"running", "running"},
      {"oom", "memory"},
      {"memory_wedge", "memory"},
      {"driver_wedge", "gpu"},
      {"gpu_lost", "gpu"},
      {"gpu_error", "gpu"},
      {"nvlink", "gpu"},
      {"panic", "kernel"},
      {"oops_reset", "kernel"},
      {"watchdog_reset", "kernel"},
      {"lockup", "kernel"},
      {"memory_hardware", "hardware"},
      {"pcie", "hardware"},
      {"storage", "hardware"},
      {"thermal", "hardware"},
      {"power", "hardware"},
      {"shutdown_hang", "software"},
      {"userspace_kill", "software"},
      {"traceless", "traceless"},
  }};
  const auto at = std::ranges::find(kGroups, ending, &std::pair<std::string_view, std::string_view>::first);
  return at == kGroups.end() ? "unknown" : at->second;
}

bool ended_badly(const BootReport& boot) {
  return !boot.boot.is_capture_kernel && boot.verdict.ending != "clean" && boot.verdict.ending != "running";
}

std::string started_words(Lang lang, const BootReport& boot) {
  if (!boot.boot.first) return say(lang, "page.unknown");
  std::string text = core::format_rfc3339(*boot.boot.first);
  if (text.size() > 16) text = text.substr(0, 10) + " " + text.substr(11, 5);
  return text;
}

std::string up_words(Lang lang, const BootReport& boot) {
  if (boot.boot.last_mono) return in_one_unit(lang, boot.boot.last_mono->ns / kNsPerSecond);
  if (boot.boot.first && boot.boot.last && boot.boot.last->ns >= boot.boot.first->ns) {
    return in_one_unit(lang, (boot.boot.last->ns - boot.boot.first->ns) / kNsPerSecond);
  }
  return say(lang, "page.unknown");
}

std::string index_words(const BootReport& boot) { return boot.index > 0 ? "-" : std::to_string(boot.index); }

std::string percent(double part) { return std::to_string(std::lround(part * 100)) + " %"; }

std::string cause_words(const autopsy::Cause& cause) {
  std::string text = cause.id;
  if (const auto xid = cause.fields.find("xid"); xid != cause.fields.end()) text += " (Xid " + xid->second + ")";
  if (const auto fru = cause.fields.find("fru_text"); fru != cause.fields.end()) text += " (" + fru->second + ")";
  return text;
}

std::string note_words(Lang lang, const autopsy::Note& note) {
  constexpr std::string_view kBehind = " times)";
  const std::string_view line = note.line;
  const std::size_t open = line.rfind(" (");
  if (open != std::string_view::npos && line.ends_with(kBehind) && line.size() > open + 2 + kBehind.size()) {
    const std::string_view count = line.substr(open + 2, line.size() - open - 2 - kBehind.size());
    if (count.find_first_not_of("0123456789") == std::string_view::npos) {
      return say(lang, "page.times", {std::string(line.substr(0, open)), std::string(count)});
    }
  }
  return sentence_or_line(lang, "note", line);
}

std::string result_words(Lang lang, autopsy::TestResult result) {
  switch (result) {
    case autopsy::TestResult::kSupports:
      return say(lang, "page.supports");
    case autopsy::TestResult::kContradicts:
      return say(lang, "page.contradicts");
    case autopsy::TestResult::kCannotTell:
      break;
  }
  return say(lang, "page.cannot_tell");
}

std::string table_cause(Lang lang, const BootReport& boot) {
  if (boot.boot.is_capture_kernel) return say(lang, "page.capture_kernel");
  if (!boot.verdict.causes.empty()) return cause_words(boot.verdict.causes.front());
  const std::size_t notes = boot.verdict.notes.size();
  if (notes == 0) return "";
  return say(lang, notes == 1 ? "page.one_note" : "page.notes", {std::to_string(notes)});
}

std::optional<std::int64_t> ns_before_end(const autopsy::Boot& boot, std::optional<core::MonoTime> mono,
                                          std::optional<core::WallTime> wall) {
  if (mono && boot.last_mono) return std::max<std::int64_t>(0, boot.last_mono->ns - mono->ns);
  if (wall && boot.last) return std::max<std::int64_t>(0, boot.last->ns - wall->ns);
  return std::nullopt;
}

std::string before_words(Lang lang, std::int64_t ns) {
  if (ns >= 120 * kNsPerSecond) return in_one_unit(lang, ns / kNsPerSecond);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), ns < kNsPerSecond ? "%.3f" : "%.1f", static_cast<double>(ns) / 1e9);
  return say(lang, "page.seconds", {text.data()});
}

}  // namespace antifreeze::cli
