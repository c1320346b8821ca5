// How much memory there is, as far as this process can see.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/fd.h"
#include "core/result.h"

namespace antifreeze::host {

/// What the host's memory says about GPU memory.
enum class MemoryKind {
  kUnified,   ///< GPU and CPU share it: every GPU allocation shows in /proc/meminfo
  kHostOnly,  ///< no GPU is visible here: host memory is all that can be used
  kDiscrete,  ///< the GPU has memory of its own, which /proc/meminfo does not show
};

/// "unified memory", "host memory", "GPU with its own memory".
std::string_view to_string(MemoryKind kind);

/// The kernel's own file.
inline constexpr std::string_view kKernelMeminfo = "/proc/meminfo";

/// One reading, in bytes. Absent: the machine does not say.
struct MemoryReading {
  std::optional<std::uint64_t> total;
  std::optional<std::uint64_t> free;
  std::optional<std::uint64_t> available;  ///< counts page cache, which a GPU driver often cannot get in time

  friend bool operator==(const MemoryReading&, const MemoryReading&) = default;
};

class MemorySource {
 public:
  virtual ~MemorySource() = default;
  /// Errors: the file is gone or says neither free nor available memory.
  [[nodiscard]] virtual core::Result<MemoryReading> read() const = 0;
  [[nodiscard]] virtual MemoryKind kind() const = 0;
};

/// From a file in the format of /proc/meminfo.
class MeminfoSource final : public MemorySource {
 public:
  /// The kernel's file is opened once and read again and again; readings less than 5 ms apart share one, which the
  /// kernel takes 50 µs to make. Any other file (a simulation's, a host agent's) may be replaced by rename, so it is
  /// opened for each reading.
  static core::Result<std::unique_ptr<MeminfoSource>> open(const std::string& path, MemoryKind kind);

  [[nodiscard]] core::Result<MemoryReading> read() const override;
  [[nodiscard]] MemoryKind kind() const override { return kind_; }

 private:
  MeminfoSource(std::string path, core::Fd kept, MemoryKind kind)
      : path_(std::move(path)), kept_(std::move(kept)), kind_(kind) {}

  std::string path_;
  core::Fd kept_;  ///< empty: opened for each reading
  MemoryKind kind_;
  mutable std::optional<MemoryReading> last_;  ///< of the kernel's file
  mutable std::chrono::steady_clock::time_point last_at_;
};

}  // namespace antifreeze::host
