// What a command line says about the inference server that it starts. Nothing here has been measured: these are the
// words of whoever wrote the command, and the engine's documented defaults.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace antifreeze::engines {

/// The environment that the command will get: value of a name, or nullopt when it is not set. What it returns has to
/// live as long as the call that it was given to.
using EnvView = std::function<std::optional<std::string_view>(std::string_view name)>;

/// What a share is a share of. Shares of different kinds must never be added up.
enum class ShareKind {
  kTotal,       ///< the device's whole memory (vLLM)
  kFreeBefore,  ///< what is free before the model loads (SGLang)
  kFreeAfter,   ///< what is free once the weights are in (TensorRT-LLM, LMDeploy)
  kBytes,       ///< a fixed number of bytes a device
};

/// "total", "free_before", "free_after", "bytes".
std::string_view name_of(ShareKind kind);

/// How much memory of each of its GPUs the engine will claim.
struct Share {
  ShareKind kind = ShareKind::kTotal;
  std::optional<double> value;  ///< a fraction in (0, 1], bytes for kBytes; absent: the engine works it out by itself
  bool stated = false;  ///< the command line says it; otherwise it is the engine's default, which versions change

  friend bool operator==(const Share&, const Share&) = default;
};

/// How to ask whether it is ready.
struct Health {
  std::string path;                       ///< GET this; empty: there is no HTTP, an accepted connection is all there is
  std::span<const int> ready_statuses;    ///< any of these means ready
  std::span<const int> loading_statuses;  ///< any of these means alive and not ready yet; others are failures
};

/// What its readiness does not prove.
struct Caveats {
  bool ready_before_load = false;  ///< answers ready at once and loads on the first request
  bool flag_only = false;          ///< health reads a flag: an engine that hangs stays ready
  bool health_generates = false;   ///< each probe makes the model generate a token
  bool no_server = false;          ///< a secondary node: it will never listen
  bool several_servers = false;    ///< the command starts more than one; these facts are those of the last
};

/// All of it. Absent fields are unknown, not zero.
struct EngineFacts {
  std::string id;                     ///< "vllm", "sglang", "llama-server", … as in the table
  std::optional<std::string> model;   ///< as written: a name, a path
  std::optional<std::uint16_t> port;  ///< absent: a unix socket, picked by the kernel, or not to be read
  bool port_stated = false;           ///< from the command line or environment, not a default
  std::optional<std::string> host;    ///< address it binds to; absent: all of them
  std::optional<std::string> uds;     ///< unix socket that it listens on in place of a port
  bool tls = false;
  Health health;
  Caveats caveats;
  std::optional<Share> share;              ///< absent: unknown, `share_unknown` says why
  std::string share_unknown;               ///< for people; empty when `share` is there
  std::optional<std::uint64_t> kv_bytes;   ///< KV cache in bytes a GPU, where stated so
  std::optional<unsigned> gpus;            ///< devices on this host that it will use
  std::optional<std::string> config_file;  ///< holds further settings that the command line does not override
};

}  // namespace antifreeze::engines
