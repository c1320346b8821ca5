// /proc/meminfo as numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace antifreeze::readings {

/// One reading of /proc/meminfo, all sizes in bytes. A field that the kernel does not print (or prints torn) is absent,
/// never 0: what "free" means is decided by whoever combines the fields.
struct MemInfo {
  std::optional<std::uint64_t> total;
  std::optional<std::uint64_t> free;
  std::optional<std::uint64_t> available;  ///< counts page cache as available, which the GPU driver often cannot get
  std::optional<std::uint64_t> buffers;
  std::optional<std::uint64_t> cached;
  std::optional<std::uint64_t> active_file;
  std::optional<std::uint64_t> inactive_file;
  std::optional<std::uint64_t> unevictable;
  std::optional<std::uint64_t> shmem;
  std::optional<std::uint64_t> slab_reclaimable;
  std::optional<std::uint64_t> swap_total;
  std::optional<std::uint64_t> swap_free;
  std::optional<std::uint64_t> hugepages_total;  ///< pages, not bytes
  std::optional<std::uint64_t> hugepages_free;   ///< pages, not bytes
  std::optional<std::uint64_t> hugepage_size;    ///< bytes a page
};

/// Reads the text of /proc/meminfo. Unknown lines are skipped (kernels add some), a line with anything unexpected in it
/// leaves its field absent, of two lines with one name the first counts.
MemInfo parse_meminfo(std::string_view text);

}  // namespace antifreeze::readings
