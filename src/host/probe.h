// One question to a server, asked without ever blocking: the caller's event loop polls the descriptor.
#pragma once

#include <poll.h>

#include <cstdint>
#include <optional>
#include <string>

#include "core/fd.h"
#include "core/time.h"
#include "host/http_response.h"
#include "host/probe_target.h"

namespace antifreeze::host {

/// How a probe ended.
struct ProbeResult {
  enum class Kind {
    kConnected,  ///< accepted; for a target without HTTP that is all
    kAnswered,   ///< with `status`
    kRefused,    ///< nobody listens there (yet)
    kTimeout,
    kBroken,  ///< connected, but no sensible answer came
    kError,   ///< the probe itself could not be made: no descriptors, no such address family …
  };
  Kind kind = Kind::kError;
  int status = 0;      ///< 200…599 with kAnswered
  std::string reason;  ///< for people; empty with kConnected and kAnswered
};

/// One probe at a time. Loop: poll fd() for events() until deadline(); then on_ready() or on_time(); until result().
class Probe {
 public:
  virtual ~Probe() = default;
  /// Begins to ask; a probe under way is dropped. May finish at once: look at result() before polling.
  virtual void start(const ProbeTarget& target, core::MonoTime now, core::Nanos timeout) = 0;
  /// The descriptor to poll, -1 when there is none. It may be another one after each on_ready().
  [[nodiscard]] virtual int fd() const = 0;
  /// POLLIN or POLLOUT.
  [[nodiscard]] virtual short events() const = 0;
  /// When the probe gives up; nullopt when none is under way.
  [[nodiscard]] virtual std::optional<core::MonoTime> deadline() const = 0;
  /// poll() reported `revents` for fd(). Also harmless when called for nothing.
  virtual void on_ready(short revents) = 0;
  /// Time has passed: ends the probe with kTimeout from the deadline on.
  virtual void on_time(core::MonoTime now) = 0;
  /// How it ended; nullopt while under way and before the first start.
  [[nodiscard]] virtual std::optional<ProbeResult> result() const = 0;
  /// Drops the probe under way; result() is nullopt then.
  virtual void cancel() = 0;
};

/// Whether TCP socket `fd` is its own peer. It can be: nobody listens on the port, but the kernel happened to pick that
/// very port for our end of the connection.
bool is_connected_to_itself(int fd);

/// The real one, over non-blocking sockets.
class SocketProbe final : public Probe {
 public:
  void start(const ProbeTarget& target, core::MonoTime now, core::Nanos timeout) override;
  [[nodiscard]] int fd() const override { return socket_.get(); }
  [[nodiscard]] short events() const override { return phase_ == Phase::kReading ? POLLIN : POLLOUT; }
  [[nodiscard]] std::optional<core::MonoTime> deadline() const override;
  void on_ready(short revents) override;
  void on_time(core::MonoTime now) override;
  [[nodiscard]] std::optional<ProbeResult> result() const override { return result_; }
  void cancel() override;

 private:
  enum class Phase { kIdle, kConnecting, kSending, kReading };

  void connect_next();
  bool begin_connect(const ProbeAddress& address);
  void on_connected();
  void on_refused(int sys_errno);
  void send_more();
  void read_more();
  void end(ProbeResult::Kind kind, std::string reason, int status = 0);

  ProbeTarget target_;
  core::MonoTime deadline_;
  Phase phase_ = Phase::kIdle;
  std::size_t next_address_ = 0;
  core::Fd socket_;
  std::string request_;
  std::size_t sent_ = 0;
  HttpResponseReader reader_;
  std::string refused_;
  std::optional<ProbeResult> result_;
};

}  // namespace antifreeze::host
