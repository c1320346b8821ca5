#include "fakevllm/meminfo.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "core/fd.h"

namespace antifreeze::fakevllm {
namespace {

void add_line(std::string& out, std::string_view name, std::uint64_t bytes) {
  std::string number = std::to_string(bytes / 1024);
  out += name;
  out += ':';
  const std::size_t width = 24;  // the column of the kernel's own file
  const std::size_t length = name.size() + 1 + number.size();
  out.append(length < width ? width - length : 1, ' ');
  out += number + " kB\n";
}

}  // namespace

std::string meminfo_text(const LedgerImage& image) {
  const std::uint64_t total = image.header.total;
  const std::uint64_t device = image.header.unified != 0 ? std::min(image.used(), total) : 0;
  const std::uint64_t available = total - device;
  const std::uint64_t cached = std::min(image.header.page_cache, available);
  std::string out;
  add_line(out, "MemTotal", total);
  add_line(out, "MemFree", available - cached);
  add_line(out, "MemAvailable", available);
  add_line(out, "Buffers", 0);
  add_line(out, "Cached", cached);
  add_line(out, "SwapTotal", 0);
  add_line(out, "SwapFree", 0);
  return out;
}

core::Status write_meminfo(const std::string& dir, const LedgerImage& image) {
  const std::string path = dir + "/meminfo";
  // Only the holder of the ledger's lock writes, so one name for the fresh file is enough.
  const std::string fresh = dir + "/.meminfo.new";
  const core::Fd fd(open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!fd.valid()) return core::errno_error("opening " + fresh, errno);
  (void)fchmod(fd.get(), 0666);
  const std::string text = meminfo_text(image);
  if (write(fd.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return core::errno_error("writing " + fresh, errno);
  }
  if (rename(fresh.c_str(), path.c_str()) != 0) return core::errno_error("renaming " + fresh, errno);
  return {};
}

}  // namespace antifreeze::fakevllm
