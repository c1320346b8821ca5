// Connections and answers. Knows HTTP, not what is served.
#pragma once

#include <poll.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/fd.h"
#include "core/result.h"
#include "fakevllm/http_request.h"

namespace antifreeze::fakevllm {

using ConnectionId = std::uint64_t;

/// What is served: gets each request, and hears when a client is gone before its answer was complete.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  virtual void on_request(ConnectionId id, HttpRequest request) = 0;
  virtual void on_disconnect(ConnectionId id) = 0;
};

/// A single-threaded server: hand it poll() events, it calls the handler.
class HttpServer {
 public:
  HttpServer(HttpHandler& handler, std::int64_t keep_alive_ns) : handler_(handler), keep_alive_ns_(keep_alive_ns) {}

  /// Binds without listening: connections are refused until listen(). `host` is a numeric address.
  core::Status bind_tcp(const std::string& host, int port, bool reuse_port);
  core::Status bind_unix(const std::string& path);
  core::Status listen();
  [[nodiscard]] bool listening() const { return listening_; }
  /// The port, also where 0 was asked for.
  [[nodiscard]] int port() const;

  void add_poll(std::vector<pollfd>& fds) const;
  /// Handles what poll() said, and closes what was idle for too long at `now_ns` (CLOCK_MONOTONIC).
  void handle(const std::vector<pollfd>& fds, std::int64_t now_ns);
  /// When the next idle connection has to be closed; INT64_MAX for never.
  [[nodiscard]] std::int64_t next_deadline() const;

  /// A whole answer.
  void respond(ConnectionId id, int status, std::string_view type, std::string_view body);
  /// An answer in pieces, chunked (HTTP/1.0: until close).
  void begin_stream(ConnectionId id, std::string_view type);
  void stream(ConnectionId id, std::string_view data);
  void end_stream(ConnectionId id);
  /// Ends a broken answer: what is queued goes out, then the connection closes without the last chunk.
  void abort(ConnectionId id);
  /// Closes this connection after the answer that is due.
  void close_after(ConnectionId id);
  /// New connections are refused; those that are open stay.
  void close_listener();
  /// From now on every answer closes its connection.
  void close_after_answers() { closing_ = true; }
  /// Sends what is queued, waiting at most `limit_ms`.
  void flush(int limit_ms);

 private:
  struct Connection {
    core::Fd fd;
    HttpReader reader;
    std::string out;
    std::size_t sent = 0;    ///< of `out`; cut off now and then, not at every write
    bool answering = false;  ///< a request was handed over and its answer is not complete
    bool streaming = false;
    bool chunked = false;
    bool keep_alive = true;
    bool close_when_sent = false;
    std::int64_t idle_since_ns = 0;
  };

  core::Status bind_any(const void* address, unsigned size, int family, bool reuse_port, const std::string& name);
  void accept_all(std::int64_t now_ns);
  void read_some(ConnectionId id, std::int64_t now_ns);
  void dispatch(ConnectionId id);
  void write_some(ConnectionId id);
  void finish_answer(ConnectionId id);
  void drop(ConnectionId id);
  Connection* find(ConnectionId id);

  HttpHandler& handler_;
  std::int64_t keep_alive_ns_;
  core::Fd listener_;
  bool listening_ = false;
  bool closing_ = false;
  ConnectionId next_id_ = 1;
  std::map<ConnectionId, Connection> connections_;
};

}  // namespace antifreeze::fakevllm
