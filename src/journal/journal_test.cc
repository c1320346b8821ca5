#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "host/fake/temp_dir.h"
#include "journal/fake/unpacked_root.h"
#include "journal/journal_file.h"
#include "journal/journal_source.h"
#include "journal/unpack.h"

namespace antifreeze::journal {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const fs::path kBoots = fs::path(AF_SOURCE_DIR) / "testdata/boots";

struct Read {
  std::vector<std::string> boots;  // in order of appearance
  std::map<std::string, std::size_t> entries;
  std::vector<std::string> messages;
  std::map<std::string, std::size_t> kernel;
  JournalHealth health;
};

Read read(const JournalPlace& place) {
  Read out;
  const auto visit = [&](const BootEntry& entry) {
    const std::string boot(entry.boot_id);
    if (out.boots.empty() || out.boots.back() != boot) out.boots.push_back(boot);
    ++out.entries[boot];
    if (entry.entry.origin == readings::LogOrigin::kKernel) ++out.kernel[boot];
    out.messages.emplace_back(entry.entry.message);
    return true;
  };
  auto health = for_each_entry(place, visit, {});
  EXPECT_TRUE(health) << health.error().message();
  if (health) out.health = *health;
  return out;
}

Read read_root(const std::string& root) {
  JournalPlace place;
  place.root = root;
  return read(place);
}

std::string system_journal(const host::fake::TempDir& root) {
  for (const auto& item : fs::recursive_directory_iterator(root.path())) {
    if (item.path().filename() == "system.journal") return item.path().string();
  }
  return "";
}

Read read_bytes(const std::string& content) {
  const host::fake::TempDir place;
  place.write("system.journal", content);
  JournalPlace at;
  at.directory = place.path();
  return read(at);
}

// Journals are allotted in steps: what follows the last entry is zeros.
std::size_t used(const std::string& content) { return content.find_last_not_of('\0') + 1; }

std::size_t count(const Read& read) {
  std::size_t all = 0;
  for (const auto& [boot, entries] : read.entries) all += entries;
  return all;
}

// The numbers are those of `journalctl --directory … _BOOT_ID=…` (systemd 252) on the same files.
TEST(Journal, RealBootsHaveTheEntriesThatJournalctlShows) {
  const host::fake::TempDir root;
  fake::unpack_root(kBoots / "memcg-oom-crashloop/fs", root);
  const Read out = read_root(root.path());
  EXPECT_THAT(out.boots, ElementsAre("387fec209f4341669ed70244199d16b7", "fd88c98bc6f249f19526343b870caed3",
                                     "1524e2c9247846ba9322163f34db7827", "547992663bd14aed823dd711768d3651"));
  EXPECT_EQ(out.entries.at("1524e2c9247846ba9322163f34db7827"), 1108U);
  EXPECT_EQ(out.kernel.at("1524e2c9247846ba9322163f34db7827"), 843U);
  EXPECT_EQ(count(out), 621U + 617 + 1108 + 538);
  EXPECT_THAT(out.health.unreadable, IsEmpty());
}

TEST(Journal, TheSameFileTwiceIsReadOnce) {
  const host::fake::TempDir root;
  fake::unpack_root(kBoots / "clean-reboot/fs", root);
  const std::string path = system_journal(root);
  JournalPlace twice;
  fs::copy_file(path, root.path("copy.journal"));
  twice.files = {path, root.path("copy.journal")};
  JournalPlace once;
  once.files = {path};
  EXPECT_EQ(read(twice).messages, read(once).messages);
}

TEST(Journal, ATruncatedFileIsReadUpToItsEnd) {
  const std::string whole =
      fake::read_xz(kBoots / "clean-reboot/fs/var/log/journal/a044a13fb0514c36b1de4955307ac711/system.journal.xz");
  const Read all = read_bytes(whole);
  const Read half = read_bytes(whole.substr(0, used(whole) - 200'000));
  ASSERT_GT(count(half), 100U);
  ASSERT_LT(count(half), count(all));
  // What is there is the beginning of what was there, but for fields that lay in the lost part.
  EXPECT_EQ(half.messages[50], all.messages[50]);
}

TEST(Journal, BehindAHoleOfZerosReadingGoesOn) {
  std::string content =
      fake::read_xz(kBoots / "clean-reboot/fs/var/log/journal/a044a13fb0514c36b1de4955307ac711/system.journal.xz");
  const Read all = read_bytes(content);
  std::fill_n(content.begin() + static_cast<std::ptrdiff_t>(used(content) / 2 / 4096 * 4096), 64 * 1024, '\0');
  const Read holed = read_bytes(content);
  EXPECT_LT(count(holed), count(all));
  EXPECT_GT(count(holed), count(all) / 2);
  ASSERT_THAT(holed.health.unreadable, ElementsAre(HasSubstr("damaged")));
  EXPECT_EQ(holed.messages.back(), all.messages.back());
}

TEST(Journal, AnyDamageIsSurvived) {
  const std::string whole =
      fake::read_xz(kBoots / "clean-reboot/fs/var/log/journal/a044a13fb0514c36b1de4955307ac711/system.journal.xz");
  std::mt19937 random(20261201);
  for (int round = 0; round < 40; ++round) {
    std::string content = whole.substr(0, 2'000'000);
    for (int flip = 0; flip < 200; ++flip) content[88 + random() % (content.size() - 88)] = static_cast<char>(random());
    auto file = JournalFile::from_bytes(content, "x");
    if (!file) continue;
    std::uint64_t skipped = 0;
    std::uint64_t offset = file->first_offset();
    std::uint64_t last = 0;
    std::string scratch;
    std::size_t fields = 0;
    while (const auto entry = file->next_entry(offset, skipped)) {
      ASSERT_GE(entry->offset, last) << "reading went backwards";
      last = entry->offset;
      file->for_each_field(*entry, scratch, [&](std::string_view field) { fields += field.size() > 0; });
      offset = entry->end();
    }
    EXPECT_GT(fields, 0U);
  }
}

TEST(Journal, WhatIsNoJournalIsSaidAndTheRestIsRead) {
  const host::fake::TempDir root;
  fake::unpack_root(kBoots / "clean-reboot/fs", root);
  root.write("var/log/journal/a044a13fb0514c36b1de4955307ac711/bad.journal", "this is not a journal");
  root.write("var/log/journal/a044a13fb0514c36b1de4955307ac711/empty.journal", "");
  fs::create_symlink("/etc/passwd", root.path("var/log/journal/a044a13fb0514c36b1de4955307ac711/link.journal"));
  const Read out = read_root(root.path());
  EXPECT_GT(count(out), 2000U);
  EXPECT_THAT(out.health.unreadable, ElementsAre(HasSubstr("bad.journal: not a journal"), HasSubstr("empty.journal"),
                                                 HasSubstr("link.journal")));
}

TEST(Journal, NoJournalAtAllIsNoError) {
  const host::fake::TempDir root;
  const Read out = read_root(root.path());
  EXPECT_THAT(out.boots, IsEmpty());
  EXPECT_EQ(out.health.files, 0U);
  JournalPlace missing;
  missing.directory = root.path("nothing");
  EXPECT_FALSE(for_each_entry(missing, [](const BootEntry&) { return true; }, {}));
}

TEST(Journal, VolatileIsSeen) {
  const host::fake::TempDir root;
  fake::unpack_root(kBoots / "clean-reboot/fs", root);
  fs::create_directories(root.path("run/log"));
  fs::rename(root.path("var/log/journal"), root.path("run/log/journal"));
  EXPECT_TRUE(read_root(root.path()).health.is_volatile);
}

TEST(Journal, ProgressRisesToOne) {
  const host::fake::TempDir root;
  fake::unpack_root(kBoots / "memcg-oom-crashloop/fs", root);
  JournalPlace place;
  place.root = root.path();
  double last = 0;
  ASSERT_TRUE(for_each_entry(
      place, [](const BootEntry&) { return true; },
      [&](double part) {
        EXPECT_GE(part, last);
        last = part;
      }));
  EXPECT_EQ(last, 1);
}

TEST(Unpack, GarbageGivesNothing) {
  std::string out;
  for (const std::uint8_t flags : std::initializer_list<std::uint8_t>{1, 2, 3, 4, 8})
    EXPECT_FALSE(unpack(flags, "no packed data at all", out)) << int{flags};
}

}  // namespace
}  // namespace antifreeze::journal
