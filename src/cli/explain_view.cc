#include "cli/explain_view.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "cli/width.h"
#include "core/text.h"

namespace antifreeze::cli {
namespace {

using signs::Catalogue;
using signs::Fix;

constexpr std::size_t kSamples = 3;

std::optional<int> xid_number(std::string_view id) {
  std::string lower(id);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::string_view rest = lower;
  if (rest.starts_with("xid")) {
    rest.remove_prefix(3);
    if (!rest.empty() && (rest.front() == ':' || rest.front() == ' ')) rest.remove_prefix(1);
  }
  const auto number = core::parse_int(rest);
  if (!number || *number < 0 || *number > 9999) return std::nullopt;
  return static_cast<int>(*number);
}

std::vector<const Fix*> fixes_for(const Catalogue& catalogue, std::string_view cause, std::string_view ending,
                                  std::string_view own = "") {
  std::vector<const Fix*> found;
  for (const Fix& fix : catalogue.fixes) {
    const bool helps = std::ranges::any_of(fix.failure_classes, [&](const std::string& name) {
      return !name.empty() && (name == cause || name == ending);
    });
    if (fix.id == own) {
      found.insert(found.begin(), &fix);
    } else if (helps) {
      found.push_back(&fix);
    }
  }
  return found;
}

Explanation of_term(const signs::Term& term, const Catalogue& catalogue) {
  Explanation out{.kind = term.kind, .id = term.id, .meaning = term.meaning};
  const bool cause = term.kind == "cause";
  if (!cause && term.kind != "ending") return out;
  for (const signs::Sign& sign : catalogue.signs) {
    if ((cause ? sign.failure_class : sign.ending) == term.id) out.signs.push_back(sign.id);
  }
  for (const auto& [code, xid] : catalogue.xids) {
    if ((cause ? xid.failure_class : xid.ending) == term.id) out.signs.push_back("xid:" + std::to_string(code));
  }
  out.fixes = cause ? fixes_for(catalogue, term.id, "") : fixes_for(catalogue, "", term.id);
  return out;
}

Explanation of_sign(const signs::Sign& sign, const Catalogue& catalogue) {
  return {.kind = "sign",
          .id = sign.id,
          .meaning = sign.meaning,
          .confounders = sign.confounders,
          .ending = sign.ending,
          .cause = sign.failure_class,
          .samples = sign.matching,
          .source = sign.source,
          .fixes = fixes_for(catalogue, sign.failure_class, "")};
}

Explanation of_xid(const signs::Xid& xid, const Catalogue& catalogue) {
  return {.kind = "xid",
          .id = "xid:" + std::to_string(xid.code),
          .meaning = xid.meaning + " (" + xid.name + ")",
          .ending = xid.ending,
          .cause = xid.failure_class,
          .source = xid.source,
          .fixes = fixes_for(catalogue, xid.failure_class, "", xid.fix)};
}

Explanation of_fix(const Fix& fix) {
  return {.kind = "fix",
          .id = fix.id,
          .meaning = fix.text,
          .causes = fix.failure_classes,
          .risk = fix.risk,
          .source = fix.source,
          .fixes = {&fix}};
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

}  // namespace

std::vector<Explanation> explain(std::string_view id, const Catalogue& catalogue) {
  std::vector<Explanation> found;
  for (const signs::Term& term : catalogue.terms) {
    if (term.id == id) found.push_back(of_term(term, catalogue));
  }
  if (const signs::Sign* sign = catalogue.find(id)) found.push_back(of_sign(*sign, catalogue));
  for (const Fix& fix : catalogue.fixes) {
    if (fix.id == id) found.push_back(of_fix(fix));
  }
  if (const auto number = xid_number(id)) {
    if (const auto xid = catalogue.xids.find(*number); xid != catalogue.xids.end())
      found.push_back(of_xid(xid->second, catalogue));
  }
  return found;
}

std::vector<std::string> explained_ids(const Catalogue& catalogue) {
  std::vector<std::string> ids;
  for (const signs::Term& term : catalogue.terms) ids.push_back(term.id);
  for (const signs::Sign& sign : catalogue.signs) ids.push_back(sign.id);
  for (const Fix& fix : catalogue.fixes) ids.push_back(fix.id);
  for (const auto& [code, xid] : catalogue.xids) ids.push_back("xid:" + std::to_string(code));
  return ids;
}

std::string explain_list(const Catalogue& catalogue, int columns) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kKinds{
      {{"ending", "Endings"},
       {"cause", "Causes"},
       {"test", "Tests of an end without a trace"},
       {"evidence", "Evidence outside the log"}}};
  std::string out;
  const auto section = [&](std::string_view title, const std::vector<std::string>& ids) {
    out += (out.empty() ? "" : "\n") + std::string(title) + "\n" +
           wrap(joined(ids), static_cast<std::size_t>(columns), "  ");
  };
  for (const auto& [kind, title] : kKinds) {
    std::vector<std::string> ids;
    for (const signs::Term& term : catalogue.terms) {
      if (term.kind == kind) ids.push_back(term.id);
    }
    section(title, ids);
  }
  std::vector<std::string> signs;
  std::vector<std::string> fixes;
  std::vector<std::string> xids;
  for (const signs::Sign& sign : catalogue.signs) signs.push_back(sign.id);
  for (const Fix& fix : catalogue.fixes) fixes.push_back(fix.id);
  for (const auto& [code, xid] : catalogue.xids) xids.push_back(std::to_string(code));
  section("Signs in a log", signs);
  section("What to do", fixes);
  section("Xids of the NVIDIA driver", xids);
  return out;
}

std::string explain_text(const std::vector<Explanation>& found, int columns) {
  const auto width = static_cast<std::size_t>(columns);
  std::string out;
  for (const Explanation& one : found) {
    out += (out.empty() ? "" : "\n") + one.id + " (" + one.kind + ")\n" + wrap(one.meaning, width, "  ");
    const auto fact = [&](std::string_view name, const std::string& text) {
      if (!text.empty()) out += wrap(std::string(name) + ": " + text, width, "  ");
    };
    fact("beware", one.confounders);
    fact("cause", one.cause);
    fact("ending", one.ending);
    fact("helps against", joined(one.causes));
    fact("signs", joined(one.signs));
    fact("risk", one.risk);
    for (std::size_t i = 0; i < std::min(one.samples.size(), kSamples); ++i) fact("as in", one.samples[i]);
    fact("source", one.source);
    if (one.fixes.empty()) continue;
    out += "\n  What to do\n";
    for (const Fix* fix : one.fixes) {
      out += wrap(fix->id + ": " + fix->text, width, "    ");
      for (const std::string& command : fix->commands) out += "      $ " + command + "\n";
    }
  }
  return out;
}

Json explain_json(std::string_view id, const std::vector<Explanation>& found) {
  Json all = Json::array();
  for (const Explanation& one : found) {
    Json entry{{"kind", one.kind}, {"id", one.id}, {"meaning", one.meaning}};
    const auto text = [&](const char* key, const std::string& value) {
      if (!value.empty()) entry[key] = value;
    };
    text("confounders", one.confounders);
    text("cause", one.cause);
    text("ending", one.ending);
    if (!one.causes.empty()) entry["helps"] = one.causes;
    if (!one.signs.empty()) entry["signs"] = one.signs;
    if (!one.samples.empty()) entry["samples"] = one.samples;
    text("risk", one.risk);
    text("source", one.source);
    entry["fixes"] = Json::array();
    for (const Fix* fix : one.fixes) {
      entry["fixes"].push_back(Json{{"id", fix->id}, {"text", fix->text}, {"commands", fix->commands}});
    }
    all.push_back(std::move(entry));
  }
  return Json{{"schema", "antifreeze/explain/v1"}, {"asked", std::string(id)}, {"explanations", std::move(all)}};
}

}  // namespace antifreeze::cli
