#include "gate/breaker_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "gate/record_text.h"
#include "host/fake/temp_dir.h"

namespace antifreeze::gate {
namespace {

using core::BootTime;
using core::ErrorCode;
using core::WallTime;

BreakerRecord full_record() {
  BreakerRecord record;
  record.service = "llama/70b %\n\x7f";
  record.boot_id = "0f0f0f0f-1111-2222-3333-444444444444";
  for (int i = 0; i < static_cast<int>(kMaxFailuresKept); ++i) {
    record.failures.push_back({BootTime{-(std::int64_t{1} << 61) + i}, WallTime{(std::int64_t{1} << 62) - i}});
    record.memory_before.push_back((std::uint64_t{1} << 58) - static_cast<std::uint64_t>(i));
  }
  record.failures_in_a_row = std::uint64_t{1} << 58;
  record.lost_in_a_row = 2;
  record.starts_total = 900;
  record.failures_total = 800;
  record.open = BreakerAttempt{{BootTime{5}, WallTime{6}}, BootTime{7}};
  record.hold = BreakerHold{{BootTime{8}, WallTime{9}}, std::chrono::hours(1), std::string(400, 'r')};
  record.last_failure = "exit 1 after 41s";
  return record;
}

TEST(BreakerFile, ComesBackAsItWasWritten) {
  const auto record = full_record();
  const auto text = encode_breaker(record);
  const auto back = decode_breaker(text);
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(*back, record);
  EXPECT_EQ(*decode_breaker(encode_breaker({})), BreakerRecord{});
}

TEST(BreakerFile, NeverOutgrowsItsSize) {
  auto record = full_record();
  record.service = std::string(100'000, '\n');
  record.last_failure = std::string(100'000, '%');
  record.hold->reason = std::string(100'000, 'x');
  record.failures.resize(1000);
  record.memory_before.resize(1000, ~std::uint64_t{0});
  const auto text = encode_breaker(record);
  EXPECT_LE(text.size(), kBreakerFileBytes);
  EXPECT_TRUE(decode_breaker(text));
}

TEST(BreakerFile, EveryChangedByteAndEveryCutIsNoticed) {
  const auto text = encode_breaker(full_record());
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    const auto back = decode_breaker(changed);
    ASSERT_FALSE(back) << i;
    EXPECT_EQ(back.error().code(), ErrorCode::kTampered);
    EXPECT_FALSE(decode_breaker(text.substr(0, i))) << i;
  }
  EXPECT_FALSE(decode_breaker(text + "\n"));
}

std::string with_line(std::string_view key, std::string_view value) {
  RecordWriter out("antifreeze-breaker 1");
  out.add(key, value);
  return out.finish();
}

TEST(BreakerFile, ValuesOutOfRangeAreRefusedEvenWithARightChecksum) {
  for (const auto& [key, value] :
       std::vector<std::pair<std::string, std::string>>{{"failure", "1"},
                                                        {"failure", "9223372036854775807 0"},
                                                        {"failure", "0 -1"},
                                                        {"starts_total", "-1"},
                                                        {"starts_total", "18446744073709551616"},
                                                        {"starts_total", "288230376151711745"},
                                                        {"open_ready", "5"},     // without an open start
                                                        {"held_reason", "why"},  // without a hold
                                                        {"held_for", "100"},
                                                        {"held_since", "x y"},
                                                        {"memory_before", ""}}) {
    EXPECT_FALSE(decode_breaker(with_line(key, value))) << key << "=" << value;
  }
  EXPECT_TRUE(decode_breaker(with_line("from_the_future", "anything")));
}

TEST(BreakerFile, MoreFailuresThanWeKeepAreRefused) {
  RecordWriter out("antifreeze-breaker 1");
  for (std::size_t i = 0; i <= kMaxFailuresKept; ++i) out.add("failure", "1 1");
  EXPECT_FALSE(decode_breaker(out.finish()));
}

TEST(BreakerFileName, KeepsPlainNamesAndEscapesTheRest) {
  EXPECT_EQ(breaker_file_name("vllm-70b_A.1"), "b-vllm-70b_A.1");
  EXPECT_EQ(breaker_file_name("a/../b c%"), "b-a%2f..%2fb%20c%25");
  EXPECT_EQ(breaker_file_name(""), "b-");
  EXPECT_EQ(breaker_file_name(std::string(64, 'a')), "b-" + std::string(64, 'a'));
}

TEST(BreakerFileName, LongNamesStayApartAndWithinBounds) {
  std::set<std::string> seen;
  for (int length = 1; length < 300; ++length) {
    for (const char* unit : {"a", "/", "a/", "ab/"}) {
      std::string service;
      while (static_cast<int>(service.size()) < length) service += unit;
      const auto name = breaker_file_name(service + std::to_string(length) + unit);
      EXPECT_LE(name.size(), kBreakerNameBytes);
      EXPECT_TRUE(is_breaker_file_name(name)) << name;
      EXPECT_TRUE(seen.insert(name).second) << name;
    }
  }
}

TEST(BreakerFileName, ForeignNamesAreNotTakenForOurs) {
  for (const char* name : {"", "b", "t-x", "b-a b", "b-a/b", "b-%", "b-%2", "b-%2F", "b-%zz", "b-a%%1234567",
                           "b-a%%12345678x", "b-a\n", ".b-a", "B-a"}) {
    EXPECT_FALSE(is_breaker_file_name(name)) << name;
  }
  EXPECT_FALSE(is_breaker_file_name("b-" + std::string(65, 'a')));
}

TEST(BreakerStore, MissingFileIsAnEmptyRecord) {
  const host::fake::TempDir dir;
  const auto record = load_breaker(dir.fd(), "svc");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->service, "svc");
  EXPECT_EQ(record->starts_total, 0u);
}

TEST(BreakerStore, ReadsBackWhatItStored) {
  const host::fake::TempDir dir;
  ASSERT_TRUE(store_breaker(dir.fd(), full_record()));
  const auto back = load_breaker(dir.fd(), full_record().service);
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(*back, full_record());
  struct stat st{};
  ASSERT_EQ(::stat(dir.path(breaker_file_name(full_record().service)).c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0644u);
}

TEST(BreakerStore, VeryLongServiceNamesWorkToo) {
  const host::fake::TempDir dir;
  BreakerRecord record;
  record.service = std::string(5000, '\t');
  ASSERT_TRUE(store_breaker(dir.fd(), record));
  const auto back = load_breaker(dir.fd(), record.service);
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->service, record.service);
}

TEST(BreakerStore, RecordOfAnotherServiceIsTampering) {
  const host::fake::TempDir dir;
  BreakerRecord record;
  record.service = "other";
  dir.write("b-svc", encode_breaker(record));
  const auto back = load_breaker(dir.fd(), "svc");
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().code(), ErrorCode::kTampered);
}

TEST(BreakerStore, LinkIsNotFollowed) {
  const host::fake::TempDir dir;
  dir.write("victim", encode_breaker(full_record()));
  ASSERT_EQ(::symlink("victim", dir.path("b-svc").c_str()), 0);
  EXPECT_FALSE(load_breaker(dir.fd(), "svc"));
  BreakerRecord record;
  record.service = "svc";
  ASSERT_TRUE(store_breaker(dir.fd(), record)) << "replaced, not followed";
  EXPECT_TRUE(load_breaker(dir.fd(), "svc"));
}

TEST(BreakerStore, ResetByRootLeavesTheFileToItsOwner) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to give files away";
  const host::fake::TempDir dir;
  BreakerRecord record;
  record.service = "svc";
  ASSERT_TRUE(store_breaker(dir.fd(), record));
  ASSERT_EQ(::chown(dir.path("b-svc").c_str(), 1234, 1235), 0);
  ASSERT_TRUE(store_breaker(dir.fd(), record, false, true));
  struct stat st{};
  ASSERT_EQ(::stat(dir.path("b-svc").c_str(), &st), 0);
  EXPECT_EQ(st.st_uid, 1234u);
  EXPECT_EQ(st.st_gid, 1235u);
}

}  // namespace
}  // namespace antifreeze::gate
