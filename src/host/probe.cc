#include "host/probe.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "core/result.h"
#include "host/unix_address.h"

namespace antifreeze::host {
namespace {

using Kind = ProbeResult::Kind;

/// Content that a server may send in one on_ready() before the loop gets its turn again.
constexpr int kReadsPerTurn = 16;

std::string request_of(const ProbeTarget& target) {
  std::string text = target.method + " " + target.path + " HTTP/1.1\r\nHost: " + target.host +
                     "\r\nUser-Agent: antifreeze\r\nAccept: */*\r\nConnection: close\r\n";
  if (!target.json_body.empty()) {
    text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(target.json_body.size()) + "\r\n";
  }
  return text + "\r\n" + target.json_body;
}

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
};

SocketAddress to_sockaddr(const ProbeAddress& address) {
  SocketAddress out;
  if (address.family == ProbeAddress::Family::kIpv4) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(address.port);
    std::memcpy(&in.sin_addr, address.ip.data(), 4);
    std::memcpy(&out.storage, &in, sizeof(in));
    out.size = sizeof(in);
  } else if (address.family == ProbeAddress::Family::kIpv6) {
    sockaddr_in6 in{};
    in.sin6_family = AF_INET6;
    in.sin6_port = htons(address.port);
    std::memcpy(&in.sin6_addr, address.ip.data(), 16);
    std::memcpy(&out.storage, &in, sizeof(in));
    out.size = sizeof(in);
  } else {
    const auto un = unix_address(address.path).value_or(UnixAddress{});
    std::memcpy(&out.storage, &un.address, sizeof(un.address));
    out.size = un.size;
  }
  return out;
}

/// The errors of connect(2) that mean "not there (yet)" rather than "cannot be asked".
bool means_refused(int sys_errno) {
  switch (sys_errno) {
    case ECONNREFUSED:
    case ECONNRESET:
    case ENOENT:  // no such unix socket yet
    case ENOTDIR:
    case EAGAIN:         // unix socket whose backlog is full
    case EADDRNOTAVAIL:  // ::1 without IPv6 on lo
    case EAFNOSUPPORT:
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ETIMEDOUT:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool is_connected_to_itself(int fd) {
  sockaddr_storage mine{};
  sockaddr_storage theirs{};
  socklen_t mine_size = sizeof(mine);
  socklen_t theirs_size = sizeof(theirs);
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&mine), &mine_size) != 0) return false;
  if (::getpeername(fd, reinterpret_cast<sockaddr*>(&theirs), &theirs_size) != 0) return false;
  if (mine.ss_family != AF_INET && mine.ss_family != AF_INET6) return false;
  return mine_size == theirs_size && std::memcmp(&mine, &theirs, mine_size) == 0;
}

void SocketProbe::start(const ProbeTarget& target, core::MonoTime now, core::Nanos timeout) {
  cancel();
  target_ = target;
  deadline_ = now + timeout;
  request_ = target.http ? request_of(target) : std::string();
  next_address_ = 0;
  refused_.clear();
  connect_next();
}

std::optional<core::MonoTime> SocketProbe::deadline() const {
  if (phase_ == Phase::kIdle) return std::nullopt;
  return deadline_;
}

void SocketProbe::on_ready(short revents) {
  if (revents == 0) return;
  switch (phase_) {
    case Phase::kIdle:
      return;
    case Phase::kConnecting: {
      int failed = 0;
      socklen_t size = sizeof(failed);
      if (::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &failed, &size) != 0) failed = errno;
      if (failed == 0) return on_connected();
      return on_refused(failed);
    }
    case Phase::kSending:
      return send_more();
    case Phase::kReading:
      return read_more();
  }
}

void SocketProbe::on_time(core::MonoTime now) {
  if (phase_ == Phase::kIdle || now < deadline_) return;
  end(Kind::kTimeout, phase_ == Phase::kConnecting ? "connection not accepted in time" : "no answer in time");
}

void SocketProbe::cancel() {
  socket_.reset();
  phase_ = Phase::kIdle;
  result_.reset();
}

void SocketProbe::connect_next() {
  while (next_address_ < target_.addresses.size()) {
    if (begin_connect(target_.addresses[next_address_++])) return;
    if (result_) return;
  }
  end(Kind::kRefused, refused_.empty() ? "no address to ask" : refused_);
}

/// True: under way, connected or ended. False: refused, the next address may be tried.
bool SocketProbe::begin_connect(const ProbeAddress& address) {
  const auto to = to_sockaddr(address);
  socket_ = core::Fd(::socket(to.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  int failed = 0;
  if (!socket_.valid() || ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&to.storage), to.size) != 0) {
    failed = errno;
  }
  if (failed == 0) {
    on_connected();
    return true;
  }
  if (failed == EINPROGRESS || failed == EINTR) {  // interrupted: goes on in the background all the same
    phase_ = Phase::kConnecting;
    return true;
  }
  if (means_refused(failed)) {
    if (refused_.empty()) refused_ = core::errno_error(to_string(address), failed).message();
    return false;
  }
  end(Kind::kError, core::errno_error(to_string(address), failed).message());
  return true;
}

void SocketProbe::on_connected() {
  if (is_connected_to_itself(socket_.get())) return on_refused(ECONNREFUSED);
  if (!target_.http) return end(Kind::kConnected, "");
  reader_ = HttpResponseReader();
  sent_ = 0;
  phase_ = Phase::kSending;
  send_more();
}

void SocketProbe::on_refused(int sys_errno) {
  const auto message = core::errno_error(to_string(target_.addresses[next_address_ - 1]), sys_errno).message();
  if (!means_refused(sys_errno)) return end(Kind::kError, message);
  if (refused_.empty()) refused_ = message;
  connect_next();
}

void SocketProbe::send_more() {
  while (sent_ < request_.size()) {
    const ssize_t put = core::retry_eintr(
        [&] { return ::send(socket_.get(), request_.data() + sent_, request_.size() - sent_, MSG_NOSIGNAL); });
    if (put < 0) {
      if (errno == EAGAIN) return;
      // The answer may be there though the rest of the question was not wanted.
      break;
    }
    sent_ += static_cast<std::size_t>(put);
  }
  phase_ = Phase::kReading;
}

void SocketProbe::read_more() {
  std::array<char, 4096> buffer;
  for (int turn = 0; turn < kReadsPerTurn; ++turn) {
    const ssize_t got = core::retry_eintr([&] { return ::recv(socket_.get(), buffer.data(), buffer.size(), 0); });
    if (got < 0 && errno == EAGAIN) return;
    if (got > 0) {
      reader_.feed({buffer.data(), static_cast<std::size_t>(got)});
    } else {
      reader_.finish();  // closed, or reset: then what came before counts
    }
    const auto state = reader_.state();
    if (state == HttpResponseReader::State::kBad) return end(Kind::kBroken, reader_.reason());
    const bool enough = state == HttpResponseReader::State::kDone ||
                        (state == HttpResponseReader::State::kBody && !target_.whole_answer);
    if (enough) return end(Kind::kAnswered, "", *reader_.status());
  }
}

void SocketProbe::end(Kind kind, std::string reason, int status) {
  socket_.reset();
  phase_ = Phase::kIdle;
  result_ = ProbeResult{kind, status, std::move(reason)};
}

}  // namespace antifreeze::host
