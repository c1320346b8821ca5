#include "run/domain.h"

#include <gtest/gtest.h>

namespace antifreeze::run {
namespace {

const std::string kA = "GPU-aaaaaaaa-0000-0000-0000-000000000000";
const std::string kB = "GPU-bbbbbbbb-0000-0000-0000-000000000000";
const std::string kC = "GPU-cccccccc-0000-0000-0000-000000000000";
using Names = std::vector<std::string>;

readings::NvidiaGpu gpu(const std::string& uuid, const std::string& model = "H200") {
  readings::NvidiaGpu out;
  out.uuid = uuid;
  out.model = model;
  return out;
}

DomainInput three() {
  DomainInput input;
  input.asked = "gpu";
  input.gpus = {gpu(kA), gpu(kB), gpu(kC)};
  return input;
}
DomainInput with_cuda(std::string visible) {
  auto input = three();
  input.cuda_visible = std::move(visible);
  input.cuda_visible_set = true;
  return input;
}
Names names(const DomainInput& input) { return resolve_domains(input)->names; }

TEST(Domain, TheHostIsTheDefault) {
  DomainInput input;
  input.asked = "host";
  EXPECT_EQ(names(input), Names{"host"});
}

TEST(Domain, AllGpusWhenNothingNarrowsThem) { EXPECT_EQ(names(three()), (Names{kA, kB, kC})); }

TEST(Domain, DifferentSpellingsOfOneSetAreOneSet) {
  // vllm-omni 4653: "0,1", "1,0" and UUIDs mean the same cards.
  EXPECT_EQ(names(with_cuda("0,1")), names(with_cuda("1,0")));
  EXPECT_EQ(names(with_cuda("0,1")), names(with_cuda(kB + "," + kA)));
  EXPECT_EQ(names(with_cuda("0,0")), Names{kA});
  EXPECT_EQ(names(with_cuda("gpu-AAAAAAAA-0000-0000-0000-000000000000")), Names{kA});
  EXPECT_EQ(names(with_cuda("GPU-bbbb")), Names{kB});
}

TEST(Domain, AnOldMigSliceCountsAsItsGpu) { EXPECT_EQ(names(with_cuda("MIG-" + kC + "/1/0")), Names{kC}); }

TEST(Domain, ANewMigNameCannotBeResolvedAndTakesAllThatIsVisible) {
  EXPECT_EQ(names(with_cuda("MIG-12345678-0000-0000-0000-000000000000")), (Names{kA, kB, kC}));
}

TEST(Domain, IndicesOfUnlikeCardsTakeAllUnlessTheOrderIsKnown) {
  auto input = with_cuda("1");
  input.gpus[1] = gpu(kB, "L4");
  EXPECT_EQ(names(input), (Names{kA, kB, kC}));
  input.pci_order = true;
  EXPECT_EQ(names(input), Names{kB});
}

TEST(Domain, CudaCountsInsideWhatTheContainerWasGiven) {
  auto input = with_cuda("0");
  input.nvidia_visible = kC + "," + kB;
  // All cards alike: CUDA numbers them in the order given… which only the listing tells; it is one of the two.
  const auto resolved = names(input);
  EXPECT_EQ(resolved.size(), 1U);
  EXPECT_NE(resolved, Names{kA});
}

TEST(Domain, ToolkitIndicesWithAHiddenOrACompleteListing) {
  auto complete = three();
  complete.nvidia_visible = "2";
  EXPECT_EQ(names(complete), Names{kC});
  auto hidden = three();
  hidden.nvidia_visible = "2";
  hidden.gpus = {gpu(kC)};
  EXPECT_EQ(names(hidden), Names{kC});
}

TEST(Domain, UuidsWorkWithoutTheDriversListing) {
  DomainInput input;
  input.asked = "gpu";
  input.nvidia_visible = kA;
  EXPECT_EQ(names(input), Names{kA});
}

TEST(Domain, WhatCannotBeToldIsTheWholeHostAndSaysSo) {
  DomainInput unknown;
  unknown.asked = "gpu";
  for (const std::string visible : {"", "none", "void", "7", "all", "nonsense"}) {
    unknown.nvidia_visible = visible;
    const auto resolved = resolve_domains(unknown);
    ASSERT_TRUE(resolved);
    EXPECT_EQ(resolved->names, Names{"host"}) << visible;
    EXPECT_FALSE(resolved->note.empty()) << visible;
  }
}

TEST(Domain, UnifiedMemoryIsOnePool) {
  auto input = three();
  input.memory = host::MemoryKind::kUnified;
  EXPECT_EQ(names(input), Names{"host"});
}

TEST(Domain, ExplicitGpus) {
  auto input = three();
  const std::string asked = "gpu:" + kB + ",0";
  input.asked = asked;
  EXPECT_EQ(names(input), (Names{kA, kB}));
  input.asked = "gpu:";
  EXPECT_FALSE(resolve_domains(input));
}

}  // namespace
}  // namespace antifreeze::run
