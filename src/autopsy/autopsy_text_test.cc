// Pasted logs, through everything. The lines are the kernel's and the driver's own; hosts and addresses are invented.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "autopsy/autopsy_run.h"
#include "host/fake/temp_dir.h"

namespace antifreeze::autopsy {
namespace {

using testing::IsEmpty;

const signs::Catalogue& catalogue() {
  static const signs::Catalogue loaded = *signs::load_catalogue(AF_SOURCE_DIR "/knowledge");
  return loaded;
}

Report read(const std::string& text) {
  const host::fake::TempDir place;
  place.write("x.log", text);
  Places places;
  places.logs = {place.path("x.log")};
  places.year = 2026;
  auto report = run_autopsy(places, catalogue(), {});
  EXPECT_TRUE(report);
  return report ? std::move(*report) : Report();
}

BootReport boot(const Report& report, int index) {
  const auto at =
      std::find_if(report.boots.begin(), report.boots.end(), [&](const BootReport& one) { return one.index == index; });
  EXPECT_NE(at, report.boots.end()) << index;
  return at == report.boots.end() ? BootReport() : *at;
}

std::string first_cause(const BootReport& one) {
  return one.verdict.causes.empty() ? "" : one.verdict.causes.front().id;
}

std::string ordinary(int lines, int from = 10) {
  std::string out;
  for (int i = 0; i < lines; ++i) {
    out += "[ " + std::to_string(from + i) + ".000000] usb 1-1: ordinary line " + std::to_string(i) + "\n";
  }
  return out;
}

TEST(AutopsyText, AGpuThatFellOffTheBusKeepsItsNumber) {
  const Report report = read(
      "[    0.000000] Linux version 6.17.0\n" + ordinary(40) +
      "[  900.100000] NVRM: Xid (PCI:0000:02:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
      "[  900.200000] NVRM: GPU 0000:02:00.0: GPU has fallen off the bus.\n"
      "[  901.000000] NVRM: GPU 0000:02:00.0: RmInitAdapter failed! (0x24:0x72:1568)\n"
      "[  902.000000] NVRM: Xid (PCI:0000:02:00): 45, pid=7, name=x, Ch 00000001\n");
  const BootReport one = boot(report, 0);
  EXPECT_EQ(one.verdict.ending, "gpu_lost");
  EXPECT_EQ(first_cause(one), "gpu_off_bus");
  EXPECT_EQ(one.verdict.causes.front().fields.at("xid"), "79");
  EXPECT_EQ(one.verdict.causes.front().fields.at("bdf"), "0000:02:00");
}

TEST(AutopsyText, ABurstDuringFourStartsIsACollision) {
  std::string text = "Nov 30 20:00:00 spark kernel: Linux version 6.17.0\n";
  for (int i = 0; i < 30; ++i)
    text += "Nov 30 20:0" + std::to_string(i / 10 + 1) + ":00 spark kernel: usb ordinary " + std::to_string(i) + "\n";
  text += "Nov 30 20:20:00 spark dockerd[900]: level=info msg=\"Loading containers: start.\"\n";
  for (const char* name : {"chat", "embed", "rerank", "vision"}) {
    text += std::string("Nov 30 20:20:01 spark systemd[1]: Started vllm-") + name + ".service - vLLM " + name + ".\n";
  }
  for (int i = 10; i < 40; ++i) {
    text += "Nov 30 20:20:" + std::to_string(i) +
            " spark kernel: NVRM: GPU0 nvCheckOkFailedNoLog: Check failed: Out of memory [NV_ERR_NO_MEMORY] "
            "(0x00000051) returned from "
            "_memdescAllocInternal(pMemDesc) @ mem_desc.c:1359\n";
  }
  text +=
      "-- Reboot --\nNov 30 20:31:00 spark kernel: Linux version 6.17.0\nNov 30 20:31:02 spark kernel: EXT4-fs "
      "(nvme0n1p2): recovery complete\n";
  const BootReport one = boot(read(text), -1);
  EXPECT_EQ(one.verdict.ending, "memory_wedge");
  EXPECT_EQ(first_cause(one), "nv_no_memory");
  ASSERT_GE(one.verdict.causes.size(), 2U);
  EXPECT_EQ(one.verdict.causes[1].id, "startup_collision");
  EXPECT_GE(one.verdict.starting.size(), 4U);
}

TEST(AutopsyText, ABertRecordIsAboutTheBootBeforeAndTheHangAboutThisOne) {
  const Report report = read(
      "[    0.000000] Linux version 6.17.0\n[    3.400000] BERT: Error records from previous boot:\n"
      "[    3.400100] [Hardware Error]: event severity: fatal\n[    3.400200] [Hardware Error]:  Error 0, type: fatal\n"
      "[    3.400300] [Hardware Error]:  fru_text: DIMM B2\n[    3.400400] [Hardware Error]:   section_type: memory "
      "error\n"
      "[    3.400500] [Hardware Error]:   node:0 card:4 module:0 \n" +
      ordinary(40) +
      "[   64.000000] NVRM: Xid (PCI:0000:01:00): 62, pid=9, name=vllm, 2f1a 0000 0000\n"
      "[   64.100000] NVRM: Xid (PCI:0000:02:00): 62, pid=9, name=vllm, 2f1a 0000 0000\n"
      "[  600.000000] INFO: task vllm:900 blocked for more than 120 seconds.\n"
      "[  600.000100] task:vllm state:D stack:0 pid:900 tgid:900 ppid:1 flags:0x00004006\n"
      "[  600.000200]  uvm_va_space_destroy+0x1c/0x90 [nvidia_uvm]\n");
  const BootReport before = boot(report, -1);
  EXPECT_EQ(before.verdict.ending, "memory_hardware");
  EXPECT_EQ(first_cause(before), "hw_memory_error");
  EXPECT_EQ(before.verdict.causes.front().fields.at("fru_text"), "DIMM B2");
  const BootReport own = boot(report, 0);
  EXPECT_EQ(first_cause(own), "xid");
  EXPECT_EQ(own.verdict.causes.front().fields.at("xid"), "62");
  EXPECT_TRUE(own.verdict.ending == "gpu_error" || own.verdict.ending == "driver_wedge") << own.verdict.ending;
}

TEST(AutopsyText, NoValidTripPointsInEveryBootIsNoCause) {
  std::string text;
  for (int i = 0; i < 3; ++i) {
    text +=
        "[    0.000000] Linux version 6.17.0\n[    1.000000] thermal LNXTHERM:01: [Firmware Bug]: No valid trip "
        "points!\n" +
        ordinary(50);
  }
  const Report report = read(text);
  const BootReport one = boot(report, -1);
  EXPECT_EQ(one.verdict.ending, "traceless");
  EXPECT_THAT(one.verdict.causes, IsEmpty());
  EXPECT_FALSE(one.verdict.tests.empty());
}

TEST(AutopsyText, ACutSoonAfterTheEarlyJournalStoppedIsNotClean) {
  const Report report =
      read("[    0.000000] Linux version 6.17.0\n" + ordinary(20, 1) +
           "[   22.000000] systemd-journald[99]: Received SIGTERM from PID 1 (systemd).\n"
           "[   22.100000] systemd-journald[99]: Journal stopped\n" +
           ordinary(10, 23) + "[    0.000000] Linux version 6.17.0\n[    5.000000] EXT4-fs (vda): recovery complete\n" +
           ordinary(20));
  EXPECT_EQ(boot(report, -1).verdict.ending, "traceless");
}

TEST(AutopsyText, AFilteredLogIsNoSilence) {
  std::string text;
  for (int i = 0; i < 40; ++i)
    text += "[   " + std::to_string(10 + i) + ".000000] NVRM: loading module part " + std::to_string(i) + "\n";
  const BootReport one = boot(read(text), 0);
  EXPECT_EQ(one.verdict.ending, "insufficient_evidence");
}

TEST(AutopsyText, AHealthyNoisyLogHasNoCause) {
  std::string text = "[    0.000000] Linux version 6.17.0\n";
  text += "[    1.000000] mlx5_core 0000:01:00.0: Detected insufficient power on the PCIe slot (27W).\n" +
          ordinary(60) +
          "[   80.000000] NVRM: GPU0 nvCheckOkFailedNoLog: Check failed: Out of memory [NV_ERR_NO_MEMORY] (0x00000051) "
          "returned from x @ mem_desc.c:1359\n" +
          "[   81.000000] NVRM: Xid (PCI:0000:02:00): 31, pid=7, name=python3, Ch 00000001\n" +
          "[   82.000000] Memory cgroup out of memory: Killed process 812 (python3) total-vm:90kB, anon-rss:70kB\n" +
          ordinary(700, 100) +
          "[ 1900.000000] systemd[1]: Reached target reboot.target - System Reboot.\n[ 1901.000000] reboot: Restarting "
          "system\n";
  const BootReport one = boot(read(text), 0);
  EXPECT_EQ(one.verdict.ending, "clean");
  EXPECT_THAT(one.verdict.causes, IsEmpty());
  EXPECT_FALSE(one.verdict.notes.empty());
}

TEST(AutopsyText, AHundredThousandRepeatsAreBounded) {
  std::string text = "[    0.000000] Linux version 6.17.0\n";
  for (int i = 0; i < 100'000; ++i)
    text += "[  100.000000] NVRM: Xid (PCI:0000:02:00): 13, pid=7, name=x, Graphics Exception\n";
  const Report report = read(text);
  EXPECT_LE(boot(report, 0).boot.tail.size(), 400U);
  EXPECT_THAT(boot(report, 0).verdict.causes, IsEmpty());
}

}  // namespace
}  // namespace antifreeze::autopsy
