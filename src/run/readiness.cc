#include "run/readiness.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "core/text.h"
#include "run/command.h"
#include "run/tree.h"

namespace antifreeze::run {
namespace {

constexpr core::Nanos kAskTimeout = std::chrono::seconds(5);
constexpr core::Nanos kPreloadTimeout = std::chrono::hours(24);  // the start time-out ends it sooner
constexpr core::Nanos kCommandTimeout = std::chrono::seconds(10);
/// With SO_REUSEPORT a neighbour on the same port answers about half of the questions: so many good answers in a row
/// are the neighbour's alone once in 65,536.
constexpr int kCleanAnswers = 16;

/// 2.5 % of the time it has taken so far: cheap for long loads, exact for short ones.
core::Nanos ask_again_after(core::Nanos so_far) {
  return std::clamp<core::Nanos>(so_far / 40, std::chrono::milliseconds(10), std::chrono::milliseconds(250));
}

}  // namespace

core::Result<std::unique_ptr<Readiness>> Readiness::make(Context& context, ReadySpec spec) {
  std::unique_ptr<Readiness> readiness(new Readiness(context, std::move(spec)));
  if (auto prepared = readiness->prepare(); !prepared) return std::move(prepared).error();
  return readiness;
}

core::Status Readiness::prepare() {
  if (spec_.kind == ReadySpec::Kind::kLog) {
    auto tap = OutputTap::make(spec_.pattern);
    if (!tap) return std::move(tap).error();
    tap_.emplace(std::move(*tap));
  }
  if (spec_.kind == ReadySpec::Kind::kNotify) {
    auto listener = host::NotifySocket::open();
    if (!listener) return std::move(listener).error();
    listener_.emplace(std::move(*listener));
  }
  if (spec_.kind == ReadySpec::Kind::kSocket) {
    for (const auto& address : spec_.target->addresses) {
      const auto there = host::listening_at(context_.processes, address);
      if (there) baseline_.insert(baseline_.end(), there->begin(), there->end());
    }
    if (!baseline_.empty()) context_.report.say(spec_.target->describe() + " is already served by somebody else");
  }
  return {};
}

std::string Readiness::notify_socket() const { return listener_ ? listener_->name() : ""; }

void Readiness::started(pid_t keeper, core::MonoTime now) {
  keeper_ = keeper;
  started_ = now;
  next_ask_ = now;
}

Readiness::Answer Readiness::step(core::MonoTime now) {
  if (stopped_) return {false, ""};
  Answer answer;
  switch (spec_.kind) {
    case ReadySpec::Kind::kNone:
      answer = {true, spec_.how};
      break;
    case ReadySpec::Kind::kLog:
      answer = {tap_->matched(), tap_->matched() ? "it printed " + spec_.pattern : "no output line matches yet"};
      break;
    case ReadySpec::Kind::kNotify:
      answer = step_notify();
      break;
    case ReadySpec::Kind::kCommand:
      answer = step_command(now);
      break;
    case ReadySpec::Kind::kSocket:
      answer = step_socket(now);
      break;
  }
  last_ = answer.text.empty() ? last_ : answer.text;
  answer.text = last_.empty() ? "nothing listens yet" : last_;
  return answer;
}

/// The socket's name is no secret, so the sender has to be below our keeper. A helper that notified and ended at once
/// cannot be asked any more; there our own user has to do.
bool Readiness::is_from_our_server(const host::NotifyMessage& message) const {
  if (is_below(context_.processes, message.pid, keeper_)) return true;
  const auto sender = context_.processes.process(message.pid);
  return !sender && message.uid == ::geteuid();
}

Readiness::Answer Readiness::step_notify() {
  for (;;) {
    const auto message = listener_->receive();
    if (!message || !*message) break;
    if (!is_from_our_server(**message)) continue;
    if ((*message)->value("READY") == "1") return {true, "it notified READY=1"};
  }
  return {false, "no READY=1 yet"};
}

Readiness::Answer Readiness::step_command(core::MonoTime now) {
  if (command_ == 0 && now >= next_ask_) {
    const char* path_variable = ::getenv("PATH");
    const auto path = resolve_command(spec_.argv.front(), path_variable != nullptr ? path_variable : "");
    if (!path) {
      next_ask_ = now + std::chrono::seconds(1);
      return {false, "cmd: " + path.error().message()};
    }
    command_ = ::fork();
    if (command_ == 0) {
      ::setpgid(0, 0);
      std::vector<char*> argv;
      for (const auto& word : spec_.argv) argv.push_back(const_cast<char*>(word.c_str()));
      argv.push_back(nullptr);
      context_.signals.restore_for_exec();
      ::execv(path->c_str(), argv.data());
      ::_exit(127);
    }
    command_deadline_ = now + kCommandTimeout;
  }
  if (command_ > 0 && now >= command_deadline_) {
    kill_command();
    return {false, "the ready command did not end within 10s"};
  }
  if (!command_status_) return {false, "the ready command has not succeeded yet"};
  const int code = exit_code_of(*command_status_);
  command_status_.reset();
  if (code == 0) return {true, "the ready command succeeded"};
  return {false, "the ready command exited with " + std::to_string(code)};
}

bool Readiness::child_ended(pid_t pid, int wait_status, core::MonoTime now) {
  if (pid != command_ || command_ <= 0) return false;
  command_ = 0;
  command_status_ = wait_status;
  next_ask_ = now + std::max<core::Nanos>(ask_again_after(now - started_), std::chrono::milliseconds(100));
  return true;
}

Readiness::Answer Readiness::step_socket(core::MonoTime now) {
  if (!asking_) {
    if (now < next_ask_) return {false, ""};
    probe_.start(*spec_.target, now, kAskTimeout);
    asking_ = true;
  }
  pollfd poll_fd{probe_.fd(), probe_.events(), 0};
  if (poll_fd.fd >= 0 && ::poll(&poll_fd, 1, 0) > 0) probe_.on_ready(poll_fd.revents);
  probe_.on_time(now);
  const auto result = probe_.result();
  if (!result) return {false, ""};
  asking_ = false;
  schedule(now);
  return judge(*result, now);
}

void Readiness::schedule(core::MonoTime now) { next_ask_ = now + ask_again_after(now - started_); }

Readiness::Answer Readiness::judge(const host::ProbeResult& result, core::MonoTime now) {
  using Kind = host::ProbeResult::Kind;
  if (preloading_) {
    if (result.kind == Kind::kAnswered && result.status == 200) return {true, "the model is loaded"};
    context_.report.say("preload answered " +
                        (result.kind == Kind::kAnswered ? std::to_string(result.status) : result.reason));
    preloading_ = false;  // ask for health first, then again
    next_ask_ = now + std::chrono::seconds(1);
    return {false, "preload has not succeeded yet"};
  }
  switch (result.kind) {
    case Kind::kConnected:
      return who_answers(now);
    case Kind::kAnswered: {
      const auto status = std::to_string(result.status);
      if (std::ranges::find(spec_.ready_statuses, result.status) != spec_.ready_statuses.end()) {
        auto answer = who_answers(now);
        if (answer.ready) answer.text = "answers " + status + ", " + answer.text;
        return answer;
      }
      clean_answers_ = 0;
      if (result.status == 401 || result.status == 403) {
        // It wants a key that we do not have; that it asks for one shows that it serves.
        auto answer = who_answers(now);
        if (answer.ready) answer.text = "answers " + status + " (it wants a key), " + answer.text;
        return answer;
      }
      return {false, "answers " + status};
    }
    case Kind::kRefused:
      clean_answers_ = 0;
      return {false, "nothing listens yet"};
    default:
      clean_answers_ = 0;
      return {false, result.reason};
  }
}

host::SocketFinding Readiness::find_owner() const {
  host::SocketFinding best;
  for (const auto& address : spec_.target->addresses) {
    const auto found = host::who_listens(context_.processes, keeper_, address, baseline_);
    if (!found || found->owner == host::SocketOwner::kNobody) continue;
    if (found->owner == host::SocketOwner::kOwn) return *found;
    if (best.owner != host::SocketOwner::kAppearedUnreadable) best = *found;
  }
  return best;
}

/// A healthy answer counts only when it is this server's own: with SO_REUSEPORT, or a port that is taken, a neighbour
/// answers (vllm binds with SO_REUSEPORT before it listens).
Readiness::Answer Readiness::who_answers(core::MonoTime now) {
  const auto found = find_owner();
  const auto where = spec_.target->describe();
  const bool own = found.owner == host::SocketOwner::kOwn;
  if (!own && found.owner != host::SocketOwner::kAppearedUnreadable) {
    const std::string text = where + " is answered by somebody else's server";
    if (told_ != text) context_.report.say(told_ = text);
    return {false, text};
  }
  if (!own && told_.empty()) {
    told_ = "cannot see whose socket answers at " + where +
            " (another user's process?); it appeared after the start, which has to do";
    context_.report.say(told_);
  }
  if (own && found.others > 0 && ++clean_answers_ < kCleanAnswers) {
    next_ask_ = now;
    return {false, "several servers listen at " + where};
  }
  return after_ready(own ? "on its own socket" : "on a socket that is probably its own", now);
}

Readiness::Answer Readiness::after_ready(std::string text, core::MonoTime now) {
  if (!spec_.preload) return {true, std::move(text)};
  preloading_ = true;
  asking_ = true;
  context_.report.detail("loading the model (--preload)");
  probe_.start(*spec_.preload, now, kPreloadTimeout);
  return {false, "loading the model"};
}

void Readiness::add_pollfds(std::vector<pollfd>& fds) const {
  if (tap_) tap_->add_pollfds(fds);
  if (listener_) fds.push_back({listener_->fd(), POLLIN, 0});
  if (stopped_) return;
  if (asking_ && probe_.fd() >= 0) fds.push_back({probe_.fd(), probe_.events(), 0});
}

core::MonoTime Readiness::next_step(core::MonoTime now) const {
  const auto never = now + std::chrono::hours(24);
  if (stopped_) return never;
  if (spec_.kind == ReadySpec::Kind::kCommand) return command_ > 0 ? command_deadline_ : next_ask_;
  if (spec_.kind != ReadySpec::Kind::kSocket) return never;
  if (!asking_) return next_ask_;
  return probe_.deadline().value_or(now);
}

void Readiness::pass_on() {
  if (tap_) tap_->pump();
  if (!stopped_ || !listener_) return;
  for (;;) {
    const auto message = listener_->receive();
    if (!message || !*message) return;
    if (is_from_our_server(**message)) context_.notify.pass_on((*message)->text);
  }
}

void Readiness::stop() {
  stopped_ = true;
  asking_ = false;
  probe_.cancel();
  kill_command();
}

/// With whatever it started; it has a process group of its own.
void Readiness::kill_command() const {
  if (command_ <= 0) return;
  ::kill(-command_, SIGKILL);
  ::kill(command_, SIGKILL);  // between fork and setpgid there is no such group yet
}

}  // namespace antifreeze::run
