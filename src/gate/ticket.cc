#include "gate/ticket.h"

#include <algorithm>

#include "core/crc32c.h"
#include "core/text.h"

namespace antifreeze::gate {
namespace {

using core::Error;
using core::ErrorCode;

constexpr std::string_view kMagic = "antifreeze-ticket 1\n";
constexpr std::uint64_t kKeyOffset = std::uint64_t{1} << 60;
constexpr std::size_t kKeyDigits = 16;
constexpr std::size_t kRandomDigits = 8;

constexpr std::string_view kind_name(TicketKind kind) {
  switch (kind) {
    case TicketKind::kStop:
      return "stop";
    case TicketKind::kSleep:
      return "sleep";
    case TicketKind::kWake:
      return "wake";
    case TicketKind::kStart:
      break;
  }
  return "start";
}

std::optional<TicketKind> kind_of(std::string_view name) {
  for (const auto kind : {TicketKind::kStart, TicketKind::kStop, TicketKind::kSleep, TicketKind::kWake}) {
    if (kind_name(kind) == name) return kind;
  }
  return std::nullopt;
}

std::optional<TicketState> state_of(std::string_view letter) {
  if (letter.size() != 1) return std::nullopt;
  for (const auto state : {TicketState::kWaiting, TicketState::kHolding, TicketState::kCleared, TicketState::kDone}) {
    if (static_cast<char>(state) == letter[0]) return state;
  }
  return std::nullopt;
}

void line(std::string& out, std::string_view key, std::string_view value) {
  out += key;
  out += '=';
  out += core::printable(value, 3500);  // a LF in a value would forge a line
  out += '\n';
}
void line(std::string& out, std::string_view key, std::int64_t value) { line(out, key, std::to_string(value)); }

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

/// Puts one "key=value" into the ticket; false when the value makes no sense. Unknown keys are for newer programs.
bool take_field(Ticket& ticket, std::string_view key, std::string_view value) {
  const auto number = core::parse_int(value);
  const auto moment = [&](auto& into) {
    if (number && *number >= 0) into = {*number};
    return number && *number >= 0;
  };
  const auto optional_moment = [&](std::optional<core::MonoTime>& into) {
    core::MonoTime time;
    if (!moment(time)) return false;
    into = time;
    return true;
  };
  if (key == "state") {
    const auto state = state_of(value);
    if (state) ticket.state = *state;
    return state.has_value();
  }
  if (key == "kind") {
    const auto kind = kind_of(value);
    if (kind) ticket.kind = *kind;
    return kind.has_value();
  }
  if (key == "service") ticket.service = value;
  if (key == "boot_id") ticket.boot_id = value;
  if (key == "gate_id") ticket.gate_id = value;
  if (key == "domains") {
    for (const auto domain : core::split(value, ',')) ticket.domains.emplace_back(domain);
  }
  if (key == "priority") {
    if (!number || *number < kMinPriority || *number > kMaxPriority) return false;
    ticket.priority = static_cast<int>(*number);
  }
  if (key == "arrival") return moment(ticket.arrival);
  if (key == "gather_until") return moment(ticket.gather_until);
  if (key == "granted") return optional_moment(ticket.granted);
  if (key == "deadline") return optional_moment(ticket.deadline);
  if (key == "ended") return optional_moment(ticket.ended);
  if (key == "pid_ns") {
    const auto inode = core::parse_uint(value);
    ticket.pid_namespace = inode.value_or(0);
    return inode.has_value();
  }
  if (key == "pid") {
    ticket.pid = number.value_or(0);
    return number.has_value();
  }
  return true;
}

}  // namespace

core::Result<std::string> encode_ticket(const Ticket& ticket) {
  std::string out(kMagic);
  out.reserve(kTicketBytes);
  line(out, "state", std::string_view(reinterpret_cast<const char*>(&ticket.state), 1));
  line(out, "kind", kind_name(ticket.kind));
  line(out, "service", core::printable(ticket.service, 128));
  line(out, "priority", ticket.priority);
  std::string domains;
  for (const auto& domain : ticket.domains) domains += (domains.empty() ? "" : ",") + domain;
  line(out, "domains", domains);
  line(out, "arrival", ticket.arrival.ns);
  line(out, "gather_until", ticket.gather_until.ns);
  if (ticket.granted) line(out, "granted", ticket.granted->ns);
  if (ticket.deadline) line(out, "deadline", ticket.deadline->ns);
  if (ticket.ended) line(out, "ended", ticket.ended->ns);
  line(out, "boot_id", ticket.boot_id);
  line(out, "gate_id", ticket.gate_id);
  line(out, "pid_ns", std::to_string(ticket.pid_namespace));
  line(out, "pid", ticket.pid);
  out += "crc=" + core::to_hex(core::crc32c(out), 8) + "\n";
  if (out.size() > kTicketBytes || domains.size() > 3000) {
    return Error(ErrorCode::kInvalid, "too many GPUs for one ticket: " + std::to_string(ticket.domains.size()));
  }
  out.resize(kTicketBytes, '\0');
  return out;
}

core::Result<Ticket> decode_ticket(std::string_view file) {
  const auto bad = [](std::string_view why) {
    return Error(ErrorCode::kTampered, "not a ticket: " + std::string(why));
  };
  if (file.size() != kTicketBytes) return bad("size is " + std::to_string(file.size()));
  if (!file.starts_with(kMagic)) return bad("no ticket header of version 1");
  Ticket ticket;
  auto rest = file.substr(kMagic.size());
  for (;;) {
    const std::size_t line_at = file.size() - rest.size();
    const auto text = core::next_line(rest);
    if (!text) return bad("no checksum");
    const auto equals = text->find('=');
    if (equals == std::string_view::npos) return bad("a line without '='");
    const auto key = text->substr(0, equals);
    const auto value = text->substr(equals + 1);
    if (key == "crc") {
      if (value != core::to_hex(core::crc32c(file.substr(0, line_at)), 8)) return bad("wrong checksum");
      break;
    }
    if (!take_field(ticket, key, value)) return bad("bad value for " + core::printable(key, 32));
  }
  if (ticket.domains.empty()) return bad("no domain");
  if (ticket.state == TicketState::kHolding && (!ticket.granted || !ticket.deadline)) return bad("a hold without end");
  return ticket;
}

std::uint64_t queue_key(core::BootTime arrival, int priority) {
  const std::int64_t shifted = arrival.ns - priority * kPriorityStep.count();
  return kKeyOffset + static_cast<std::uint64_t>(shifted);  // wraps the right way for a negative shift
}

std::string ticket_name(std::uint64_t key, std::string_view random8) {
  return "t-" + core::to_hex(key, kKeyDigits) + "-" + std::string(random8);
}

std::optional<std::uint64_t> key_of_name(std::string_view name) {
  if (name.size() != 2 + kKeyDigits + 1 + kRandomDigits || !name.starts_with("t-")) return std::nullopt;
  const auto key = name.substr(2, kKeyDigits);
  const auto random = name.substr(2 + kKeyDigits + 1);
  if (name[2 + kKeyDigits] != '-' || !is_hex(key) || !is_hex(random)) return std::nullopt;
  return core::parse_uint(key, 16);
}

bool domains_conflict(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const auto has_host = [](const auto& set) { return std::ranges::find(set, kHostDomain) != set.end(); };
  if (has_host(a) || has_host(b)) return true;
  return std::ranges::any_of(a, [&](const auto& domain) { return std::ranges::find(b, domain) != b.end(); });
}

}  // namespace antifreeze::gate
