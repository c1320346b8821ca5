#include "fakevllm/traps.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>

#include "core/fd.h"
#include "core/text.h"
#include "fakevllm/failure.h"
#include "fakevllm/process.h"

namespace antifreeze::fakevllm {
namespace {

/// Adds one to the number in `path` and returns what it was before; -1 when that is impossible.
std::int64_t count_up(const std::string& path) {
  const core::Fd fd(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!fd.valid() || core::retry_eintr([&] { return flock(fd.get(), LOCK_EX); }) != 0) return -1;
  std::array<char, 32> buffer{};
  const ssize_t size = pread(fd.get(), buffer.data(), buffer.size(), 0);
  const std::int64_t before =
      size > 0 ? core::parse_int(core::trim({buffer.data(), static_cast<std::size_t>(size)})).value_or(0) : 0;
  const std::string text = std::to_string(before + 1) + "\n";
  if (pwrite(fd.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) return -1;
  return before;
}

}  // namespace

bool Traps::takes(const Trap& trap, const char* kind) const {
  if (trap.times < 0) return true;
  std::string path = config_->state_dir + "/" + kind + "-" + std::to_string(trap.phase) + "-" + config_->service;
  for (std::size_t i = config_->state_dir.size() + 1; i < path.size(); ++i) {
    if (path[i] == '/') path[i] = '_';
  }
  const auto before = count_up(path);
  return before >= 0 && before < trap.times;
}

void Traps::enter(int phase) {
  for (const auto& trap : config_->crashes) {
    if (trap.phase != phase || trap.in_parent != in_parent_ || !takes(trap, "crash")) continue;
    planned_ = trap;
    crash_at_ = config_->clock.now_ns() + config_->clock.scaled(trap.after_ns);
  }
  for (const auto& trap : config_->hangs) {
    if (trap.phase == phase && (phase <= kBind) == in_parent_ && takes(trap, "hang")) hangs_ = true;
  }
}

void Traps::crash() const {
  if (planned_.by_signal) die_by_signal(planned_.code);
  say_error("Traceback (most recent call last):");
  say_error("RuntimeError: crashed in phase " + std::string(phase_name(planned_.phase)) + " as asked for");
  _exit(planned_.code);
}

}  // namespace antifreeze::fakevllm
