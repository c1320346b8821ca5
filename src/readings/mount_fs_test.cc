#include "readings/mount_fs.h"

#include <gtest/gtest.h>
#include <linux/magic.h>

namespace antifreeze::readings {
namespace {

TEST(MountFs, LocalFileSystemsAreFit) {
  const struct {
    std::uint64_t magic;
    std::string_view name;
  } cases[] = {{TMPFS_MAGIC, "tmpfs"},       {EXT4_SUPER_MAGIC, "ext4"},         {XFS_SUPER_MAGIC, "xfs"},
               {BTRFS_SUPER_MAGIC, "btrfs"}, {OVERLAYFS_SUPER_MAGIC, "overlay"}, {F2FS_SUPER_MAGIC, "f2fs"},
               {0x2FC12FC1, "zfs"}};
  for (const auto& c : cases) {
    const auto kind = file_system_kind(c.magic);
    EXPECT_EQ(kind.name, c.name);
    EXPECT_EQ(kind.locks, LockFitness::kFit) << c.name;
  }
}

TEST(MountFs, NetworkAndUserSpaceOnesAreNot) {
  for (const std::uint64_t magic : std::initializer_list<std::uint64_t>{
           NFS_SUPER_MAGIC, CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC, SMB_SUPER_MAGIC, FUSE_SUPER_MAGIC, V9FS_MAGIC,
           CEPH_SUPER_MAGIC, AFS_SUPER_MAGIC, AFS_FS_MAGIC, OCFS2_SUPER_MAGIC, CODA_SUPER_MAGIC, 0x01161970}) {
    EXPECT_EQ(file_system_kind(magic).locks, LockFitness::kUnfit) << std::hex << magic;
    EXPECT_NE(file_system_kind(magic).name, "unknown") << std::hex << magic;
  }
}

TEST(MountFs, OthersAreUnknownAndNotFit) {
  EXPECT_EQ(file_system_kind(0).locks, LockFitness::kUnknown);
  EXPECT_EQ(file_system_kind(0x12345678).name, "unknown");
}

TEST(MountFs, ASignExtendedNumberIsTheSameFileSystem) {
  EXPECT_EQ(file_system_kind(0xFFFFFFFFFF534D42ULL).name, "cifs");
  EXPECT_EQ(file_system_kind(0xFFFFFFFF9123683EULL).name, "btrfs");
}

TEST(MountFs, TheTmpfsNumberIsTheKernels) { EXPECT_EQ(kTmpfsMagic, static_cast<std::uint64_t>(TMPFS_MAGIC)); }

}  // namespace
}  // namespace antifreeze::readings
