// What the shared ledger file holds: the device's numbers and one record for each process that owns memory on it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace antifreeze::fakevllm {

/// First 256 bytes of gpuN.ledger. Plain bytes, so that processes of several images and architectures can share it.
struct LedgerHeader {
  std::array<char, 8> magic{'F', 'A', 'K', 'E', 'G', 'P', 'U', '1'};
  std::uint64_t total = 0;
  std::uint64_t host_floor = 0;     ///< below this much free the driver complains (unified memory only)
  std::uint64_t page_cache = 0;     ///< file pages; leave MemFree, not MemAvailable
  std::int64_t release_lag_ns = 0;  ///< how long the memory of a dead process stays booked
  std::uint64_t seq = 0;            ///< counts changes
  std::uint64_t next_life = 1;      ///< next byte of gpuN.live to lock; never used twice
  std::uint64_t records = 0;
  std::uint32_t unified = 1;
  std::uint32_t wedged = 0;  ///< whoever touches the device now blocks for ever
  std::uint32_t wedge_on_floor = 0;
  std::uint32_t count_cache = 0;  ///< 1: mem_get_info says MemFree, 0: MemAvailable
  std::array<char, 64> uuid{};
  std::array<char, 112> reserved{};
};
static_assert(sizeof(LedgerHeader) == 256);

/// Memory of one process. Its owner holds a lock on byte `life` of gpuN.live; no lock means dead.
struct LedgerRecord {
  std::uint64_t life = 0;
  std::uint64_t start_time = 0;  ///< field 22 of /proc/PID/stat, for people
  std::uint64_t pid_namespace = 0;
  std::uint64_t torch = 0;
  std::uint64_t non_torch = 0;
  std::int64_t died_boot_ns = 0;
  std::int32_t pid = 0;     ///< in its own PID namespace
  std::uint32_t dying = 0;  ///< 1: dead since died_boot_ns, bytes still booked
  std::array<char, 48> service{};
  std::array<char, 24> tag{};
};
static_assert(sizeof(LedgerRecord) == 128);

/// A ledger in memory, with the arithmetic on it.
struct LedgerImage {
  LedgerHeader header;
  std::vector<LedgerRecord> records;

  /// Bytes of all records, dying ones too.
  [[nodiscard]] std::uint64_t used() const;
  /// What mem_get_info calls free: never below 0. `count_cache` true takes the page cache for used (MemFree).
  [[nodiscard]] std::uint64_t free_bytes(bool count_cache) const;
  /// The record with that life, or nullptr.
  [[nodiscard]] LedgerRecord* find(std::uint64_t life);
  /// Gives page cache back until the device memory fits, as the kernel does on unified memory.
  void reclaim_cache();
  /// Books file pages that a load reads; never more than is free.
  void add_cache(std::uint64_t bytes);
};

/// Copies `text` into a fixed field, cut and always NUL-terminated.
void set_field(char* field, std::size_t size, std::string_view text);

template <std::size_t N>
void set_field(std::array<char, N>& field, std::string_view text) {
  set_field(field.data(), N, text);
}

}  // namespace antifreeze::fakevllm
