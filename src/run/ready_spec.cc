#include "run/ready_spec.h"

#include "core/json_line.h"
#include "core/text.h"

namespace antifreeze::run {
namespace {

using core::Error;
using core::ErrorCode;

core::Result<ReadySpec> socket_spec(core::Result<host::ProbeTarget> target) {
  if (!target) return std::move(target).error();
  ReadySpec spec;
  spec.kind = ReadySpec::Kind::kSocket;
  spec.how = target->describe();
  spec.target = std::move(*target);
  return spec;
}

/// The address to ask for a server that binds to `host`: the same one, or loopback where it binds to all.
std::string address_of(const engines::EngineFacts& engine) {
  const std::string host = engine.host.value_or("localhost");
  if (host.empty() || host == "0.0.0.0" || host == "::" || host == "[::]" || host == "*") return "localhost";
  if (host.find(':') != std::string::npos && host.front() != '[') return "[" + host + "]";
  return host;
}

core::Result<ReadySpec> engine_spec(const engines::EngineFacts& engine) {
  if (engine.caveats.no_server || (!engine.uds && !engine.port)) {
    ReadySpec spec;
    spec.how =
        engine.id +
        (engine.caveats.no_server ? " without a server of its own" : " on a port that the command does not tell") +
        ": it counts as up as soon as it runs (say --ready HOW)";
    return spec;
  }
  core::Result<host::ProbeTarget> target =
      engine.uds ? host::parse_unix_target(*engine.uds)
                 : host::parse_tcp_target(address_of(engine) + ":" + std::to_string(*engine.port));
  // A host name that is no address: loopback is the best guess, and a LISTEN socket of our own tree decides.
  if (!target && !engine.uds) target = host::parse_tcp_target(std::to_string(*engine.port));
  const bool http = !engine.tls && !engine.health.path.empty();
  if (target && http) target = host::with_http(std::move(*target), engine.health.path);
  auto spec = socket_spec(std::move(target));
  if (!spec) return spec;
  spec->ready_statuses.assign(engine.health.ready_statuses.begin(), engine.health.ready_statuses.end());
  spec->how = engine.id + ": " + spec->how + (http ? "" : " (an accepted connection is answer enough)");
  if (engine.caveats.ready_before_load) spec->how += "; it answers before it loads a model, see --preload";
  return spec;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (const auto word : core::split_words(text)) words.emplace_back(word);
  return words;
}

core::Status add_preload(ReadySpec& spec, const std::string& model) {
  if (!spec.target || !spec.target->http) {
    return Error(ErrorCode::kInvalid, "preloading a model needs a server that is asked over HTTP");
  }
  auto preload = host::with_http(*spec.target, "/api/generate");
  if (!preload) return std::move(preload).error();
  preload->method = "POST";
  preload->whole_answer = true;
  std::string quoted;
  core::append_json_string(quoted, model);
  preload->json_body = "{\"model\":" + quoted + ",\"keep_alive\":-1,\"stream\":false}";
  spec.preload = std::move(*preload);
  return {};
}

core::Result<ReadySpec> told_spec(const std::string& ready, const std::optional<engines::EngineFacts>& engine) {
  const std::string_view text = ready;
  ReadySpec spec;
  spec.how = ready;
  if (text == "auto") {
    if (engine) return engine_spec(*engine);
    spec.how = "no known engine in the command: it counts as up as soon as it runs (say --ready HOW)";
    return spec;
  }
  if (text == "none") return spec;
  if (text == "notify") {
    spec.kind = ReadySpec::Kind::kNotify;
    return spec;
  }
  if (text.starts_with("http:")) {
    // Both "http:http://…" and "http://…" are natural readings of http:URL.
    return socket_spec(host::parse_http_target(text.starts_with("http://") ? text : text.substr(5)));
  }
  if (text.starts_with("tcp:")) return socket_spec(host::parse_tcp_target(text.substr(4)));
  if (text.starts_with("uds:")) return socket_spec(host::parse_unix_target(text.substr(4)));
  if (text.starts_with("log:") && text.size() > 4) {
    spec.kind = ReadySpec::Kind::kLog;
    spec.pattern = text.substr(4);
    return spec;
  }
  if (text.starts_with("cmd:")) {
    spec.kind = ReadySpec::Kind::kCommand;
    spec.argv = words_of(text.substr(4));
    if (!spec.argv.empty()) return spec;
  }
  return Error(ErrorCode::kInvalid,
               "'" + core::printable(text, 80) +
                   "' is none of auto, http:URL, tcp:PORT, uds:PATH, cmd:ARGV, notify, log:REGEX, none");
}

}  // namespace

core::Result<ReadySpec> make_ready_spec(const std::string& ready, const std::optional<engines::EngineFacts>& engine,
                                        const std::optional<std::string>& preload_model) {
  auto spec = told_spec(ready, engine);
  if (spec && preload_model) {
    if (auto added = add_preload(*spec, *preload_model); !added) return std::move(added).error();
  }
  return spec;
}

}  // namespace antifreeze::run
