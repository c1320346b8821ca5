#include "fakevllm/http_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "core/text.h"
#include "fakevllm/journal.h"

namespace antifreeze::fakevllm {
namespace {

constexpr std::size_t kCutAt = 1 << 20;

std::string_view reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 413:
      return "Content Too Large";
    case 431:
      return "Request Header Fields Too Large";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Internal Server Error";
  }
}

}  // namespace

core::Status HttpServer::listen() {
  if (listening_) return {};
  if (::listen(listener_.get(), 2048) != 0) return core::errno_error("listen", errno);
  listening_ = true;
  return {};
}

void HttpServer::add_poll(std::vector<pollfd>& fds) const {
  if (listening_) fds.push_back({listener_.get(), POLLIN, 0});
  for (const auto& [id, connection] : connections_) {
    short events = POLLIN;
    if (!connection.out.empty()) events |= POLLOUT;
    fds.push_back({connection.fd.get(), events, 0});
  }
}

void HttpServer::handle(const std::vector<pollfd>& fds, std::int64_t now_ns) {
  std::map<int, short> events;
  for (const auto& entry : fds) events[entry.fd] = entry.revents;
  // Ids first: handlers open and close connections while we go on.
  std::vector<ConnectionId> ids;
  for (const auto& [id, connection] : connections_) ids.push_back(id);
  for (const auto id : ids) {
    const auto* connection = find(id);
    if (connection == nullptr) continue;
    const short now = events[connection->fd.get()];
    if ((now & POLLOUT) != 0) write_some(id);
    if ((now & (POLLIN | POLLHUP | POLLERR)) != 0 && find(id) != nullptr) read_some(id, now_ns);
  }
  if (listening_ && (events[listener_.get()] & POLLIN) != 0) accept_all(now_ns);
  for (const auto id : ids) {
    const auto* connection = find(id);
    if (connection == nullptr || connection->answering || !connection->out.empty()) continue;
    if (now_ns >= connection->idle_since_ns + keep_alive_ns_) drop(id);
  }
}

std::int64_t HttpServer::next_deadline() const {
  std::int64_t deadline = INT64_MAX;
  for (const auto& [id, connection] : connections_) {
    if (!connection.answering && connection.out.empty()) {
      deadline = std::min(deadline, connection.idle_since_ns + keep_alive_ns_);
    }
  }
  return deadline;
}

void HttpServer::accept_all(std::int64_t now_ns) {
  for (;;) {
    core::Fd fd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd.valid()) return;
    const int one = 1;
    (void)setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    Connection connection;
    connection.fd = std::move(fd);
    connection.idle_since_ns = now_ns;
    const auto id = next_id_++;
    connections_.emplace(id, std::move(connection));
    read_some(id, now_ns);
  }
}

void HttpServer::read_some(ConnectionId id, std::int64_t now_ns) {
  auto* connection = find(id);
  std::array<char, 16384> buffer{};
  for (;;) {
    const ssize_t size = recv(connection->fd.get(), buffer.data(), buffer.size(), 0);
    if (size > 0) {
      connection->reader.feed({buffer.data(), static_cast<std::size_t>(size)});
      connection->idle_since_ns = now_ns;
      continue;
    }
    if (size < 0 && errno == EINTR) continue;
    if (size == 0 || errno != EAGAIN) {
      // The client is gone: whatever it was waiting for is aborted.
      const bool cut = connection->answering;
      drop(id);
      if (cut) handler_.on_disconnect(id);
      return;
    }
    break;
  }
  dispatch(id);
}

void HttpServer::dispatch(ConnectionId id) {
  auto* connection = find(id);
  if (connection == nullptr || connection->answering || connection->close_when_sent) return;
  const auto state = connection->reader.next();
  if (connection->reader.wants_continue()) {
    connection->out += "HTTP/1.1 100 Continue\r\n\r\n";
    write_some(id);
    return;
  }
  if (state == HttpReader::State::kNeedMore) return;
  connection->answering = true;
  if (state == HttpReader::State::kBad) {
    connection->keep_alive = false;
    respond(id, connection->reader.bad_status(), "text/plain", "bad request\n");
    return;
  }
  auto request = connection->reader.take();
  connection->keep_alive = request.keep_alive;
  connection->chunked = !request.http10;
  handler_.on_request(id, std::move(request));
}

