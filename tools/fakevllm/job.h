// A request that an engine works on, and how its answer reads in each API.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fakevllm/clock.h"
#include "fakevllm/http_server.h"

namespace antifreeze::fakevllm {

struct Job {
  enum class Kind {
    kCompletion,  ///< /v1/completions
    kChat,        ///< /v1/chat/completions
    kEmbedding,   ///< /v1/embeddings and TEI's /embed
    kGenerate,    ///< Ollama's /api/generate
    kOllamaChat,  ///< Ollama's /api/chat
    kProbe,       ///< SGLang's /health, which generates a token
    kSleep,
    kWake,
  };

  ConnectionId connection = 0;
  Kind kind = Kind::kCompletion;
  std::string engine;  ///< which one: "" or Ollama's model
  std::string model;   ///< as the answer names it
  bool stream = false;
  bool started = false;  ///< the engine has been told
  bool headed = false;   ///< the head of a stream went out
  std::uint64_t tokens = 0;
  std::uint64_t produced = 0;
  std::int64_t deadline_ns = kNever;  ///< answer 503 then
};

/// Content type of its streams.
std::string_view stream_type(const Job& job);
/// One piece of a stream for the token just produced.
std::string stream_piece(const std::string& id, const Job& job);
/// What ends a stream.
std::string stream_end(const std::string& id, const Job& job);
/// A whole answer.
std::string whole_answer(const std::string& id, const Job& job);
/// An error as that API words it; in a stream it is one more piece.
std::string error_answer(const Job& job, std::string_view text);
std::string error_piece(const Job& job, std::string_view text);
/// {"error":{"message":…,"type":…,"code":…}}, as OpenAI-like servers answer.
std::string openai_error(int code, std::string_view type, std::string_view text);

}  // namespace antifreeze::fakevllm
