#include "cli/autopsy_view.h"
#include "core/text.h"

namespace antifreeze::cli {
namespace {

using autopsy::BootReport;

Json time_or_null(const std::optional<core::WallTime>& time) {
  return time ? Json(core::format_rfc3339(*time)) : Json(nullptr);
}

// Numbers stay numbers: programs compare fields.xid with 79.
Json fields_json(const std::map<std::string, std::string>& fields) {
  Json out = Json::object();
  for (const auto& [name, value] : fields) {
    const auto number = name == "xid" || name == "cpu" || name == "pid" || name == "seconds" || name == "node" ||
                                name == "card" || name == "module_number" || name == "sxid"
                            ? core::parse_int(value)
                            : std::nullopt;
    if (number) {
      out[name] = *number;
    } else {
      out[name] = value;
    }
  }
  return out;
}

Json boot_json(const BootReport& report, const signs::Catalogue& catalogue) {
  const autopsy::Verdict& verdict = report.verdict;
  Json out;
  out["index"] = report.index;
  out["boot_id"] = report.boot.boot_id.empty() ? Json(nullptr) : Json(report.boot.boot_id);
  out["started"] = time_or_null(report.boot.first);
  out["last_entry"] = time_or_null(report.boot.last);
  out["last_entry_monotonic_ns"] = report.boot.last_mono ? Json(report.boot.last_mono->ns) : Json(nullptr);
  out["entries"] = report.boot.entries;
  out["capture_kernel"] = report.boot.is_capture_kernel;
  out["ending"] = verdict.ending;
  out["confidence"] = verdict.confidence;
  out["causes"] = Json::array();
  for (const autopsy::Cause& cause : verdict.causes) {
    Json one;
    one["id"] = cause.id;
    one["score"] = cause.score;
    one["first_event"] = {{"time", time_or_null(cause.first_event.wall)},
                          {"monotonic_ns", cause.first_event.mono ? Json(cause.first_event.mono->ns) : Json(nullptr)},
                          {"line", cause.first_event.line}};
    one["fields"] = fields_json(cause.fields);
    one["supports"] = cause.supports;
    one["contradicts"] = cause.contradicts;
    out["causes"].push_back(std::move(one));
  }
  out["notes"] = Json::array();
  for (const autopsy::Note& note : verdict.notes) out["notes"].push_back({{"id", note.id}, {"line", note.line}});
  out["evidence"] = Json::array();
  for (const autopsy::Evidence& evidence : report.boot.evidence) {
    out["evidence"].push_back({{"id", evidence.id},
                               {"time", time_or_null(evidence.wall)},
                               {"strength", evidence.strength},
                               {"line", evidence.line},
                               {"fields", fields_json(evidence.fields)}});
  }
  out["tests"] = Json::array();
  for (const autopsy::SplitTest& test : verdict.tests) {
    const char* result = test.result == autopsy::TestResult::kSupports      ? "supports"
                         : test.result == autopsy::TestResult::kContradicts ? "contradicts"
                                                                            : "cannot_tell";
    out["tests"].push_back({{"id", test.id}, {"result", result}, {"text", test.text}});
  }
  out["starting"] = verdict.starting;
  out["unknown"] = verdict.unknown;
  out["fixes"] = Json::array();
  for (const std::string& id : verdict.fixes) {
    for (const signs::Fix& fix : catalogue.fixes) {
      if (fix.id == id) out["fixes"].push_back({{"id", fix.id}, {"text", fix.text}, {"commands", fix.commands}});
    }
  }
  return out;
}

}  // namespace

Json autopsy_json(const autopsy::Report& report, const BootReport* only, const signs::Catalogue& catalogue) {
  Json out;
  out["schema"] = "antifreeze/autopsy/v1";
  out["knowledge"] = catalogue.version;
  out["boots"] = Json::array();
  for (const BootReport& boot : report.boots) {
    if (only == nullptr || only == &boot) out["boots"].push_back(boot_json(boot, catalogue));
  }
  out["cannot_read"] = report.cannot_read;
  return out;
}

}  // namespace antifreeze::cli
