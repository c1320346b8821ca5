// What goes, what stays, and that it stays readable who did what to whom.
#include "redact/redactor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace antifreeze::redact {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string once(std::string_view text, const Names& names = {}) { return Redactor(names).text(text); }

TEST(Redactor, TakesOutWhatNamesAMachineAPersonOrASecret) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"Accepted publickey for ayumi from 198.51.100.7 port 50122 ssh2",
       "Accepted publickey for user-1 from ip-1 port 50122 ssh2"},
      {"inet6 2001:db8:1:2::15/64 scope global", "inet6 ip-1/64 scope global"},
      {"mapped ::ffff:192.0.2.1 here", "mapped ip-1 here"},
      {"peer 5:192.0.2.7 up", "peer 5:ip-1 up"},
      {"eth0: renamed, 3c:ec:ef:12:34:56", "eth0: renamed, mac-1"},
      {"GPU at PCI:0000:01:00: GPU-5d2f0c1a-7e3b-4b6e-9a55-0d3c8f2b7e10", "GPU at PCI:0000:01:00: GPU-id-1"},
      {"Serial Number: S5GXNX0R812345", "Serial Number: serial-1"},
      {"opened /dev/disk/by-id/nvme-Samsung_SSD_990_S5GXNX0R812345-part1", "opened /dev/disk/by-id/id-1"},
      {"machine-id 978278550c3048e0a6136d33857a4525.", "machine-id id-1."},
      {"reading /home/kenji/models/x.gguf", "reading /home/user-1/models/x.gguf"},
      {"sudo:    kenji : TTY=pts/0 ; PWD=/home/kenji ; USER=root ; COMMAND=/usr/bin/apt",
       "sudo:    user-1 : TTY=pts/0 ; PWD=/home/user-1 ; USER=root ; COMMAND=/usr/bin/apt"},
      {"New session 4 of user kenji.", "New session 4 of user user-1."},
      {"--api-key hunter22 --port 8000", "--api-key (secret) --port 8000"},
      {"HF_TOKEN=hf_abcdefghijklmnopqrstuvwx vllm serve", "HF_TOKEN=(secret) vllm serve"},
      {"got hf_abcdefghijklmnopqrstuvwx here", "got (secret) here"},
      {"Authorization: Bearer abc.def-123", "Authorization: Bearer (secret)"},
      {"pull https://bot:s3cret@registry.corp/x", "pull https://bot:(secret)@host-1/x"},
      {"mail to ops.team@example.co.jp failed", "mail to mail-1 failed"},
      {"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1\n-----END OPENSSH PRIVATE KEY-----\nx", "(secret)\nx"},
      {"wpa: ssid=\"Kitchen\" joined", "wpa: ssid=\"ssid-1\" joined"},
  };
  for (const auto& [from, to] : cases) EXPECT_EQ(once(from), to);
}

TEST(Redactor, LeavesWhatAVerdictNeeds) {
  for (const std::string line :
       {"NVRM: Xid (PCI:0000:01:00): 79, pid=4021, name=VLLM::EngineCor, GPU has fallen off the bus.",
        "NVRM: Xid (PCI:000f:01:00): 119, pid=5120, name=sglang::schedul, Timeout after 45s of waiting for RPC",
        "pcieport 0000:00:01.0: AER: Uncorrectable (Fatal) error message received from 0000:01:00.0",
        "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  570.133.20  Tue Mar 11 19:11:42 UTC 2025",
        "Linux version 6.8.0-60-generic (x86_64-linux-gnu-gcc-13 (Ubuntu 13.3.0-6ubuntu2~24.04) 13.3.0) #63-Ubuntu",
        "RIP: 0010:_raw_spin_unlock_irqrestore+0x21/0x60", "user@1000.service: Deactivated successfully.",
        "modprobe@efi_pstore.service: Deactivated successfully.", "listening on 127.0.0.1:8000 and [::1]:8000",
        "c10::cuda::CUDACachingAllocator at 12:34:56.789", "Started session for user root.",
        "see https://github.com/vllm-project/vllm and nvcr.io", "2026-03-02T08:00:10.2Z level=info",
        "node:1 card:2 module:0 rank:1 bank:3 row:6021", "-- Reboot --"}) {
    EXPECT_EQ(once(line, {.hosts = {"spark"}, .users = {"kenji"}}), line);
  }
}

TEST(Redactor, EqualThingsStayEqual) {
  Redactor redactor({.hosts = {"spark-7.lab.example"}, .users = {"kenji"}});
  EXPECT_EQ(redactor.text("192.0.2.1 asks 192.0.2.2"), "ip-1 asks ip-2");
  EXPECT_EQ(redactor.text("192.0.2.2 answers Spark-7, spark-7 and kenji"), "ip-2 answers host-1, host-1 and user-1");
  EXPECT_EQ(redactor.text("/home/kenji"), "/home/user-1");
  EXPECT_EQ(redactor.text("sparks and spark-70 stay"), "sparks and spark-70 stay");
}

TEST(Redactor, DoingItTwiceChangesNothingMore) {
  Redactor redactor({.hosts = {"gpu7"}, .users = {"kenji"}});
  const std::string text =
      "gpu7 sshd: for kenji from 198.51.100.7, token=abcdef, serial: ABC123 at a@b.example, 3c:ec:ef:12:34:56\n";
  const std::string done = redactor.text(text);
  EXPECT_EQ(redactor.text(done), done);
  for (const char* word : {"gpu7", "kenji", "198.51", "abcdef", "ABC123", "a@b", "3c:ec"}) {
    EXPECT_THAT(done, Not(HasSubstr(word)));
  }
}

TEST(Redactor, TakesAnyBytes) {
  std::string bytes;
  for (int i = 0; i < 70000; ++i) bytes += static_cast<char>(i * 7919 >> 3);
  EXPECT_FALSE(once(bytes).empty());
  EXPECT_EQ(once(""), "");
  EXPECT_EQ(once(":::::::::::"), ":::::::::::");
}

}  // namespace
}  // namespace antifreeze::redact
