#include "fakevllm/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "core/fd.h"
#include "fakevllm/process.h"

namespace antifreeze::fakevllm {
namespace {

std::int64_t now_ns(clockid_t clock) {
  std::timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

std::int64_t boot_now_ns() { return now_ns(CLOCK_BOOTTIME); }
std::int64_t mono_now_ns() { return now_ns(CLOCK_MONOTONIC); }

JournalLine journal_line(const JournalIdentity& who, std::string_view phase) {
  JournalLine line;
  line.json.add("mono_ns", mono_now_ns())
      .add("boot_ns", boot_now_ns())
      .add("pid", static_cast<std::int64_t>(getpid()))
      .add("pidns", pid_namespace())
      .add("svc", who.service)
      .add("role", who.role)
      .add("phase", phase);
  return line;
}

void Journal::append(const JournalLine& line) const {
  const std::string path = dir_ + "/journal.jsonl";
  const core::Fd fd(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666));
  const std::string text = line.json.str() + "\n";
  if (!fd.valid() || write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    say_error("fakevllm: journal line lost: " + path + ": " + strerrordesc_np(errno));
  }
}

}  // namespace antifreeze::fakevllm
