#include "readings/mount_fs.h"

#include <array>

namespace antifreeze::readings {
namespace {

struct Row {
  std::uint32_t magic;
  FileSystemKind kind;
};

// Numbers from <linux/magic.h> and man 2 statfs; gfs2, lustre, gpfs, beegfs, panfs, bcachefs, zfs, vmhgfs and vboxsf
// from their own sources, since the kernel's header does not list them. virtiofs reports FUSE's number.
constexpr std::array<Row, 31> kRows{{
    {0x01021994, {"tmpfs", LockFitness::kFit}},    {0x858458F6, {"ramfs", LockFitness::kFit}},
    {0x0000EF53, {"ext4", LockFitness::kFit}},     {0x58465342, {"xfs", LockFitness::kFit}},
    {0x9123683E, {"btrfs", LockFitness::kFit}},    {0x794C7630, {"overlay", LockFitness::kFit}},
    {0xF2F52010, {"f2fs", LockFitness::kFit}},     {0x2FC12FC1, {"zfs", LockFitness::kFit}},
    {0xCA451A4E, {"bcachefs", LockFitness::kFit}}, {0x00006969, {"nfs", LockFitness::kUnfit}},
    {0xFF534D42, {"cifs", LockFitness::kUnfit}},   {0xFE534D42, {"smb2", LockFitness::kUnfit}},
    {0x0000517B, {"smb", LockFitness::kUnfit}},    {0x65735546, {"fuse", LockFitness::kUnfit}},
    {0x01021997, {"9p", LockFitness::kUnfit}},     {0x00C36400, {"ceph", LockFitness::kUnfit}},
    {0x5346414F, {"afs", LockFitness::kUnfit}},    {0x6B414653, {"afs", LockFitness::kUnfit}},
    {0x73757245, {"coda", LockFitness::kUnfit}},   {0x0000564C, {"ncp", LockFitness::kUnfit}},
    {0x01161970, {"gfs2", LockFitness::kUnfit}},   {0x7461636F, {"ocfs2", LockFitness::kUnfit}},
    {0x0BD00BD0, {"lustre", LockFitness::kUnfit}}, {0x47504653, {"gpfs", LockFitness::kUnfit}},
    {0x19830326, {"beegfs", LockFitness::kUnfit}}, {0xAAD7AAEA, {"panfs", LockFitness::kUnfit}},
    {0xBACBACBC, {"vmhgfs", LockFitness::kUnfit}}, {0x786F4256, {"vboxsf", LockFitness::kUnfit}},
    {0x00C0FFEE, {"hostfs", LockFitness::kUnfit}}, {0x00009FA0, {"proc", LockFitness::kUnfit}},
    {0x62656572, {"sysfs", LockFitness::kUnfit}},
}};

}  // namespace

FileSystemKind file_system_kind(std::uint64_t statfs_type) {
  const auto magic = static_cast<std::uint32_t>(statfs_type);
  for (const Row& row : kRows) {
    if (row.magic == magic) return row.kind;
  }
  return {"unknown", LockFitness::kUnknown};
}

}  // namespace antifreeze::readings
