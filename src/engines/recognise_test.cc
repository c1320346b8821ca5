#include "engines/recognise.h"

#include <gtest/gtest.h>

#include "engines/table.h"
#include "engines/test_env.h"

namespace antifreeze::engines {
namespace {

TEST(Recognise, KnowsEveryEngineByItsUsualCommand) {
  const struct {
    const char* line;
    const char* id;
    int port;
  } cases[] = {
      {"vllm serve Qwen/Qwen3-8B", "vllm", 8000},
      {"/usr/local/bin/vllm serve Qwen/Qwen3-8B --port 8001", "vllm", 8001},
      {"python3 /usr/local/bin/vllm serve m", "vllm", 8000},
      {"python -m vllm.entrypoints.openai.api_server --model m", "vllm", 8000},
      {"python3.12 -u -X dev -m vllm.entrypoints.openai.api_server --model m", "vllm", 8000},
      {"/opt/venv/bin/python -mvllm.entrypoints.openai.api_server --port 9000", "vllm", 9000},
      {"fakevllm serve m --port 8100", "vllm", 8100},
      {"aphrodite run m", "aphrodite", 2242},
      {"python -m sglang.launch_server --model-path m", "sglang", 30000},
      {"sglang serve --model-path m --port 30001", "sglang", 30001},
      {"fakesglang serve m --port 8101", "sglang", 8101},
      {"llama-server -m /models/x.gguf", "llama-server", 8080},
      {"/app/llama-server -hf ggml-org/gpt-oss-20b-GGUF --port 8012", "llama-server", 8012},
      {"fakellama serve m --port 8102", "llama-server", 8102},
      {"ollama serve", "ollama", 11434},
      {"/bin/ollama start", "ollama", 11434},
      {"fakeollama serve --port 8103", "ollama", 8103},
      {"text-embeddings-router --model-id BAAI/bge-m3", "tei", 3000},
      {"text-embeddings-router-90 --model-id BAAI/bge-m3 --port 80", "tei", 80},
      {"faketei --port 8104", "tei", 8104},
      {"trtllm-serve serve m", "trtllm", 8000},
      {"trtllm-serve m --port 8355", "trtllm", 8355},
      {"tritonserver --model-repository=/models", "triton", 8000},
      {"lmdeploy serve api_server m --server-port 23334", "lmdeploy", 23334},
      {"infinity_emb v2 --model-id m", "infinity", 7997},
      {"python3 /app/tabbyAPI/main.py", "tabbyapi", 5000},
  };
  for (const auto& c : cases) {
    const auto facts = recognise_line(c.line);
    ASSERT_TRUE(facts.has_value()) << c.line;
    EXPECT_EQ(facts->id, c.id) << c.line;
    EXPECT_EQ(facts->port, c.port) << c.line;
  }
}

TEST(Recognise, LooksThroughLaunchers) {
  for (const char* line : {
           "tini -- vllm serve m --port 9001",
           "/usr/bin/tini -g -s -e 143 -- vllm serve m --port 9001",
           "dumb-init --rewrite 15:2 -- vllm serve m --port 9001",
           "/sbin/docker-init -- vllm serve m --port 9001",
           "catatonit -- vllm serve m --port 9001",
           "env HF_HOME=/x CUDA_VISIBLE_DEVICES=0 vllm serve m --port 9001",
           "env -u LD_PRELOAD -i PATH=/bin vllm serve m --port 9001",
           "exec vllm serve m --port 9001",
           "nice -n 5 vllm serve m --port 9001",
           "nice -10 vllm serve m --port 9001",
           "ionice -c 2 -n 7 nice vllm serve m --port 9001",
           "numactl --cpunodebind=0 -m 0 vllm serve m --port 9001",
           "taskset -c 0-9 vllm serve m --port 9001",
           "chrt -b 0 vllm serve m --port 9001",
           "stdbuf -oL -e 0 vllm serve m --port 9001",
           "timeout -k 5 3600 vllm serve m --port 9001",
           "sudo -E -u vllm HF_HOME=/x vllm serve m --port 9001",
           "runuser -u vllm -- vllm serve m --port 9001",
           "gosu vllm vllm serve m --port 9001",
           "su-exec 1000:1000 vllm serve m --port 9001",
           "uv run vllm serve m --port 9001",
           "uv --directory /app run --with vllm --python 3.12 vllm serve m --port 9001",
           "uv run -m vllm.entrypoints.openai.api_server --port 9001",
           "uvx --from vllm vllm serve m --port 9001",
           "conda run -n llm --no-capture-output vllm serve m --port 9001",
           "poetry run vllm serve m --port 9001",
           "/opt/nvidia/nvidia_entrypoint.sh vllm serve m --port 9001",
           "bash /opt/nvidia/nvidia_entrypoint.sh vllm serve m --port 9001",
           "docker-entrypoint.sh vllm serve m --port 9001",
           "mpirun --allow-run-as-root -n 2 --mca btl self,tcp -x NCCL_DEBUG vllm serve m --port 9001",
           "antifreeze-run --name a --settle 30s -- vllm serve m --port 9001",
           "antifreeze run --name a -- vllm serve m --port 9001",
           "tini -- /opt/nvidia/nvidia_entrypoint.sh env A=1 nice exec vllm serve m --port 9001",
       }) {
    const auto facts = recognise_line(line);
    ASSERT_TRUE(facts.has_value()) << line;
    EXPECT_EQ(facts->id, "vllm") << line;
    EXPECT_EQ(facts->port, 9001) << line;
    EXPECT_EQ(facts->model.value_or("m"), "m") << line;
  }
}

TEST(Recognise, WhatEnvSetsReachesTheEngine) {
  EXPECT_EQ(recognise_line("env OLLAMA_HOST=0.0.0.0:7777 ollama serve")->port, 7777);
  EXPECT_EQ(recognise_line("env -u OLLAMA_HOST ollama serve", {{"OLLAMA_HOST", ":7777"}})->port, 11434);
  EXPECT_EQ(recognise_line("env -i ollama serve", {{"OLLAMA_HOST", ":7777"}})->port, 11434);
  EXPECT_EQ(recognise_line("sudo OLLAMA_HOST=:7778 ollama serve", {{"OLLAMA_HOST", ":7777"}})->port, 7778);
}

TEST(Recognise, OtherCommandsAreNoEngines) {
  for (const char* line : {
           "",
           "sleep 60",
           "vllm",
           "vllm bench serve --port 8000",
           "vllm chat",
           "fakevllm journal",
           "python",
           "python -m",
           "python -m http.server 8000",
           "python train.py --port 8000",
           "python main.py --port 8000",
           "python -c import(vllm)",
           "ollama pull qwen3",
           "ollama run qwen3",
           "echo vllm serve m",
           "lmdeploy serve proxy --server-port 8000",
           "lmdeploy chat m",
           "trtllm-serve disaggregated -c config.yaml",
           "llama-cli -m x.gguf",
           "bash /app/launch.sh",
           "bash",
           "tini --",
           "env",
           "env A=1",
           "uv sync",
           "uv run",
           "nice -n",
           "antifreeze-run vllm serve",
           "/app/vllm-benchmark serve m",
           "xvllm serve m",
       }) {
    EXPECT_FALSE(recognise_line(line).has_value()) << line;
  }
}

TEST(Recognise, EndlessNestingAndLengthAreRefused) {
  std::string line;
  for (int i = 0; i < 1000; ++i) line += "nice ";
  EXPECT_FALSE(recognise_line(line + "vllm serve m").has_value());
  const std::vector<std::string> many(5000, "vllm");
  EXPECT_FALSE(recognise(many, {}).has_value());
}

TEST(Recognise, AnEmptyEnvironmentViewIsAnEmptyEnvironment) {
  EXPECT_EQ(recognise(words_of("ollama serve"), EnvView())->port, 11434);
}

TEST(RecogniseAs, ReadsArgumentsBehindAnImagesEntrypoint) {
  const auto vllm = recognise_as("vllm", words_of("Qwen/Qwen3-8B --gpu-memory-utilization 0.4 --port 8005"), {});
  ASSERT_TRUE(vllm.has_value());
  EXPECT_EQ(vllm->model, "Qwen/Qwen3-8B");
  EXPECT_EQ(vllm->port, 8005);
  EXPECT_EQ(vllm->share, (Share{ShareKind::kTotal, 0.4, true}));
  EXPECT_EQ(recognise_as("tei", {}, env_of({{"PORT", "80"}}))->id, "tei");
  EXPECT_FALSE(recognise_as("nothing", {}, {}).has_value());
}

TEST(Table, IdsAreDifferentAndRowsAreWhole) {
  std::map<std::string_view, int> seen;
  for (const Dialect* dialect : all_dialects()) {
    EXPECT_EQ(++seen[dialect->id], 1) << dialect->id;
    EXPECT_EQ(dialect_of(dialect->id), dialect);
    EXPECT_FALSE(dialect->forms.empty()) << dialect->id;
    EXPECT_FALSE(dialect->ready_statuses.empty()) << dialect->id;
    EXPECT_TRUE(dialect->health_path.starts_with('/')) << dialect->id;
    EXPECT_NE(dialect->default_port, 0) << dialect->id;
    ASSERT_NE(dialect->read, nullptr) << dialect->id;
    for (const Form& form : dialect->forms) EXPECT_TRUE(!form.needs_proof || dialect->confirms) << dialect->id;
    for (const Flag& flag : dialect->flags) {
      EXPECT_TRUE(flag.name.starts_with('-')) << flag.name;
      EXPECT_EQ(flag.name.find('_'), std::string_view::npos) << flag.name;
    }
  }
  EXPECT_EQ(seen.size(), 11U);
}

}  // namespace
}  // namespace antifreeze::engines
