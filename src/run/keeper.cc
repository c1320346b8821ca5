#include "run/keeper.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <optional>

#include "gate/mutant.h"
#include "gate/ticket.h"
#include "host/dir.h"
#include "host/dir_edit.h"
#include "run/command.h"
#include "run/keeper_link.h"
#include "run/tree.h"

namespace antifreeze::run {
namespace {

/// Writes C into a ticket that was still held when the front died: every process of it is gone now.
void clear_ticket(int ticket_fd, core::MonoTime ended) {
  const auto info = host::file_info(ticket_fd);
  const auto text = host::pread_all(ticket_fd, gate::kTicketBytes);
  if (!info || !text) return;
  auto ticket = gate::decode_ticket(*text);
  if (!ticket || ticket->state != gate::TicketState::kHolding) return;
  ticket->state = gate::TicketState::kCleared;
  ticket->ended = ended;
  const auto cleared = gate::encode_ticket(*ticket);
  if (cleared) (void)host::pwrite_all(ticket_fd, *cleared, 0).has_value();
}

class KeeperProcess {
 public:
  KeeperProcess(const Launch& launch, const host::Signals& signals, const host::Clock& clock,
                const host::ProcTree& processes, core::Fd link)
      : launch_(launch),
        signals_(signals),
        clock_(clock),
        processes_(processes),
        link_(std::move(link)),
        ticket_(launch.ticket_fd) {}

  [[noreturn]] void run() {
    ::setsid();
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    ::prctl(PR_SET_NAME, "af-keeper");
    if (gate::mutant("no_keeper")) ticket_.reset();
    for (const int fd : launch_.not_for_keeper) ::close(fd);
    start_server();
    for (const int fd : {launch_.stdout_fd, launch_.stderr_fd}) {
      if (fd >= 0) ::close(fd);
    }
    for (;;) {
      (void)host::Signals::take();
      hear();
      const auto reaped = reap_children(server_);
      if (reaped.status_of_main) on_server_ended(*reaped.status_of_main, reaped.none_left);
      if (reaped.none_left) leave();
      push_on();
      std::array<pollfd, 1> fds{pollfd{front_dead_ ? -1 : link_.get(), POLLIN, 0}};
      (void)signals_.wait(fds, next_push_ ? std::optional(*next_push_ - clock_.monotonic()) : std::nullopt).has_value();
    }
  }

 private:
  void start_server() {
    const auto spawned =
        spawn_command(launch_.path, launch_.argv, launch_.environment, launch_.stdout_fd, launch_.stderr_fd, signals_);
    if (spawned.pid > 0) server_ = spawned.pid;
    tell(spawned.failed == 0 ? Message{Say::kStarted, static_cast<std::int32_t>(server_)}
                             : Message{Say::kExecFailed, spawned.failed});
  }

  void hear() {
    while (!front_dead_) {
      auto received = receive_message(link_.get());
      if (received.closed) {
        front_dead_ = true;
        if (gate::mutant("no_keeper")) ::_exit(0);
        kill_all();
        return;
      }
      if (!received.message) return;
      switch (received.message->say) {
        case Say::kSignal:
          if (server_ > 0 && !server_ended_) ::kill(server_, received.message->value);
          break;
        case Say::kKill:
          kill_all();
          break;
        case Say::kTicket:
          ticket_ = std::move(received.passed);
          break;
        default:
          break;
      }
    }
  }

  void on_server_ended(int status, bool was_the_last) {
    server_ended_ = true;
    tell({Say::kEnded, status});
    if (killing_ || was_the_last) return;
    ask_tree_to_end(processes_, server_);
    kill_at_ = clock_.monotonic() + kLeftoverGrace;
    next_push_ = kill_at_;
  }

  void kill_all() {
    killing_ = true;
    next_push_ = clock_.monotonic();
  }

  void push_on() {
    const auto now = clock_.monotonic();
    if (!killing_ && kill_at_ && now >= *kill_at_) killing_ = true;
    if (!killing_) return;
    kill_pause_ = kill_tree(processes_, server_, kill_pause_);
    next_push_ = now + kill_pause_;
  }

  void tell(Message message) {
    // A dead front shows as end of file in hear(), which also ends the tree.
    (void)send_message(link_.get(), message).has_value();
  }

  [[noreturn]] void leave() {
    if (front_dead_) {
      if (ticket_.valid()) clear_ticket(ticket_.get(), clock_.monotonic());
    } else {
      tell({Say::kGone, 0});
    }
    ::_exit(0);
  }

  const Launch& launch_;
  const host::Signals& signals_;
  const host::Clock& clock_;
  const host::ProcTree& processes_;
  core::Fd link_;
  core::Fd ticket_;
  pid_t server_ = -1;
  bool server_ended_ = false;
  bool front_dead_ = false;
  bool killing_ = false;
  std::optional<core::MonoTime> kill_at_;
  std::optional<core::MonoTime> next_push_;
  core::Nanos kill_pause_ = kKillSoon;
};

}  // namespace

core::Result<Keeper> start_keeper(const Launch& launch, const host::Signals& signals, const host::Clock& clock,
                                  const host::ProcTree& processes) {
  std::array<int, 2> pair{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0) {
    return core::errno_error("make a socket pair", errno);
  }
  core::Fd front(pair[0]);
  core::Fd back(pair[1]);
  const pid_t pid = ::fork();
  if (pid < 0) return core::errno_error("fork", errno);
  if (pid == 0) {
    front.reset();
    KeeperProcess(launch, signals, clock, processes, std::move(back)).run();
  }
  return Keeper{pid, std::move(front)};
}

}  // namespace antifreeze::run
