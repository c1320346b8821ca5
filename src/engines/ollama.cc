// Ollama. Source: envconfig/config.go; `ollama serve` has no options, everything is in the environment.
#include <array>

#include "core/text.h"
#include "engines/rows.h"

namespace antifreeze::engines {
namespace {

enum Key { kPort = kNeighbour + 1, kHost };

// Only the stand-in used in tests takes these; the real program would refuse to start.
constexpr std::array kFlags = std::to_array<Flag>({{"--port", kPort}, {"--host", kHost}});

struct HostPort {
  std::string host;
  std::optional<std::uint16_t> port;  // absent: picked by the kernel
};

// The text behind the last ':' that can separate a port, as Go's net.SplitHostPort sees it.
std::optional<std::pair<std::string_view, std::string_view>> split_host_port(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  if (!host.empty() && host.front() == '[') {
    if (host.back() != ']') return std::nullopt;
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;  // an IPv6 address without brackets
  }
  return std::pair(host, text.substr(colon + 1));
}

// "0.0.0.0", ":8080", "[::1]:8000", "http://0.0.0.0" (port 80), "https://x" (port 443: the scheme changes the default
// port and nothing else, the server speaks plain HTTP), quotes and blanks around it. A bad port means the default one.
HostPort parse_ollama_host(std::string_view text) {
  const auto strip = [](std::string_view s, std::string_view what) {
    const auto first = s.find_first_not_of(what);
    return first == std::string_view::npos ? std::string_view() : s.substr(first, s.find_last_not_of(what) - first + 1);
  };
  text = core::trim(strip(core::trim(text), "\"'"));
  std::uint16_t default_port = 11434;
  if (const auto scheme = text.find("://"); scheme != std::string_view::npos) {
    if (text.substr(0, scheme) == "http") default_port = 80;
    if (text.substr(0, scheme) == "https") default_port = 443;
    text.remove_prefix(scheme + 3);
  }
  text = text.substr(0, text.find('/'));
  const auto parts = split_host_port(text);
  HostPort out{std::string(parts ? parts->first : text), default_port};
  if (!parts && text.empty()) out.host = "127.0.0.1";
  if (!parts) return out;
  const auto port = core::parse_uint(parts->second);
  if (port && *port <= 65535) out.port = static_cast<std::uint16_t>(*port);
  if (out.port == 0) out.port.reset();
  return out;
}

void read(const ParsedArgs& args, const Environment& env, EngineFacts& facts) {
  if (const auto value = env.get("OLLAMA_HOST")) {
    if (value->known()) {
      const HostPort where = parse_ollama_host(value->text);
      facts.port = where.port;
      facts.port_stated = true;
      set_host(Word(where.host), facts);
    } else {
      facts.port.reset();
      facts.host.reset();
    }
  }
  read_port_and_host(args, env, kPort, nullptr, kHost, nullptr, facts);
}

constexpr std::array kForms = std::to_array<Form>({
    {Form::Kind::kProgram, "ollama", "serve"},
    {Form::Kind::kProgram, "ollama", "start"},
    {Form::Kind::kProgram, "fakeollama"},
});

}  // namespace

constinit const Dialect kOllama{.id = "ollama",
                                .forms = kForms,
                                .flags = kFlags,
                                .default_port = 11434,
                                .default_host = "127.0.0.1",
                                .health_path = "/",
                                .ready_statuses = kOk,
                                .caveats = {.ready_before_load = true},
                                .read = read};

}  // namespace antifreeze::engines
