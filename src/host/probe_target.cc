#include "host/probe_target.h"

#include <arpa/inet.h>

#include <algorithm>
#include <optional>

#include "core/text.h"
#include "host/unix_address.h"

namespace antifreeze::host {
namespace {

using core::Error;
using core::ErrorCode;
using core::Result;
using Family = ProbeAddress::Family;

constexpr std::size_t kMaxHttpPath = 2048;

Error invalid(std::string_view what, std::string_view why) {
  return {ErrorCode::kInvalid, "'" + core::printable(what) + "' " + std::string(why)};
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  const auto port = core::parse_uint(text);
  if (!port || *port == 0 || *port > 65535) return std::nullopt;
  return static_cast<std::uint16_t>(*port);
}

ProbeAddress loopback4(std::uint16_t port) { return {Family::kIpv4, {127, 0, 0, 1}, port, {}}; }

ProbeAddress loopback6(std::uint16_t port) {
  ProbeAddress address{Family::kIpv6, {}, port, {}};
  address.ip[15] = 1;
  return address;
}

/// The addresses that `host` stands for; empty when it is neither numeric nor localhost.
std::vector<ProbeAddress> addresses_of(std::string_view host, std::uint16_t port) {
  if (host == "localhost") return {loopback4(port), loopback6(port)};
  const std::string text(host);
  ProbeAddress address{Family::kIpv4, {}, port, {}};
  const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
  if (::inet_pton(AF_INET, text.c_str(), address.ip.data()) == 1) {
    if (std::all_of(address.ip.begin(), address.ip.begin() + 4, is_zero)) return {loopback4(port)};
    return {address};
  }
  if (host.size() < 2 || host.front() != '[' || host.back() != ']') return {};
  address.family = Family::kIpv6;
  if (::inet_pton(AF_INET6, text.substr(1, text.size() - 2).c_str(), address.ip.data()) != 1) return {};
  if (std::all_of(address.ip.begin(), address.ip.end(), is_zero)) return {loopback6(port)};
  return {address};
}

/// Splits "HOST:PORT" or "HOST" at the colon behind an address in brackets, if there is one.
std::pair<std::string_view, std::optional<std::string_view>> split_port(std::string_view text) {
  const auto search_from = text.starts_with('[') ? text.find(']') : 0;
  const auto colon = search_from == std::string_view::npos ? search_from : text.find(':', search_from);
  if (colon == std::string_view::npos) return {text, std::nullopt};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

Result<ProbeTarget> parse_host_port(std::string_view text, std::string_view whole,
                                    std::optional<std::string_view> port) {
  const auto [host, given_port] = split_port(text);
  if (given_port) port = given_port;
  if (!port) return invalid(whole, "has no port");
  const auto number = parse_port(*port);
  if (!number) return invalid(whole, "has no usable port: it must be 1 to 65535");
  ProbeTarget target;
  target.addresses = addresses_of(host, *number);
  if (target.addresses.empty()) {
    return invalid(whole, "must name a numeric address or localhost; host names are not looked up");
  }
  target.host = std::string(text);
  return target;
}

}  // namespace

std::string to_string(const ProbeAddress& address) {
  if (address.family == Family::kUnix) return "unix:" + core::printable(address.path);
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  const bool v6 = address.family == Family::kIpv6;
  ::inet_ntop(v6 ? AF_INET6 : AF_INET, address.ip.data(), buffer.data(), buffer.size());
  const std::string ip = buffer.data();
  return (v6 ? "[" + ip + "]" : ip) + ":" + std::to_string(address.port);
}

std::string ProbeTarget::describe() const {
  const std::string where = addresses.empty() ? "nowhere" : to_string(addresses.front());
  const bool unix_socket = !addresses.empty() && addresses.front().family == Family::kUnix;
  if (!http) return unix_socket ? where : "tcp:" + where;
  return "http://" + where + (unix_socket ? ":" : "") + core::printable(path);
}

Result<ProbeTarget> parse_http_target(std::string_view url) {
  constexpr std::string_view kScheme = "http://";
  if (url.starts_with("https://")) {
    return invalid(url, "needs TLS, which the probe does not speak: use --ready tcp:PORT");
  }
  if (!url.starts_with(kScheme)) return invalid(url, "is no http:// URL");
  const auto rest = url.substr(kScheme.size());
  if (rest.starts_with("unix:")) {
    const auto path_end = rest.find(':', 5);
    auto target = parse_unix_target(rest.substr(5, path_end == std::string_view::npos ? path_end : path_end - 5));
    if (!target) return target;
    return with_http(*std::move(target), path_end == std::string_view::npos ? "/" : rest.substr(path_end + 1));
  }
  const auto slash = rest.find_first_of("/?#");
  const auto authority = rest.substr(0, slash);
  if (authority.find('@') != std::string_view::npos) return invalid(url, "must not carry a user name");
  auto target = parse_host_port(authority, url, "80");
  if (!target) return target;
  auto path = slash == std::string_view::npos ? std::string_view("/") : rest.substr(slash);
  path = path.substr(0, path.find('#'));
  return with_http(*std::move(target), path.starts_with('/') ? std::string(path) : "/" + std::string(path));
}

Result<ProbeTarget> parse_tcp_target(std::string_view text) {
  if (const auto port = parse_port(text)) return parse_host_port("localhost:" + std::to_string(*port), text, {});
  return parse_host_port(text, text, {});
}

Result<ProbeTarget> parse_unix_target(std::string_view path) {
  if (!unix_address(path)) {
    return invalid(path, "is no socket's absolute path (or @name of an abstract one) of at most 107 bytes");
  }
  ProbeTarget target;
  target.addresses.push_back({Family::kUnix, {}, 0, std::string(path)});
  target.host = "localhost";
  return target;
}

Result<ProbeTarget> with_http(ProbeTarget target, std::string_view path) {
  // A blank or line end in here would end the request line and let a configuration smuggle in a second request.
  const auto forbidden = [](char c) { return static_cast<unsigned char>(c) <= 0x20 || c == 0x7f; };
  if (!path.starts_with('/') || path.size() > kMaxHttpPath || std::any_of(path.begin(), path.end(), forbidden)) {
    return invalid(path, "is no path of an HTTP request");
  }
  target.http = true;
  target.path = std::string(path);
  return target;
}

}  // namespace antifreeze::host
