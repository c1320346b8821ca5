// All requests that engines work on: who waits for which answer.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "fakevllm/job.h"

namespace antifreeze::fakevllm {

/// Turns an engine's messages into answers. Knows connections, not processes.
class Jobs {
 public:
  /// `log` hears "request", "request_end" and "abort" with the job's id; it may do nothing.
  using Log = std::function<void(std::string_view what, const std::string& id, const Job& job)>;

  Jobs(HttpServer& http, Log log) : http_(http), log_(std::move(log)) {}

  /// Takes a request on; returns its id.
  std::string add(Job job);
  /// "tok ID", "done ID", "err ID TEXT", "slept", "awake", "wakefail TEXT". False for anything else.
  bool take_message(const std::string& engine, std::string_view message);
  /// The client is gone: forgets the job and returns its id and engine, so that the engine can be told.
  std::optional<std::pair<std::string, std::string>> drop_connection(ConnectionId connection);
  /// Ends all jobs of an engine, of all when `engine` is null, with an error; their connections close when `close`.
  void fail_all(const std::string* engine, std::string_view text, bool close);
  /// Answers those whose own deadline is over.
  void expire(std::int64_t now_ns);
  [[nodiscard]] std::int64_t next_deadline() const;
  /// Jobs that wait for this engine to be told, in order of arrival.
  void start_waiting(const std::string& engine, const std::function<void(const std::string& id, Job& job)>& start);
  [[nodiscard]] bool busy(const std::string& engine) const;
  [[nodiscard]] std::size_t count(bool started) const;
  [[nodiscard]] bool empty() const { return jobs_.empty(); }

 private:
  using Map = std::map<std::uint64_t, Job>;
  void finish(Map::iterator it);
  void fail(Map::iterator it, std::string_view text, bool close);
  void answer_first(const std::string& engine, Job::Kind kind, int status, std::string_view body);
  static std::string name(std::uint64_t id) { return "j" + std::to_string(id); }

  HttpServer& http_;
  Log log_;
  Map jobs_;
  std::uint64_t next_id_ = 1;
};

}  // namespace antifreeze::fakevllm
