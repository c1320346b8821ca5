#include "fakevllm/clock.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "core/fd.h"
#include "core/text.h"
#include "fakevllm/journal.h"

namespace antifreeze::fakevllm {

std::int64_t Clock::now_ns() const {
  if (file_.empty()) return mono_now_ns();
  const core::Fd fd(open(file_.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 32> buffer{};
  const ssize_t size = fd.valid() ? read(fd.get(), buffer.data(), buffer.size()) : 0;
  if (size <= 0) return 0;
  return core::parse_int(core::trim({buffer.data(), static_cast<std::size_t>(size)})).value_or(0);
}

int Clock::poll_timeout(std::int64_t deadline_ns) const {
  if (deadline_ns == kNever) return -1;
  const std::int64_t left = deadline_ns - now_ns();
  if (left <= 0) return 0;
  if (!file_.empty()) return 2;
  return static_cast<int>(std::min<std::int64_t>((left + kMillisecond - 1) / kMillisecond, 60'000));
}

}  // namespace antifreeze::fakevllm
