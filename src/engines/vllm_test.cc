#include <gtest/gtest.h>

#include "engines/test_env.h"

namespace antifreeze::engines {
namespace {

EngineFacts vllm(std::string_view args) {
  auto facts = recognise_line("vllm serve m " + std::string(args));
  EXPECT_TRUE(facts.has_value()) << args;
  return facts.value_or(EngineFacts{});
}

TEST(Vllm, DefaultsAreThoseOfTheEngine) {
  const auto facts = vllm("");
  EXPECT_EQ(facts.model, "m");
  EXPECT_EQ(facts.port, 8000);
  EXPECT_FALSE(facts.port_stated);
  EXPECT_FALSE(facts.host.has_value());
  EXPECT_FALSE(facts.uds.has_value());
  EXPECT_FALSE(facts.tls);
  EXPECT_EQ(facts.health.path, "/health");
  ASSERT_EQ(facts.health.ready_statuses.size(), 1U);
  EXPECT_EQ(facts.health.ready_statuses[0], 200);
  EXPECT_TRUE(facts.health.loading_statuses.empty()) << "503 means a dead engine";
  EXPECT_EQ(facts.share, (Share{ShareKind::kTotal, 0.92, false}));
  EXPECT_FALSE(facts.kv_bytes.has_value());
  EXPECT_EQ(facts.gpus, 1U);
}

TEST(Vllm, ReadsTheShareInEverySpelling) {
  for (const char* args : {
           "--gpu-memory-utilization 0.35",
           "--gpu-memory-utilization=0.35",
           "--gpu_memory_utilization 0.35",
           "--gpu_memory-utilization=.35",
           "--gpu-mem 0.35",
           "--gpu 0.35",
           "--gpu-memory-utilization 0.9 --gpu-memory-utilization 0.35",
           "-O3 --gpu-memory-utilization 0.35",
           "-O 3 --gpu-memory-utilization 0.35",
           "-O=3 --gpu-memory-utilization 0.35 --compilation-config.level 3",
           "--served-model-name a b c --gpu-memory-utilization 0.35",
           "--chat-template-kwargs {\"a\":1} --gpu-memory-utilization 0.35 --enforce-eager",
       }) {
    EXPECT_EQ(vllm(args).share, (Share{ShareKind::kTotal, 0.35, true})) << args;
  }
}

TEST(Vllm, AnImpossibleShareIsUnknown) {
  for (const char* args : {"--gpu-memory-utilization 0", "--gpu-memory-utilization 1.5", "--gpu-memory-utilization 90%",
                           "--gpu-memory-utilization", "--gpu-memory-utilization -0.5", "--gpu-memory-utilization="}) {
    const auto facts = vllm(args);
    EXPECT_FALSE(facts.share.has_value()) << args;
    EXPECT_FALSE(facts.share_unknown.empty()) << args;
  }
  EXPECT_EQ(vllm("--gpu-memory-utilization 1").share, (Share{ShareKind::kTotal, 1.0, true}));
}

TEST(Vllm, AnAmbiguousPrefixIsNoOption) {
  EXPECT_EQ(vllm("--kv-cache-m 6G").kv_bytes, std::nullopt) << "also --kv-cache-metrics";
  EXPECT_EQ(vllm("--kv-cache-memory 6G").kv_bytes, 6442450944U);
  EXPECT_EQ(vllm("--po 9000").port, 8000) << "also --pooler-config";
  EXPECT_EQ(vllm("--por 9000").port, 9000);
  EXPECT_EQ(vllm("--data-parallel-s 4").gpus, 1U);
  EXPECT_EQ(vllm("--conf x.yaml").config_file, std::nullopt);
  EXPECT_EQ(vllm("--config x.yaml").config_file, "x.yaml");
}

TEST(Vllm, WordsBehindTheDashesAreNoOptions) { EXPECT_EQ(vllm("--port 9000 -- --port 9001").port, 9000); }

TEST(Vllm, ReadsKvCacheBytes) {
  const struct {
    const char* text;
    std::optional<std::uint64_t> bytes;
  } cases[] = {{"6G", 6442450944U},   {"6g", 6000000000U}, {"1.5g", 1500000000U},        {"512M", 536870912U},
               {"100", 100U},         {"25.6k", 25600U},   {"1.5G", std::nullopt},       {"6GiB", std::nullopt},
               {"-6G", std::nullopt}, {"G", std::nullopt}, {"9999999999T", std::nullopt}};
  for (const auto& c : cases) {
    EXPECT_EQ(vllm(std::string("--kv-cache-memory-bytes=") + c.text).kv_bytes, c.bytes) << c.text;
  }
  const auto facts = vllm("--kv-cache-memory-bytes 6G");
  EXPECT_EQ(facts.share, (Share{ShareKind::kTotal, 0.92, false})) << "the start check still uses the default";
}

TEST(Vllm, CountsTheGpusOfThisHost) {
  const struct {
    const char* args;
    std::optional<unsigned> gpus;
  } cases[] = {{"-tp 2", 2},
               {"-tp=2 -pp 2", 4},
               {"--tensor-parallel-size 2 --pipeline-parallel-size 3", 6},
               {"--tensor_parallel_size=4 -dp 2", 8},
               {"-tp 2 -dp 8 -dpl 2", 4},
               {"-tp 2 -dp 8 --data-parallel-size-local 1 --data-parallel-start-rank 4", 2},
               {"-tp 2 --data-parallel-size 4 --data-parallel-rank 1", 2},
               {"-tp 2 -dp 4 --data-parallel-external-lb", 2},
               {"-tp 2 -pcp 2", 4},
               {"-tp 16 --nnodes 2 --node-rank 0", 8},
               {"-tp 3 --nnodes 2", std::nullopt},
               {"-tp 0", std::nullopt},
               {"-tp x", std::nullopt},
               {"-tp 1000 -pp 1000", std::nullopt},
               {"--tensor-parallel-size 99999999999999999999", std::nullopt}};
  for (const auto& c : cases) EXPECT_EQ(vllm(c.args).gpus, c.gpus) << c.args;
}

TEST(Vllm, ReadsWhereItListens) {
  EXPECT_EQ(vllm("--host 0.0.0.0").host, std::nullopt);
  EXPECT_EQ(vllm("--host ::").host, std::nullopt);
  EXPECT_EQ(vllm("--host 127.0.0.1").host, "127.0.0.1");
  EXPECT_EQ(vllm("--host=[::1]").host, "::1");
  EXPECT_TRUE(vllm("--port 8001").port_stated);
  for (const char* port : {"0", "65536", "x", "-1", "80.0"}) {
    EXPECT_FALSE(vllm(std::string("--port=") + port).port.has_value()) << port;
  }
  const auto uds = vllm("--uds /run/vllm.sock --port 8001");
  EXPECT_EQ(uds.uds, "/run/vllm.sock");
  EXPECT_FALSE(uds.port.has_value());
  EXPECT_TRUE(vllm("--ssl-keyfile k --ssl-certfile c").tls);
  EXPECT_FALSE(vllm("--ssl-ca-certs x").tls);
}

TEST(Vllm, ASecondaryNodeNeverListens) {
  const auto facts = vllm("--headless --data-parallel-start-rank 2");
  EXPECT_TRUE(facts.caveats.no_server);
  EXPECT_FALSE(facts.port.has_value());
}

TEST(Vllm, AConfigFileHidesTheShareUnlessTheCommandLineSaysIt) {
  const auto hidden = vllm("--config /etc/vllm.yaml");
  EXPECT_EQ(hidden.config_file, "/etc/vllm.yaml");
  EXPECT_FALSE(hidden.share.has_value());
  EXPECT_NE(hidden.share_unknown, "");
  EXPECT_FALSE(hidden.port_stated);
  const auto stated = vllm("--config /etc/vllm.yaml --gpu-memory-utilization 0.3 --port 8001");
  EXPECT_EQ(stated.share, (Share{ShareKind::kTotal, 0.3, true}));
  EXPECT_TRUE(stated.port_stated);
}

TEST(Vllm, TheModelIsTheFirstWordOrAnOption) {
  EXPECT_EQ(recognise_line("vllm serve --port 1 x")->model, std::nullopt);
  EXPECT_EQ(recognise_line("vllm serve --model x")->model, "x");
  EXPECT_EQ(recognise_line("python -m vllm.entrypoints.openai.api_server --model=x")->model, "x");
}

TEST(Vllm, PortsOfTheWorkersAreNotItsPort) {
  EXPECT_EQ(recognise_line("vllm serve m", {{"VLLM_PORT", "5555"}, {"PORT", "80"}})->port, 8000);
}

TEST(Aphrodite, HasAShortFormOfTheShareThatVllmLacks) {
  EXPECT_EQ(recognise_line("aphrodite run m -gmu 0.5")->share, (Share{ShareKind::kTotal, 0.5, true}));
  EXPECT_EQ(vllm("-gmu 0.5").share, (Share{ShareKind::kTotal, 0.92, false}));
}

}  // namespace
}  // namespace antifreeze::engines
