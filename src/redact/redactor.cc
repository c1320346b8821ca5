#include "redact/redactor.h"

#include <arpa/inet.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

namespace antifreeze::redact {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

RE2::Options options() {
  RE2::Options made;
  made.set_encoding(RE2::Options::EncodingLatin1);  // any bytes
  made.set_log_errors(false);
  return made;
}

// Accounts that every machine has.
constexpr std::array<std::string_view, 20> kSystemUsers{
    "root",  "nobody", "daemon",  "bin",    "sys",     "sync",     "messagebus",          "polkitd",
    "sshd",  "syslog", "_apt",    "ollama", "lightdm", "www-data", "nvidia-persistenced", "gdm",
    "rtkit", "uuidd",  "unknown", "docker"};

bool is_system_user(std::string_view name) {
  return name.empty() || name.starts_with("systemd") || name.starts_with("user-") ||
         std::ranges::find(kSystemUsers, name) != kSystemUsers.end() ||
         std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

// "user@1000.service" is no mail address.
bool is_unit(std::string_view name) {
  for (const std::string_view kind : {".service", ".socket", ".mount", ".timer", ".slice", ".scope", ".target",
                                      ".device", ".automount", ".swap", ".path"}) {
    if (name.ends_with(kind)) return true;
  }
  return false;
}

// Sites that everybody uses say nothing about the reader of their pages.
bool is_public_site(std::string_view name) {
  for (const std::string_view site :
       {"github.com", "huggingface.co", "nvidia.com", "docker.com", "docker.io", "debian.org", "ubuntu.com",
        "kernel.org", "pypi.org", "canonical.com", "python.org"}) {
    if (name == site || (name.ends_with(site) && name[name.size() - site.size() - 1] == '.')) return true;
  }
  return false;
}

bool is_ipv4(std::string_view text) {
  in_addr parsed{};
  return ::inet_pton(AF_INET, std::string(text).c_str(), &parsed) == 1;
}

bool is_ipv6(std::string_view text) {
  in6_addr parsed{};
  return ::inet_pton(AF_INET6, std::string(text).c_str(), &parsed) == 1;
}

// What becomes of one match: the text from `begin` to `end` is replaced; nullopt: it stays, and the search goes on at
// `end`.
struct Change {
  const char* begin = nullptr;
  const char* end = nullptr;
  std::optional<std::string> text;
};

template <std::size_t Groups, typename Decide>
std::string replace_each(const RE2& pattern, std::string_view text, Decide decide) {
  const re2::StringPiece whole(text.data(), text.size());
  std::array<re2::StringPiece, Groups> groups;
  std::string out;
  std::size_t at = 0;
  while (at < text.size() && pattern.Match(whole, at, whole.size(), RE2::UNANCHORED, groups.data(), Groups)) {
    const Change change = decide(groups);
    out.append(text.data() + at, change.begin);
    if (change.text) {
      out += *change.text;
    } else {
      out.append(change.begin, change.end);
    }
    const auto next = static_cast<std::size_t>(change.end - text.data());
    if (next <= at) break;  // an empty match
    at = next;
  }
  out.append(text.substr(at));
  return out;
}

std::string_view view(const re2::StringPiece& piece) { return {piece.data(), piece.size()}; }

bool keeps(std::string_view kind, std::string_view found, char before, char after) {
  if (kind == "mail") return is_unit(found);
  if (kind == "host") return is_public_site(found);
  if (kind == "ip6") {
    const bool glued = is_word(before) || before == ':' || is_word(after) || after == ':';
    return glued || found == "::1" || std::ranges::count(found, ':') < 3 || !is_ipv6(found);
  }
  if (kind != "ip") return false;
  const bool version = before == '.' || before == '-' || after == '-' || after == '+' || after == '~';
  return version || found.starts_with("127.") || found == "0.0.0.0" || found == "255.255.255.255" || !is_ipv4(found);
}

}  // namespace

struct Redactor::Patterns {
  // Replaced whole, the first that matches at a place wins. Group by group: kinds in the same order below.
  RE2 whole{
      R"((-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?)|)"
      R"((eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.?[A-Za-z0-9_-]*|\b(?:hf_|nvapi-|sk-|gh[pousr]_|github_pat_|glpat-|xox[abprs]-)[A-Za-z0-9_-]{12,}|\bAKIA[0-9A-Z]{16})|)"
      R"(([A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)|)"
      R"((\b[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}\b|\b[0-9a-f]{32}\b)|)"
      R"((\b(?:[0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}\b)|)"
      R"(((?:[0-9A-Fa-f]{1,4}(?:::?)|::)(?:[0-9A-Fa-f]{1,4}::?){0,7}(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f]{1,4})?)|)"
      R"((\b[0-9]{1,3}(?:\.[0-9]{1,3}){3}\b)|)"
      R"((\b(?:eui|naa|t10|uuid)\.[0-9A-Za-z_.-]{8,}|\bwwn-0x[0-9a-f]+)|)"
      R"((\b(?:[A-Za-z0-9-]+\.)+(?:com|org|net|edu|gov|local|localdomain|lan|internal|intranet|corp|home|box)\b))",
      options()};
  // The group behind the key goes.
  RE2 secret{
      R"((?i)((?:\b|[_-])(?:api[-_]?key|access[-_]?key|token|password|passwd|passphrase|secret|authorization)["']?(?:\s*[=:]\s*|\s+)(?:bearer\s+|basic\s+)?["']?|\bbearer\s+|://[^\s/@:]*:)([^\s"'@,;&]{3,}))",
      options()};
  RE2 serial{
      R"((?i)(\b(?:serial(?:\s*(?:number|no\.?|num))?|s/n|sn|asset tag)["']?\s*[=:]\s*["']?)([A-Za-z0-9._/-]{4,}))",
      options()};
  RE2 disk{R"((/by-(?:id|uuid|partuuid)/)([^\s/"']+))", options()};
  RE2 network{R"((?i)(\bssid["']?\s*[=: ]\s*["']?)([^\s"',]{2,}))", options()};
  RE2 login{R"((\bfor (?:invalid user )?)([^\s/]{1,64})(?: from ))", options()};
  RE2 user{
      R"((/home/|/Users/|\b[Uu]ser[= ]["']?|\bUSER=|\bruser=|\blogname=|\buser:["' ]?|\bof user |\bsudo(?:\[[0-9]+\])?: +)([A-Za-z_][A-Za-z0-9_.-]*[A-Za-z0-9_])((?:[/:"'@( ]|\.?$|\.? |,)))",
      options()};
  std::vector<std::pair<std::string, std::unique_ptr<RE2>>> names;
};

Redactor::Redactor(const Names& names) : patterns_(std::make_unique<Patterns>()) {
  const auto add = [&](const std::string& kind, std::string_view name) {
    if (name.size() < 3 || name == "localhost") return;
    patterns_->names.emplace_back(
        kind,
        std::make_unique<RE2>("(?i)(\\b" + RE2::QuoteMeta(std::string(name)) + "(?:\\.[A-Za-z0-9-]+)*\\b)", options()));
  };
  for (const std::string& host : names.hosts) {
    const std::string_view whole = host;
    add("host", whole.substr(0, whole.find('.')));
  }
  for (const std::string& user : names.users) {
    if (!is_system_user(user) && user.size() >= 3)
      patterns_->names.emplace_back("user", std::make_unique<RE2>("(\\b" + RE2::QuoteMeta(user) + "\\b)", options()));
  }
}

Redactor::~Redactor() = default;

std::string Redactor::stand_in(std::string_view kind, std::string_view original) {
  std::string key = std::string(kind) + ":" + std::string(original);
  const auto at = known_.find(key);
  if (at != known_.end()) return at->second;
  const std::string made = std::string(kind) + "-" + std::to_string(++counts_[std::string(kind)]);
  return known_.emplace(std::move(key), made).first->second;
}

std::string Redactor::addresses(std::string_view text) {
  static constexpr std::array<std::string_view, 9> kKinds{"secret", "secret", "mail", "id",  "mac",
                                                          "ip6",    "ip",     "id",   "host"};
  return replace_each<kKinds.size() + 1>(patterns_->whole, text, [&](const auto& groups) {
    const std::string_view found = view(groups[0]);
    std::size_t kind = 0;
    while (kind + 1 < kKinds.size() && groups[kind + 1].data() == nullptr) ++kind;
    Change change{found.data(), found.data() + found.size(), std::nullopt};
    const char before = change.begin == text.data() ? ' ' : change.begin[-1];
    const char after = change.end == text.data() + text.size() ? ' ' : *change.end;
    if (keeps(kKinds[kind], found, before, after)) {
      // "5:192.0.2.7": what stays may hide an address behind its colon.
      if (kKinds[kind] == "ip6")
        change.end = found.data() + std::min(found.find_first_not_of(':', found.find(':')), found.size());
      return change;
    }
    change.text = kKinds[kind] == "secret" ? "(secret)" : stand_in(kKinds[kind] == "ip6" ? "ip" : kKinds[kind], found);
    return change;
  });
}

std::string Redactor::around_keys(std::string_view text) {
  const std::array<std::pair<const RE2*, std::string_view>, 6> rules{{{&patterns_->secret, "secret"},
                                                                      {&patterns_->serial, "serial"},
                                                                      {&patterns_->disk, "id"},
                                                                      {&patterns_->network, "ssid"},
                                                                      {&patterns_->login, "user"},
                                                                      {&patterns_->user, "user"}}};
  std::string now(text);
  for (const auto& [pattern, kind] : rules) {
    now = replace_each<3>(*pattern, now, [&, kind = kind](const auto& groups) {
      const std::string_view value = view(groups[2]);
      Change change{value.data(), value.data() + value.size(), std::nullopt};
      const bool done = value.starts_with(std::string(kind) + "-") || value.starts_with("(secret)");
      if (done || (kind == "user" && is_system_user(value))) return change;
      change.text = kind == "secret" ? "(secret)" : stand_in(kind, value);
      return change;
    });
  }
  return now;
}

std::string Redactor::text(std::string_view text) {
  std::string now = addresses(around_keys(text));
  for (const auto& [kind, pattern] : patterns_->names) {
    now = replace_each<1>(*pattern, now, [&, &kind = kind](const auto& groups) {
      const std::string_view value = view(groups[0]);
      return Change{value.data(), value.data() + value.size(), stand_in(kind, lower(value))};
    });
  }
  return now;
}

}  // namespace antifreeze::redact
