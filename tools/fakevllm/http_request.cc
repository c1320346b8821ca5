#include "fakevllm/http_request.h"

#include <algorithm>
#include <utility>

#include "core/text.h"

namespace antifreeze::fakevllm {
namespace {

// Enough for any client of a test; a bigger head or body is a mistake.
constexpr std::size_t kMaxHead = 64 * 1024;
constexpr std::size_t kMaxBody = 16 * 1024 * 1024;

std::string lower(std::string_view text) {
  std::string out(text);
  for (auto& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return out;
}

}  // namespace

std::string_view HttpRequest::header(std::string_view name) const {
  const auto it = headers.find(name);
  return it == headers.end() ? std::string_view() : it->second;
}

std::string_view HttpRequest::parameter(std::string_view name) const {
  for (const auto pair : core::split(query, '&')) {
    const auto equals = pair.find('=');
    if (pair.substr(0, equals) == name) return equals == std::string_view::npos ? "" : pair.substr(equals + 1);
  }
  return {};
}

HttpReader::State HttpReader::next() {
  if (!have_head_) {
    const auto state = read_head();
    if (state != State::kComplete) return state;
  }
  if (chunked_) return read_chunks();
  if (buffer_.size() < length_) return State::kNeedMore;
  request_.body = buffer_.substr(0, length_);
  buffer_.erase(0, length_);
  return State::kComplete;
}

HttpReader::State HttpReader::read_head() {
  while (buffer_.starts_with("\r\n")) buffer_.erase(0, 2);  // RFC 9112, 2.2: robust against a stray line
  const auto end = buffer_.find("\r\n\r\n");
  if (end == std::string::npos) return buffer_.size() > kMaxHead ? bad(431) : State::kNeedMore;
  const std::string head = buffer_.substr(0, end + 2);
  buffer_.erase(0, end + 4);
  std::string_view rest = head;
  const auto line = core::next_line(rest).value_or("");
  const auto words = core::split_words(core::trim(line));
  if (words.size() != 3 || !words[2].starts_with("HTTP/1.")) return bad(words.size() == 3 ? 505 : 400);
  request_ = {};
  request_.method = words[0];
  const auto question = words[1].find('?');
  request_.path = words[1].substr(0, question);
  if (question != std::string_view::npos) request_.query = words[1].substr(question + 1);
  while (const auto header = core::next_line(rest)) {
    const auto colon = header->find(':');
    if (colon == std::string_view::npos || colon == 0) return bad(400);
    request_.headers.insert_or_assign(lower(header->substr(0, colon)),
                                      std::string(core::trim(header->substr(colon + 1))));
  }
  request_.http10 = words[2] == "HTTP/1.0";
  const auto connection = lower(request_.header("connection"));
  request_.keep_alive = request_.http10 ? connection == "keep-alive" : connection != "close";
  chunked_ = lower(request_.header("transfer-encoding")) == "chunked";
  length_ = 0;
  if (const auto length = request_.header("content-length"); !length.empty()) {
    const auto number = core::parse_uint(length);
    if (!number || chunked_) return bad(400);
    if (*number > kMaxBody) return bad(413);
    length_ = *number;
  }
  continue_pending_ = lower(request_.header("expect")) == "100-continue" && (chunked_ || length_ > 0);
  have_head_ = true;
  return State::kComplete;
}

HttpReader::State HttpReader::read_chunks() {
  for (;;) {
    const auto end = buffer_.find("\r\n");
    if (end == std::string::npos) return State::kNeedMore;
    const auto size_text = core::trim(std::string_view(buffer_).substr(0, std::min(end, buffer_.find(';'))));
    const auto size = core::parse_uint(size_text, 16);
    if (!size) return bad(400);
    if (request_.body.size() + *size > kMaxBody) return bad(413);
    if (*size == 0) {
      // The last chunk, then trailers up to an empty line.
      const auto done = buffer_.find("\r\n\r\n", end);
      if (done == std::string::npos) return State::kNeedMore;
      buffer_.erase(0, done + 4);
      return State::kComplete;
    }
    if (buffer_.size() < end + 2 + *size + 2) return State::kNeedMore;
    request_.body += buffer_.substr(end + 2, *size);
    buffer_.erase(0, end + 2 + *size + 2);
  }
}

HttpRequest HttpReader::take() {
  have_head_ = false;
  continue_pending_ = false;
  return std::exchange(request_, {});
}

bool HttpReader::wants_continue() { return have_head_ && std::exchange(continue_pending_, false); }

}  // namespace antifreeze::fakevllm
