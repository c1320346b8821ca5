#include "host/http_response.h"

#include <algorithm>

#include "core/text.h"

namespace antifreeze::host {
namespace {

constexpr std::string_view kLastChunk = "0\r\n\r\n";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_ignoring_case(std::string_view text, std::string_view lower_case) {
  return text.size() == lower_case.size() &&
         std::equal(text.begin(), text.end(), lower_case.begin(), [](char a, char b) { return lower(a) == b; });
}

}  // namespace

HttpResponseReader::State HttpResponseReader::feed(std::string_view bytes) {
  std::size_t used = 0;
  while (state_ == State::kHead && used < bytes.size()) {
    if (!take_head_byte(bytes[used++])) break;
  }
  if (state_ == State::kBody) take_body(bytes.substr(used));
  return state_;
}

HttpResponseReader::State HttpResponseReader::finish() {
  if (state_ == State::kHead) {
    bad(head_bytes_ == 0 ? "closed the connection without an answer"
                         : "closed the connection within the answer's head");
  }
  if (state_ == State::kBody) state_ = State::kDone;
  return state_;
}

bool HttpResponseReader::take_head_byte(char c) {
  if (++head_bytes_ > kMaxHead) return bad("sent more than 8 KiB of header fields");
  if (c != '\n') {
    line_ += c;
    // Told apart early, so that a server that speaks something else and never sends a line feed is named as such.
    constexpr std::string_view kStart = "HTTP/1.";
    if (!in_fields_ && line_.size() <= kStart.size() && line_.back() != kStart[line_.size() - 1]) {
      return bad("answered with something that is not HTTP/1");
    }
    return true;
  }
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  return end_of_line();
}

bool HttpResponseReader::end_of_line() {
  if (!in_fields_) {
    if (!read_status_line()) return false;
    in_fields_ = true;
  } else if (line_.empty()) {
    end_of_head();
  } else {
    read_field();
  }
  line_.clear();
  return state_ == State::kHead;
}

bool HttpResponseReader::read_status_line() {
  // "HTTP/1.x NNN[ reason]"
  const std::string_view line = line_;
  const bool shaped =
      line.size() >= 12 && is_digit(line[7]) && line[8] == ' ' && (line.size() == 12 || line[12] == ' ');
  const auto status = shaped ? core::parse_int(line.substr(9, 3)) : std::nullopt;
  if (!status || *status < 100 || *status > 599) return bad("answered with a malformed HTTP status line");
  current_status_ = static_cast<int>(*status);
  return true;
}

void HttpResponseReader::read_field() {
  const auto colon = line_.find(':');
  if (colon == std::string::npos) return;
  const auto name = core::trim(std::string_view(line_).substr(0, colon));
  const auto value = core::trim(std::string_view(line_).substr(colon + 1));
  if (equal_ignoring_case(name, "content-length")) length_left_ = core::parse_uint(value);
  if (equal_ignoring_case(name, "transfer-encoding")) chunked_ = equal_ignoring_case(value, "chunked");
}

void HttpResponseReader::end_of_head() {
  in_fields_ = false;
  if (current_status_ < 200) {  // "100 Continue" and the like: the real answer follows
    length_left_.reset();
    chunked_ = false;
    return;
  }
  status_ = current_status_;
  if (chunked_) length_left_.reset();  // RFC 9112 6.3: chunked wins
  const bool bodiless = current_status_ == 204 || current_status_ == 304;
  state_ = bodiless || (length_left_ && *length_left_ == 0) ? State::kDone : State::kBody;
}

void HttpResponseReader::take_body(std::string_view bytes) {
  if (length_left_) {
    *length_left_ -= std::min<std::uint64_t>(*length_left_, bytes.size());
    if (*length_left_ == 0) state_ = State::kDone;
  } else if (chunked_) {
    // The bytes of the last chunk may also occur inside the content: then we stop too early, which only costs the
    // server an unread rest.
    tail_ += bytes;
    if (tail_.find(kLastChunk) != std::string::npos) state_ = State::kDone;
    if (tail_.size() >= kLastChunk.size()) tail_.erase(0, tail_.size() - (kLastChunk.size() - 1));
  }
}

bool HttpResponseReader::bad(std::string reason) {
  state_ = State::kBad;
  reason_ = std::move(reason);
  return false;
}

}  // namespace antifreeze::host
