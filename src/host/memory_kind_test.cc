#include "host/memory_kind.h"

#include <gtest/gtest.h>

#include "host/fake/temp_dir.h"
#include "host/nvidia_proc.h"

namespace antifreeze::host {
namespace {

class Machine : public ::testing::Test {
 protected:
  void nvidia(const std::string& bdf, const std::string& model, const std::string& uuid = "") {
    root_.write("proc/driver/nvidia/gpus/" + bdf + "/information",
                "Model: \t\t " + model + "\nGPU UUID: \t " + uuid + "\nBus Location: \t " + bdf + "\n");
  }
  void amd(const std::string& card, const std::string& device) {
    root_.write("sys/class/drm/" + card + "/device/vendor", "0x1002\n");
    root_.write("sys/class/drm/" + card + "/device/device", device + "\n");
    root_.write("sys/class/drm/" + card + "-HDMI-A-1/status", "connected\n");
    root_.write("dev/dri/renderD128", "");
    root_.write("dev/kfd", "");
  }
  void expect(MemoryKind kind, const std::string& reason) {
    const auto finding = detect_memory_kind(root_.path());
    EXPECT_EQ(to_string(finding.kind), to_string(kind));
    EXPECT_EQ(finding.reason, reason);
  }
  fake::TempDir root_;
};

TEST_F(Machine, DgxSparkIsToldByItsProductNameEvenWithoutDevices) {
  root_.write("sys/class/dmi/id/product_name", "NVIDIA_DGX_Spark\n");
  expect(MemoryKind::kUnified, "DMI product NVIDIA_DGX_Spark");
}

TEST_F(Machine, Gb10OfAnotherMakerIsToldByItsGpu) {
  root_.write("sys/class/dmi/id/product_name", "GX10\n");
  nvidia("000f:01:00.0", "NVIDIA GB10");
  expect(MemoryKind::kUnified, "GPU NVIDIA GB10");
}

TEST_F(Machine, JetsonIsToldByTheDeviceTreeWithItsNulByte) {
  root_.write("proc/device-tree/model", std::string("NVIDIA Jetson AGX Orin Developer Kit\0", 37));
  expect(MemoryKind::kUnified, "device tree model NVIDIA Jetson AGX Orin Developer Kit");
}

TEST_F(Machine, JetsonInAContainerIsToldByItsSoc) {
  root_.write("sys/devices/soc0/family", "Tegra\n");
  expect(MemoryKind::kUnified, "SoC family Tegra");
}

TEST_F(Machine, CardsWithTheirOwnMemoryAreDiscrete) {
  nvidia("0000:01:00.0", "NVIDIA GeForce RTX 4090");
  expect(MemoryKind::kDiscrete, "GPU NVIDIA GeForce RTX 4090");
}

TEST_F(Machine, SimilarNamesAreNotTakenForUnifiedOnes) {
  root_.write("sys/class/dmi/id/product_name", "Thornton GB1000 Author Edition\n");
  nvidia("0000:01:00.0", "NVIDIA GB100");
  expect(MemoryKind::kDiscrete, "GPU NVIDIA GB100");
}

TEST_F(Machine, OneDiscreteCardAmongOthersDecides) {
  nvidia("0000:01:00.0", "NVIDIA GB10");
  nvidia("0000:02:00.0", "NVIDIA RTX PRO 6000");
  expect(MemoryKind::kDiscrete, "GPU NVIDIA RTX PRO 6000");
}

TEST_F(Machine, StrixHaloIsUnified) {
  amd("card1", "0x1586");
  expect(MemoryKind::kUnified, "AMD processor graphics");
}

TEST_F(Machine, StrixHaloWithACardIsDiscrete) {
  amd("card1", "0x1586");
  amd("card2", "0x744c");
  expect(MemoryKind::kDiscrete, "/dev/kfd");
}

TEST_F(Machine, AmdGraphicsBesideAnNvidiaCardIsDiscrete) {
  amd("card0", "0x1586");
  root_.write("dev/nvidia0", "");
  std::filesystem::remove(root_.path("dev/kfd"));
  expect(MemoryKind::kDiscrete, "/dev/nvidia0");
}

TEST_F(Machine, NoGpuAtAllIsHostMemory) {
  root_.write("dev/null", "");
  root_.write("dev/nvidiactl", "");
  root_.write("dev/dri/card0", "");
  expect(MemoryKind::kHostOnly, "no GPU device is visible");
}

TEST_F(Machine, AHostileProductNameCannotForgeALogLine) {
  root_.write("sys/class/dmi/id/product_name", "DGX Spark \x1b[31m\rnew line\n");
  expect(MemoryKind::kUnified, "DMI product DGX Spark ?[31m?new line");
}

TEST_F(Machine, DriverWithoutCardsAndAnEmptyRootAreNoCrash) {
  expect(MemoryKind::kHostOnly, "no GPU device is visible");
  root_.make_dir("proc/driver/nvidia/gpus");
  expect(MemoryKind::kDiscrete, "NVIDIA driver without GPUs");
}

TEST_F(Machine, GpusAreListedInTheOrderOfTheirAddresses) {
  nvidia("0000:c1:00.0", "B", "GPU-00000000-0000-0000-0000-000000000002");
  nvidia("0000:01:00.0", "A", "GPU-00000000-0000-0000-0000-000000000001");
  root_.make_dir("proc/driver/nvidia/gpus/0000:e1:00.0");
  root_.make_dir("proc/driver/nvidia/gpus/not-an-address");
  const auto gpus = list_nvidia_gpus(root_.path());
  ASSERT_TRUE(gpus);
  ASSERT_EQ(gpus->size(), 3u);
  EXPECT_EQ((*gpus)[0].uuid, "GPU-00000000-0000-0000-0000-000000000001");
  EXPECT_EQ((*gpus)[1].uuid, "GPU-00000000-0000-0000-0000-000000000002");
  EXPECT_FALSE((*gpus)[2].uuid);
  EXPECT_EQ((*gpus)[2].bdf, readings::parse_bdf("0000:e1:00.0"));
}

TEST_F(Machine, NoDriverIsNotTheSameAsNoGpus) {
  EXPECT_EQ(list_nvidia_gpus(root_.path()).error().code(), core::ErrorCode::kNotFound);
}

}  // namespace
}  // namespace antifreeze::host