void HttpServer::respond(ConnectionId id, int status, std::string_view type, std::string_view body) {
  auto* connection = find(id);
  if (connection == nullptr) return;
  if (closing_) connection->keep_alive = false;
  connection->out +=
      "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason(status)) + "\r\nserver: fakevllm\r\n";
  if (!type.empty()) connection->out += "content-type: " + std::string(type) + "\r\n";
  connection->out += "content-length: " + std::to_string(body.size()) +
                     "\r\nconnection: " + (connection->keep_alive ? "keep-alive" : "close") + "\r\n\r\n" +
                     std::string(body);
  finish_answer(id);
}

void HttpServer::begin_stream(ConnectionId id, std::string_view type) {
  auto* connection = find(id);
  if (connection == nullptr) return;
  connection->streaming = true;
  if (closing_ || !connection->chunked) connection->keep_alive = false;
  connection->out += "HTTP/1.1 200 OK\r\nserver: fakevllm\r\ncontent-type: " + std::string(type) +
                     "\r\nconnection: " + (connection->keep_alive ? "keep-alive" : "close") + "\r\n" +
                     (connection->chunked ? "transfer-encoding: chunked\r\n" : "") + "\r\n";
  write_some(id);
}

void HttpServer::stream(ConnectionId id, std::string_view data) {
  auto* connection = find(id);
  if (connection == nullptr || data.empty()) return;
  if (connection->chunked) {
    std::string size;
    for (std::size_t left = data.size(); left > 0; left /= 16) size.insert(size.begin(), "0123456789abcdef"[left % 16]);
    connection->out += size + "\r\n" + std::string(data) + "\r\n";
  } else {
    connection->out += data;
  }
  write_some(id);
}

void HttpServer::end_stream(ConnectionId id) {
  auto* connection = find(id);
  if (connection == nullptr) return;
  if (connection->chunked) connection->out += "0\r\n\r\n";
  finish_answer(id);
}

void HttpServer::abort(ConnectionId id) {
  auto* connection = find(id);
  if (connection == nullptr) return;
  connection->keep_alive = false;
  finish_answer(id);
}

void HttpServer::close_after(ConnectionId id) {
  if (auto* connection = find(id)) connection->keep_alive = false;
}

void HttpServer::close_listener() {
  listening_ = false;
  listener_.reset();
}

void HttpServer::finish_answer(ConnectionId id) {
  auto* connection = find(id);
  connection->answering = false;
  connection->streaming = false;
  connection->close_when_sent = !connection->keep_alive;
  connection->idle_since_ns = mono_now_ns();
  write_some(id);
  dispatch(id);  // a pipelined request may wait already
}

void HttpServer::write_some(ConnectionId id) {
  auto* connection = find(id);
  if (connection == nullptr) return;
  while (!connection->out.empty()) {
    const auto left = std::string_view(connection->out).substr(connection->sent);
    const ssize_t size = send(connection->fd.get(), left.data(), left.size(), MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return;  // a slow reader: POLLOUT brings us back
    if (size < 0) {
      const bool cut = connection->answering;
      drop(id);
      if (cut) handler_.on_disconnect(id);
      return;
    }
    connection->sent += static_cast<std::size_t>(size);
    if (connection->sent < connection->out.size() && connection->sent < kCutAt) continue;
    connection->out.erase(0, connection->sent);
    connection->sent = 0;
  }
  if (connection->close_when_sent) drop(id);
}

void HttpServer::flush(int limit_ms) {
  const std::int64_t until = mono_now_ns() + limit_ms * std::int64_t{1'000'000};
  for (;;) {
    std::vector<pollfd> fds;
    for (const auto& [id, connection] : connections_) {
      if (!connection.out.empty()) fds.push_back({connection.fd.get(), POLLOUT, 0});
    }
    const std::int64_t left = until - mono_now_ns();
    if (fds.empty() || left <= 0) return;
    (void)poll(fds.data(), fds.size(), static_cast<int>(left / 1'000'000) + 1);
    std::vector<ConnectionId> ids;
    for (const auto& [id, connection] : connections_) ids.push_back(id);
    for (const auto id : ids) write_some(id);
  }
}

void HttpServer::drop(ConnectionId id) { connections_.erase(id); }

HttpServer::Connection* HttpServer::find(ConnectionId id) {
  const auto it = connections_.find(id);
  return it == connections_.end() ? nullptr : &it->second;
}

}  // namespace antifreeze::fakevllm
