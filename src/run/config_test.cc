#include "run/config.h"

#include <gtest/gtest.h>

#include "run/options_table.h"

namespace antifreeze::run {
namespace {

core::Result<Config> config_of(std::vector<std::string_view> args, bool shared = false) {
  auto parsed = core::parse_options(kRunOptions, args);
  if (!parsed) return std::move(parsed).error();
  return make_config(*parsed, shared, "spark-01");
}

TEST(Config, ReadsEveryKindOfValue) {
  const auto config =
      config_of({"--name", "chat", "--priority=-3", "--settle", "30s", "--start-timeout", "2h", "--reserve", "4GiB",
                 "--on-timeout", "kill", "--on-short", "start", "--", "vllm", "serve", "--name", "x"});
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->name, "chat");
  EXPECT_EQ(config->priority, -3);
  EXPECT_EQ(config->settle.fixed, core::Nanos(std::chrono::seconds(30)));
  EXPECT_EQ(config->start_timeout, core::Nanos(std::chrono::hours(2)));
  EXPECT_EQ(config->reserve_bytes, 4ULL << 30);
  EXPECT_EQ(config->on_timeout, OnTimeout::kKill);
  EXPECT_TRUE(config->start_when_short);
  EXPECT_EQ(config->command, (std::vector<std::string>{"vllm", "serve", "--name", "x"}));
}

TEST(Config, DefaultsAreTheDocumentedOnes) {
  const auto config = config_of({"vllm", "serve"});
  ASSERT_TRUE(config);
  EXPECT_EQ(config->start_timeout, core::Nanos(std::chrono::minutes(15)));
  EXPECT_EQ(config->stall_timeout, core::Nanos(std::chrono::minutes(5)));
  EXPECT_EQ(config->settle.cap, core::Nanos(std::chrono::seconds(30)));
  EXPECT_EQ(config->on_wait_timeout, OnFailure::kFail);
  EXPECT_EQ(config->wait_timeout, core::Nanos(0));
  EXPECT_EQ(config->on_gate_error, OnFailure::kFail);
  EXPECT_EQ(config->on_timeout, OnTimeout::kRelease);
  EXPECT_TRUE(config->gate_dir.demand_marker);
  EXPECT_EQ(config->gate_dir.path, "/run/antifreeze/gate");
}

TEST(Config, ADirectoryGivenByHandIsTrustedUnlessSharedIsDemanded) {
  EXPECT_FALSE(config_of({"--gate-dir", "/tmp/g", "x"})->gate_dir.demand_marker);
  EXPECT_TRUE(config_of({"--gate-dir", "/tmp/g", "x"}, true)->gate_dir.demand_marker);
}

TEST(Config, NamesTheOptionThatIsWrong) {
  const auto message = [](std::vector<std::string_view> args) {
    const auto config = config_of(std::move(args));
    return config ? std::string("accepted") : config.error().message();
  };
  EXPECT_EQ(message({"--priority", "11", "x"}), "--priority: '11' is not a whole number from -10 to 10");
  EXPECT_EQ(message({"--settle", "fast", "x"}), "--settle: 'fast' is not a duration; write 300ms, 30s, 15m or 2h");
  EXPECT_EQ(message({"--on-timeout", "ignore", "x"}), "--on-timeout: 'ignore' is neither release nor kill");
  EXPECT_EQ(message({"--domain", "rack", "x"}), "--domain: 'rack' is neither host, gpu nor gpu:UUID,…");
  EXPECT_EQ(message({"--settle-cap", "1s", "x"}), "--settle-cap: is below --settle-floor");
  EXPECT_EQ(message({}), "no command given; write -- CMD ARGS…");
}

TEST(Config, NamesTheVariableWhenTheValueCameFromThere) {
  core::ParsedOptions parsed;
  parsed.operands = {"x"};
  const auto lookup = [](std::string_view name, const void*) {
    return name == "ANTIFREEZE_PRIORITY" ? std::optional<std::string>("high") : std::nullopt;
  };
  ASSERT_TRUE(core::apply_environment(kRunOptions, parsed, lookup, nullptr));
  const auto config = make_config(parsed, false, "spark-01");
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().message(), "ANTIFREEZE_PRIORITY: 'high' is not a whole number from -10 to 10");
}

TEST(Config, AGateDirectoryWhoseTildeTheShellLeftAloneIsRefused) {
  const auto config = config_of({"--gate-dir", "~/gate", "x"});
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().message(),
            "--gate-dir: '~/gate' begins with ~, which the shell did not expand; write the whole path");
  EXPECT_TRUE(config_of({"--gate-dir", "./~gate", "x"}));
  EXPECT_EQ(config_of({"--gate-dir=", "x"}).error().message(), "--gate-dir: the path is empty");
}

TEST(Config, ADefaultNameHasNoControlCharacters) {
  const auto config = config_of({"/opt/my\nserver\x1b[31m", "serve"});
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_TRUE(config->name.starts_with("my_server_[31m-")) << config->name;
}

TEST(Config, TheDefaultNameTellsServersApartAndStaysTheSame) {
  const auto a = default_name({"/usr/bin/vllm", "serve", "a"}, "host");
  EXPECT_TRUE(a.starts_with("vllm-")) << a;
  EXPECT_EQ(a, default_name({"/usr/bin/vllm", "serve", "a"}, "host"));
  EXPECT_NE(a, default_name({"/usr/bin/vllm", "serve", "b"}, "host"));
  EXPECT_NE(a, default_name({"/usr/bin/vllm", "serve", "a"}, "other"));
  EXPECT_NE(default_name({"x", "ab", "c"}, ""), default_name({"x", "a", "bc"}, ""));
}

}  // namespace
}  // namespace antifreeze::run
