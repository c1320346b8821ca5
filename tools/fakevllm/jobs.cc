#include "fakevllm/jobs.h"

#include <algorithm>

#include "core/text.h"

namespace antifreeze::fakevllm {
namespace {

constexpr std::string_view kJson = "application/json";

/// "tok j7 rest" -> {7, "rest"}; 0 for no id.
std::pair<std::uint64_t, std::string_view> id_and_rest(std::string_view text) {
  const auto blank = text.find(' ');
  auto id = text.substr(0, blank);
  if (id.starts_with("j")) id.remove_prefix(1);
  return {core::parse_uint(id).value_or(0), blank == std::string_view::npos ? "" : text.substr(blank + 1)};
}

}  // namespace

std::string Jobs::add(Job job) {
  const auto id = next_id_++;
  log_("request", name(id), job);
  jobs_.emplace(id, std::move(job));
  return name(id);
}

bool Jobs::take_message(const std::string& engine, std::string_view message) {
  const auto blank = message.find(' ');
  const auto verb = message.substr(0, blank);
  const auto rest = blank == std::string_view::npos ? std::string_view() : message.substr(blank + 1);
  if (verb == "slept") {
    answer_first(engine, Job::Kind::kSleep, 200, "");
    return true;
  }
  if (verb == "awake" || verb == "wakefail") {
    const bool fine = verb == "awake";
    answer_first(engine, Job::Kind::kWake, fine ? 200 : 500,
                 fine ? "" : openai_error(500, "InternalServerError", rest));
    return true;
  }
  if (verb != "tok" && verb != "done" && verb != "err") return false;
  const auto [id, text] = id_and_rest(rest);
  const auto it = jobs_.find(id);
  if (it == jobs_.end()) return true;  // aborted meanwhile
  if (verb == "done") {
    finish(it);
  } else if (verb == "err") {
    fail(it, text, false);
  } else {
    auto& job = it->second;
    ++job.produced;
    if (job.stream) {
      if (!job.headed) http_.begin_stream(job.connection, stream_type(job));
      job.headed = true;
      http_.stream(job.connection, stream_piece(name(id), job));
    }
  }
  return true;
}

void Jobs::answer_first(const std::string& engine, Job::Kind kind, int status, std::string_view body) {
  const auto it = std::ranges::find_if(
      jobs_, [&](const auto& entry) { return entry.second.kind == kind && entry.second.engine == engine; });
  if (it == jobs_.end()) return;
  const Job job = it->second;
  jobs_.erase(it);
  http_.respond(job.connection, status, body.empty() ? "" : kJson, body);
}

void Jobs::finish(Map::iterator it) {
  const std::string id = name(it->first);
  // Off the list first: writing may find that the client is gone and come back here.
  const Job job = it->second;
  jobs_.erase(it);
  log_("request_end", id, job);
  if (job.stream) {
    if (!job.headed) http_.begin_stream(job.connection, stream_type(job));
    http_.stream(job.connection, stream_end(id, job));
    http_.end_stream(job.connection);
  } else if (job.kind == Job::Kind::kProbe) {
    http_.respond(job.connection, 200, "", "");
  } else {
    http_.respond(job.connection, 200, kJson, whole_answer(id, job));
  }
}

void Jobs::fail(Map::iterator it, std::string_view text, bool close) {
  const Job job = it->second;
  const std::string id = name(it->first);
  jobs_.erase(it);
  log_("abort", id, job);
  if (job.headed) {
    http_.stream(job.connection, error_piece(job, text));
    http_.abort(job.connection);
    return;
  }
  if (close) http_.close_after(job.connection);
  http_.respond(job.connection, job.kind == Job::Kind::kProbe ? 503 : 500, kJson, error_answer(job, text));
}

std::optional<std::pair<std::string, std::string>> Jobs::drop_connection(ConnectionId connection) {
  const auto it = std::ranges::find_if(jobs_, [&](const auto& entry) { return entry.second.connection == connection; });
  if (it == jobs_.end()) return std::nullopt;
  const Job job = it->second;
  const auto id = name(it->first);
  jobs_.erase(it);
  log_("abort", id, job);
  return std::pair(id, job.engine);
}

void Jobs::fail_all(const std::string* engine, std::string_view text, bool close) {
  for (auto it = jobs_.begin(); it != jobs_.end();) {
    const auto current = it++;
    if (engine == nullptr || current->second.engine == *engine) fail(current, text, close);
  }
}

void Jobs::expire(std::int64_t now_ns) {
  for (auto it = jobs_.begin(); it != jobs_.end();) {
    const auto current = it++;
    if (current->second.deadline_ns <= now_ns) fail(current, "timed out", false);
  }
}

std::int64_t Jobs::next_deadline() const {
  std::int64_t deadline = kNever;
  for (const auto& [id, job] : jobs_) deadline = std::min(deadline, job.deadline_ns);
  return deadline;
}

void Jobs::start_waiting(const std::string& engine, const std::function<void(const std::string& id, Job& job)>& start) {
  for (auto it = jobs_.begin(); it != jobs_.end();) {
    const auto current = it++;
    auto& job = current->second;
    if (job.engine != engine || job.started) continue;
    job.started = true;
    if (job.kind == Job::Kind::kSleep || job.kind == Job::Kind::kWake || job.tokens > 0) {
      start(name(current->first), job);
    } else {
      finish(current);  // Ollama: only to be loaded
    }
  }
}

bool Jobs::busy(const std::string& engine) const {
  return std::ranges::any_of(jobs_, [&](const auto& entry) { return entry.second.engine == engine; });
}

std::size_t Jobs::count(bool started) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(jobs_, [&](const auto& entry) { return entry.second.started == started; }));
}

}  // namespace antifreeze::fakevllm
