#include <gtest/gtest.h>

#include "engines/test_env.h"

namespace antifreeze::engines {
namespace {

using Env = std::map<std::string, std::string>;

EngineFacts read(std::string_view line, const Env& env = {}) {
  auto facts = recognise_line(line, env);
  EXPECT_TRUE(facts.has_value()) << line;
  return facts.value_or(EngineFacts{});
}

std::vector<int> list(std::span<const int> statuses) { return {statuses.begin(), statuses.end()}; }

TEST(Sglang, ItsShareIsOfWhatIsFreeBeforeTheModelLoads) {
  const auto facts = read("python3 -m sglang.launch_server --model-path m --host 0.0.0.0 --mem-frac 0.8 --tp 2 --dp 2");
  EXPECT_EQ(facts.share, (Share{ShareKind::kFreeBefore, 0.8, true}));
  EXPECT_EQ(facts.gpus, 4U);
  EXPECT_EQ(facts.model, "m");
  EXPECT_FALSE(facts.host.has_value());
  EXPECT_TRUE(facts.caveats.health_generates);
  EXPECT_EQ(list(facts.health.loading_statuses), std::vector<int>{503});
}

TEST(Sglang, WithoutAShareItWorksOneOutByItself) {
  const auto facts = read("python -m sglang.launch_server --model m");
  EXPECT_EQ(facts.share, (Share{ShareKind::kFreeBefore, std::nullopt, false}));
  EXPECT_EQ(facts.host, "127.0.0.1");
}

TEST(Sglang, DpAttentionUsesTheGpusItAlreadyHas) {
  EXPECT_EQ(read("sglang serve --model-path m --tp-size 8 --dp-size 8 --enable-dp-attention").gpus, 8U);
  EXPECT_EQ(read("sglang serve --model-path m --tp 16 --nnodes 2").gpus, 8U);
}

TEST(Sglang, SettingsThatChangeWhatWeKnow) {
  EXPECT_FALSE(read("sglang serve --config c.yaml").share.has_value());
  EXPECT_FALSE(read("sglang serve --model-path m", {{"SGLANG_ENABLE_HEALTH_ENDPOINT_GENERATION", "0"}})
                   .caveats.health_generates);
  EXPECT_TRUE(read("sglang serve --ssl-keyfile k --ssl-certfile c").tls);
}

TEST(LlamaServer, OptionsGoBeforeTheirTwins) {
  const Env env{{"LLAMA_ARG_PORT", "9999"}, {"LLAMA_ARG_HOST", "0.0.0.0"}, {"LLAMA_ARG_MODEL", "/m.gguf"}};
  const auto from_env = read("llama-server", env);
  EXPECT_EQ(from_env.port, 9999);
  EXPECT_TRUE(from_env.port_stated);
  EXPECT_FALSE(from_env.host.has_value());
  EXPECT_EQ(from_env.model, "/m.gguf");
  EXPECT_FALSE(from_env.caveats.ready_before_load);
  EXPECT_EQ(read("llama-server --port 8090", env).port, 8090);
  EXPECT_EQ(read("llama-server -m x").host, "127.0.0.1");
}

TEST(LlamaServer, ListensWhileItLoadsAndHasNoShare) {
  const auto facts = read("llama-server -m x -ngl 99 -c 8192");
  EXPECT_EQ(list(facts.health.ready_statuses), std::vector<int>{200});
  EXPECT_EQ(list(facts.health.loading_statuses), std::vector<int>{503});
  EXPECT_FALSE(facts.share.has_value());
  EXPECT_NE(facts.share_unknown, "");
  EXPECT_FALSE(facts.gpus.has_value());
}

TEST(LlamaServer, AHostThatEndsInSockIsAUnixSocket) {
  for (const auto& facts : {read("llama-server -m x --host /run/llama.sock --port 9"),
                            read("llama-server -m x", {{"LLAMA_ARG_HOST", "/run/llama.sock"}})}) {
    EXPECT_EQ(facts.uds, "/run/llama.sock");
    EXPECT_FALSE(facts.port.has_value());
    EXPECT_FALSE(facts.host.has_value());
  }
}

TEST(LlamaServer, PrefixAndTls) {
  EXPECT_EQ(read("llama-server -m x --api-prefix /llm").health.path, "/llm/health");
  EXPECT_EQ(read("llama-server -m x", {{"LLAMA_ARG_API_PREFIX", "/e"}}).health.path, "/e/health");
  EXPECT_FALSE(read("llama-server -m x --ssl-key-file k").tls);
  EXPECT_TRUE(read("llama-server -m x --ssl-key-file k", {{"LLAMA_ARG_SSL_CERT_FILE", "c"}}).tls);
}

TEST(LlamaServer, WithoutAModelItIsARouter) {
  EXPECT_TRUE(read("llama-server --models-dir /models").caveats.ready_before_load);
  EXPECT_FALSE(read("llama-server --gpt-oss-20b-default").caveats.ready_before_load);
  EXPECT_FALSE(read("llama-server -dr ai/gemma3").caveats.ready_before_load);
}

TEST(LlamaServer, NamesMustBeWhole) { EXPECT_EQ(read("llama-server -m x --por 9").port, 8080); }

TEST(Ollama, ReadsEveryFormOfItsHost) {
  const struct {
    const char* value;
    std::optional<std::uint16_t> port;
    std::optional<std::string> host;
  } cases[] = {
      {"0.0.0.0", 11434, std::nullopt},
      {"0.0.0.0:8080", 8080, std::nullopt},
      {":8080", 8080, std::nullopt},
      {"127.0.0.1:8080", 8080, "127.0.0.1"},
      {"[::1]:8000", 8000, "::1"},
      {"[::]", 11434, std::nullopt},
      {"::1", 11434, "::1"},
      {"http://0.0.0.0", 80, std::nullopt},
      {"http://10.0.0.1:11435/", 11435, "10.0.0.1"},
      {"https://ollama.local", 443, "ollama.local"},
      {"\"0.0.0.0:7000\"", 7000, std::nullopt},
      {" '1.2.3.4' ", 11434, "1.2.3.4"},
      {"", 11434, "127.0.0.1"},
      {"0.0.0.0:", 11434, std::nullopt},
      {"0.0.0.0:66000", 11434, std::nullopt},
      {"0.0.0.0:x", 11434, std::nullopt},
      {"127.0.0.1:0", std::nullopt, "127.0.0.1"},
  };
  for (const auto& c : cases) {
    const auto facts = read("ollama serve", {{"OLLAMA_HOST", c.value}});
    EXPECT_EQ(facts.port, c.port) << c.value;
    EXPECT_EQ(facts.host, c.host) << c.value;
    EXPECT_FALSE(facts.tls) << c.value;
  }
}

TEST(Ollama, IsReadyBeforeItLoads) {
  const auto facts = read("ollama serve");
  EXPECT_TRUE(facts.caveats.ready_before_load);
  EXPECT_EQ(facts.health.path, "/");
  EXPECT_FALSE(facts.share.has_value());
  EXPECT_FALSE(facts.port_stated);
}

TEST(Tei, HasATwinForEveryOption) {
  const Env env{{"PORT", "80"}, {"HOSTNAME", "3f2a9c1d0b7e"}, {"MODEL_ID", "BAAI/bge-m3"}};
  const auto facts = read("text-embeddings-router --json-output", env);
  EXPECT_EQ(facts.port, 80);
  EXPECT_TRUE(facts.port_stated);
  EXPECT_FALSE(facts.host.has_value()) << "Docker's container name is no address";
  EXPECT_EQ(facts.model, "BAAI/bge-m3");
  EXPECT_EQ(read("text-embeddings-router -p 8081 --hostname 127.0.0.1", env).port, 8081);
  EXPECT_EQ(read("text-embeddings-router -p 8081 --hostname 127.0.0.1", env).host, "127.0.0.1");
}

TEST(Tei, ItsInternalSocketIsNotTheServers) {
  const auto facts = read("text-embeddings-router --model-id m --uds-path /tmp/x");
  EXPECT_FALSE(facts.uds.has_value());
  EXPECT_EQ(facts.port, 3000);
}

TEST(Trtllm, ItsShareIsOfWhatIsFreeAfterTheWeights) {
  EXPECT_EQ(read("trtllm-serve m").share, (Share{ShareKind::kFreeAfter, 0.9, false}));
  EXPECT_EQ(read("trtllm-serve m --kv_cache_free_gpu_memory_fraction 0.5").share,
            (Share{ShareKind::kFreeAfter, 0.5, true}));
  EXPECT_EQ(read("trtllm-serve serve m --free_gpu_memory_fraction=0.4 --tp_size 2 --pp_size 2").gpus, 4U);
  EXPECT_EQ(read("mpirun -n 2 trtllm-llmapi-launch trtllm-serve m --host 0.0.0.0").host, std::nullopt);
  EXPECT_EQ(read("trtllm-serve m").host, "localhost");
  EXPECT_EQ(read("trtllm-serve m --tp_size 16 --gpus_per_node 8").gpus, 8U);
}

TEST(Trtllm, ItsConfigFileGoesBeforeTheCommandLine) {
  const auto facts = read("trtllm-serve m --free_gpu_memory_fraction 0.5 --extra_llm_api_options x.yml");
  EXPECT_FALSE(facts.share.has_value());
  EXPECT_EQ(facts.config_file, "x.yml");
}

TEST(Trtllm, OverGrpcOnlyTheConnectionCounts) { EXPECT_EQ(read("trtllm-serve m --grpc").health.path, ""); }

TEST(Triton, ReadsItsHttpEnd) {
  const auto facts = read("tritonserver --model-repository=/models --http-port=9000 --http-address 127.0.0.1");
  EXPECT_EQ(facts.port, 9000);
  EXPECT_EQ(facts.host, "127.0.0.1");
  EXPECT_EQ(facts.health.path, "/v2/health/ready");
  EXPECT_EQ(list(facts.health.loading_statuses), (std::vector<int>{400, 503}));
  EXPECT_FALSE(facts.caveats.ready_before_load);
  const auto grpc = read("tritonserver --allow-http=false --grpc-port 9001");
  EXPECT_EQ(grpc.port, 9001);
  EXPECT_EQ(grpc.health.path, "");
}

TEST(Triton, ExplicitModeWithoutAModelIsReadyWithNone) {
  EXPECT_TRUE(read("tritonserver --model-control-mode=explicit").caveats.ready_before_load);
  EXPECT_FALSE(read("tritonserver --model-control-mode=explicit --load-model=x").caveats.ready_before_load);
}

TEST(Lmdeploy, ReadsShareAndPort) {
  const auto facts =
      read("lmdeploy serve api_server internlm/x --server-name 0.0.0.0 --server-p 9000 --cache-max 0.4 --tp 2");
  EXPECT_EQ(facts.port, 9000);
  EXPECT_FALSE(facts.host.has_value());
  EXPECT_EQ(facts.share, (Share{ShareKind::kFreeAfter, 0.4, true}));
  EXPECT_EQ(facts.gpus, 2U);
  EXPECT_EQ(facts.model, "internlm/x");
  EXPECT_EQ(read("lmdeploy serve api_server m").share, (Share{ShareKind::kFreeAfter, 0.8, false}));
}

TEST(Lmdeploy, AWholeNumberIsACountOfBlocks) {
  for (const char* count : {"1", "512"}) {
    const auto facts = read(std::string("lmdeploy serve api_server m --cache-max-entry-count ") + count);
    EXPECT_FALSE(facts.share.has_value()) << count;
    EXPECT_EQ(facts.share_unknown, "it is given as a number of cache blocks");
  }
}

TEST(Infinity, ReadsItsVariables) {
  const auto facts = read("infinity_emb v2", {{"INFINITY_PORT", "7000"}, {"INFINITY_MODEL_ID", "m"}});
  EXPECT_EQ(facts.port, 7000);
  EXPECT_EQ(facts.model, "m");
  EXPECT_EQ(read("infinity_emb v2 --port 7001 --url-prefix /v1", {{"INFINITY_PORT", "7000"}}).port, 7001);
  EXPECT_EQ(read("infinity_emb v2 --url-prefix /v1").health.path, "/health");
  EXPECT_TRUE(facts.caveats.flag_only);
}

TEST(TabbyApi, NeedsProofWhenItsNameSaysNothing) {
  EXPECT_EQ(read("python main.py", {{"TABBY_NETWORK_PORT", "5001"}}).port, 5001);
  EXPECT_EQ(read("python start.py --gpu-split-auto true --port 5002").port, 5002);
  EXPECT_FALSE(recognise_line("python start.py --port 5002").has_value());
}

TEST(TabbyApi, ItsFileGoesBeforeTheEnvironment) {
  const auto from_env = read("python tabbyAPI/main.py", {{"TABBY_NETWORK_PORT", "5001"}});
  EXPECT_FALSE(from_env.port_stated);
  EXPECT_EQ(from_env.config_file, "config.yml");
  EXPECT_TRUE(read("python tabbyAPI/main.py --port 5001 --config x.yml").port_stated);
}

TEST(Shares, HaveNames) {
  EXPECT_EQ(name_of(ShareKind::kTotal), "total");
  EXPECT_EQ(name_of(ShareKind::kFreeBefore), "free_before");
  EXPECT_EQ(name_of(ShareKind::kFreeAfter), "free_after");
  EXPECT_EQ(name_of(ShareKind::kBytes), "bytes");
}

}  // namespace
}  // namespace antifreeze::engines
