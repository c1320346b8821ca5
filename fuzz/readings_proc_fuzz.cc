// Every reader of a per-process or per-host text on the same bytes: none may crash, and what they accept must hold
// together.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "readings/environ.h"
#include "readings/fd_link.h"
#include "readings/file_locks.h"
#include "readings/meminfo.h"
#include "readings/mount_fs.h"
#include "readings/nvidia_gpus.h"
#include "readings/proc_stat.h"
#include "readings/timens.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace antifreeze::readings;
  const std::string_view text(reinterpret_cast<const char*>(data), size);

  const MemInfo memory = parse_meminfo(text);
  require(!memory.total || *memory.total % 1024 == 0);
  if (const auto stat = parse_proc_stat(text)) {
    require(stat->pid > 0);
    require(text.find(stat->comm) != std::string_view::npos);
  }
  parse_proc_io(text);
  parse_timens_offsets(text);

  const NvidiaGpu gpu = parse_nvidia_information(text);
  require(!gpu.uuid || is_gpu_uuid(*gpu.uuid));
  require(!gpu.bdf || parse_bdf(format_bdf(*gpu.bdf)) == gpu.bdf);
  if (const auto bdf = parse_bdf(text)) require(parse_bdf(format_bdf(*bdf)) == bdf);

  require(parse_fdinfo_locks(text).size() <= size / 5);
  for (const FileLock& lock : parse_proc_locks(text)) require(!lock.type.empty());
  socket_inode(text);
  file_system_kind(size);

  std::size_t bytes = 0;
  for (const auto piece : split_nul(text)) bytes += piece.size() + 1;
  require(bytes == size || bytes == size + 1);
  const auto args = split_cmdline(text);
  require(args.empty() || !args.back().empty());
  if (const auto value = find_in_environ(text, "A")) require(value->find('\0') == std::string_view::npos);
  return 0;
}
