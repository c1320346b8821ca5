#include "readings/nvidia_gpus.h"

#include <gtest/gtest.h>

namespace antifreeze::readings {
namespace {

TEST(NvidiaGpus, ReadsAnInformationFile) {
  const auto gpu = parse_nvidia_information(
      "Model: \t\t NVIDIA GB10\n"
      "IRQ:   \t\t 77\n"
      "GPU UUID: \t GPU-eaf23aa1-4d3d-596c-da66-b86b0e5db584\n"
      "Video BIOS: \t 94.02.26.40.81\n"
      "Bus Type: \t PCI\n"
      "Bus Location: \t 000f:01:00.0\n"
      "Device Minor: \t 3\n"
      "GPU Firmware: \t 590.48.01\n"
      "GPU Excluded:\t No\n");
  EXPECT_EQ(gpu.model, "NVIDIA GB10");
  EXPECT_EQ(gpu.uuid, "GPU-eaf23aa1-4d3d-596c-da66-b86b0e5db584");
  EXPECT_EQ(gpu.bdf, (Bdf{0xF, 1, 0, 0}));
  EXPECT_EQ(gpu.minor, 3U);
  EXPECT_EQ(gpu.excluded, false);
}

TEST(NvidiaGpus, AnUninitialisedGpuHasNoUuid) {
  const auto gpu = parse_nvidia_information(
      "Model: \t\t Unknown\nGPU UUID: \t GPU-\?\?\?\?\?\?\?\?-\?\?\?\?-\?\?\?\?-\?\?\?\?-\?\?\?\?\?\?\?\?\?\?\?\?\n"
      "Bus Location: \t 0000:01:00.0\nBlacklisted:\t Yes\n");
  EXPECT_FALSE(gpu.uuid.has_value());
  EXPECT_EQ(gpu.bdf, (Bdf{0, 1, 0, 0}));
  EXPECT_EQ(gpu.excluded, true);
}

TEST(NvidiaGpus, WhatIsMissingIsAbsent) {
  const auto gpu =
      parse_nvidia_information("Model:\nDevice Minor: x\nnonsense\nBus Location: here\nGPU Excluded: maybe\n");
  EXPECT_FALSE(gpu.model.has_value());
  EXPECT_FALSE(gpu.uuid.has_value());
  EXPECT_FALSE(gpu.bdf.has_value());
  EXPECT_FALSE(gpu.minor.has_value());
  EXPECT_FALSE(gpu.excluded.has_value());
  EXPECT_FALSE(parse_nvidia_information("Device Minor: 4294967296\n").minor.has_value());
}

TEST(Bdf, ReadsTheSpellingsOfKernelAndNvidiaSmi) {
  EXPECT_EQ(parse_bdf("0000000F:01:00.0"), (Bdf{0xF, 1, 0, 0}));
  EXPECT_EQ(parse_bdf("000f:01:00.0"), (Bdf{0xF, 1, 0, 0}));
  EXPECT_EQ(parse_bdf("10000:e1:1f.7"), (Bdf{0x10000, 0xe1, 0x1f, 7}));
}

TEST(Bdf, FormatsAsTheKernelDoes) {
  EXPECT_EQ(format_bdf({0xF, 1, 0, 0}), "000f:01:00.0");
  EXPECT_EQ(format_bdf({0, 0xAF, 0x1f, 7}), "0000:af:1f.7");
  EXPECT_EQ(parse_bdf(format_bdf({0x10000, 1, 2, 3})), (Bdf{0x10000, 1, 2, 3}));
}

TEST(Bdf, RefusesEverythingElse) {
  for (const char* text : {"", "01:00.0", "0000:01:00", "0000:01:00.8", "0000:01:20.0", "0000:1:00.0", "0000:01:0.0",
                           "0000:01:00.00", "000g:01:00.0", "000000000:01:00.0", "0000:01:00.0:1", " 0000:01:00.0"}) {
    EXPECT_FALSE(parse_bdf(text).has_value()) << text;
  }
}

TEST(GpuUuid, MustHaveTheWholeForm) {
  EXPECT_TRUE(is_gpu_uuid("GPU-EAF23AA1-4d3d-596c-da66-b86b0e5db584"));
  EXPECT_FALSE(is_gpu_uuid("GPU-eaf23aa1"));
  EXPECT_FALSE(is_gpu_uuid("MIG-eaf23aa1-4d3d-596c-da66-b86b0e5db584"));
  EXPECT_FALSE(is_gpu_uuid("GPU-eaf23aa1-4d3d-596c-da66-b86b0e5db58/"));
}

}  // namespace
}  // namespace antifreeze::readings
