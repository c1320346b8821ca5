// Reads HTTP/1.x requests out of a byte stream: heads, bodies with a length, chunked bodies.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace antifreeze::fakevllm {

struct HttpRequest {
  std::string method;
  std::string path;  ///< without the query
  std::string query;
  std::map<std::string, std::string, std::less<>> headers;  ///< names in lower case
  std::string body;
  bool keep_alive = true;
  bool http10 = false;  ///< no chunked answers

  [[nodiscard]] std::string_view header(std::string_view name) const;
  /// Value of a query parameter, "" when absent.
  [[nodiscard]] std::string_view parameter(std::string_view name) const;
};

/// One request after another. Feed bytes, then ask next().
class HttpReader {
 public:
  enum class State {
    kNeedMore,
    kComplete,  ///< take() it
    kBad,       ///< answer with bad_status() and close
  };

  void feed(std::string_view bytes) { buffer_ += bytes; }
  State next();
  /// The complete request; what follows it stays in the buffer.
  HttpRequest take();
  [[nodiscard]] int bad_status() const { return bad_status_; }
  /// True once for each request whose client waits for "100 Continue" before it sends the body.
  bool wants_continue();
  /// Nothing of a next request has come yet.
  [[nodiscard]] bool idle() const { return buffer_.empty() && !have_head_; }

 private:
  State bad(int status) {
    bad_status_ = status;
    return State::kBad;
  }
  State read_head();
  State read_chunks();

  std::string buffer_;
  HttpRequest request_;
  bool have_head_ = false;
  bool chunked_ = false;
  bool continue_pending_ = false;
  std::size_t length_ = 0;
  int bad_status_ = 400;
};

}  // namespace antifreeze::fakevllm
