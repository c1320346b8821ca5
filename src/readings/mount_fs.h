// What kind of file system a directory is on, from statfs: locks are only as good as it.
#pragma once

#include <cstdint>
#include <string_view>

namespace antifreeze::readings {

/// Whether open-file-description locks on a file system mean what we need: seen by every process of this kernel at
/// once, never lost, never blocking on a network.
enum class LockFitness {
  kFit,      ///< a local file system
  kUnfit,    ///< network, cluster or user-space: locks may be ignored, emulated or hang
  kUnknown,  ///< not in our table
};

struct FileSystemKind {
  std::string_view name;  ///< as in /proc/mounts; "unknown" when not in the table
  LockFitness locks = LockFitness::kUnknown;
};

/// Looks up statfs's f_type (only its low 32 bits count: some C libraries sign-extend it). tmpfs and ramfs share
/// nothing with other mounts, and a container's overlayfs is private to it: fitness says nothing about who sees the
/// directory.
FileSystemKind file_system_kind(std::uint64_t statfs_type);

/// f_type of tmpfs.
inline constexpr std::uint64_t kTmpfsMagic = 0x01021994;

}  // namespace antifreeze::readings
