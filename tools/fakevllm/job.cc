#include "fakevllm/job.h"

#include <ctime>

#include "fakevllm/json_text.h"

namespace antifreeze::fakevllm {
namespace {

constexpr std::string_view kWord = "ice ";  // what each token says

bool ollama(const Job& job) { return job.kind == Job::Kind::kGenerate || job.kind == Job::Kind::kOllamaChat; }

std::string words(std::uint64_t count) {
  std::string text;
  for (std::uint64_t i = 0; i < count; ++i) text += kWord;
  return text;
}

/// {"id":…,"object":…,"created":…,"model":…  — the rest is the caller's.
std::string opening(const std::string& id, const Job& job, std::string_view object) {
  const bool chat = job.kind == Job::Kind::kChat;
  return std::string("{\"id\":\"") + (chat ? "chatcmpl-" : "cmpl-") + id + "\",\"object\":\"" + std::string(object) +
         "\",\"created\":" + std::to_string(std::time(nullptr)) + ",\"model\":" + json_string(job.model);
}

std::string usage(const Job& job) {
  return "\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":" + std::to_string(job.produced) +
         ",\"total_tokens\":" + std::to_string(job.produced + 1) + "}";
}

std::string ollama_line(const Job& job, std::string_view text, bool done, std::string_view why) {
  std::string out = "{\"model\":" + json_string(job.model) + ",\"created_at\":\"2026-01-01T00:00:00Z\",";
  if (job.kind == Job::Kind::kGenerate) {
    out += "\"response\":" + json_string(text);
  } else {
    out += "\"message\":{\"role\":\"assistant\",\"content\":" + json_string(text) + "}";
  }
  out += done ? ",\"done\":true,\"done_reason\":\"" + std::string(why) +
                    "\",\"eval_count\":" + std::to_string(job.produced) + "}"
              : ",\"done\":false}";
  return out + "\n";
}

}  // namespace

std::string_view stream_type(const Job& job) { return ollama(job) ? "application/x-ndjson" : "text/event-stream"; }

std::string stream_piece(const std::string& id, const Job& job) {
  if (ollama(job)) return ollama_line(job, kWord, false, "");
  if (job.kind == Job::Kind::kChat) {
    return "data: " + opening(id, job, "chat.completion.chunk") +
           ",\"choices\":[{\"index\":0,\"delta\":{\"content\":" + json_string(kWord) +
           "},\"finish_reason\":null}]}\n\n";
  }
  return "data: " + opening(id, job, "text_completion") + ",\"choices\":[{\"index\":0,\"text\":" + json_string(kWord) +
         ",\"finish_reason\":null}]}\n\n";
}

std::string stream_end(const std::string& id, const Job& job) {
  if (ollama(job)) return ollama_line(job, "", true, job.tokens == 0 ? "load" : "stop");
  (void)id;
  return "data: [DONE]\n\n";
}

std::string whole_answer(const std::string& id, const Job& job) {
  switch (job.kind) {
    case Job::Kind::kGenerate:
    case Job::Kind::kOllamaChat:
      return ollama_line(job, words(job.produced), true, job.tokens == 0 ? "load" : "stop");
    case Job::Kind::kChat:
      return opening(id, job, "chat.completion") +
             ",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":" +
             json_string(words(job.produced)) + "},\"finish_reason\":\"length\"}]," + usage(job) + "}";
    case Job::Kind::kEmbedding:
      return "{\"object\":\"list\",\"model\":" + json_string(job.model) +
             ",\"data\":[{\"object\":\"embedding\",\"index\":0,\"embedding\":[0.1,0.2,0.3,0.4]}]," + usage(job) + "}";
    case Job::Kind::kCompletion:
      return opening(id, job, "text_completion") +
             ",\"choices\":[{\"index\":0,\"text\":" + json_string(words(job.produced)) +
             ",\"finish_reason\":\"length\"}]," + usage(job) + "}";
    default:
      return {};
  }
}

std::string openai_error(int code, std::string_view type, std::string_view text) {
  return "{\"error\":{\"message\":" + json_string(text) + ",\"type\":" + json_string(type) +
         ",\"code\":" + std::to_string(code) + "}}";
}

std::string error_answer(const Job& job, std::string_view text) {
  if (ollama(job)) return "{\"error\":" + json_string(text) + "}";
  return openai_error(500, "InternalServerError", text);
}

std::string error_piece(const Job& job, std::string_view text) {
  if (ollama(job)) return error_answer(job, text) + "\n";
  return "data: " + error_answer(job, text) + "\n\n";
}

}  // namespace antifreeze::fakevllm
