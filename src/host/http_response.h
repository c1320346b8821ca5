// Reads an HTTP/1.x answer as far as a readiness probe needs it: the status, and where the answer ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace antifreeze::host {

/// Fed with bytes in any portions, keeps at most one line of them. What the other side sends is not trusted: a status
/// line and header fields of together more than kMaxHead bytes, or anything that does not look like HTTP, are bad.
class HttpResponseReader {
 public:
  static constexpr std::size_t kMaxHead = 8192;

  enum class State {
    kHead,  ///< status line or header fields still to come
    kBody,  ///< the status is known; content follows, or the peer closes
    kDone,  ///< the answer is complete
    kBad,   ///< not HTTP; see reason()
  };

  /// Takes the next bytes. After kDone or kBad further bytes are ignored.
  State feed(std::string_view bytes);
  /// The peer has closed its side. An answer whose head is complete is then complete as well: a probe does not mind a
  /// body that was cut.
  State finish();

  [[nodiscard]] State state() const { return state_; }
  /// 200…599 once the head is read; provisional answers (1xx) are passed over.
  [[nodiscard]] std::optional<int> status() const { return status_; }
  /// Why the answer is bad, for a log line; printable, short.
  [[nodiscard]] const std::string& reason() const { return reason_; }

 private:
  bool take_head_byte(char c);
  bool end_of_line();
  bool read_status_line();
  void read_field();
  void end_of_head();
  void take_body(std::string_view bytes);
  bool bad(std::string reason);

  State state_ = State::kHead;
  std::string line_;
  std::size_t head_bytes_ = 0;
  bool in_fields_ = false;  ///< the status line of the current head has been read
  int current_status_ = 0;
  std::optional<int> status_;
  std::optional<std::uint64_t> length_left_;
  bool chunked_ = false;
  std::string tail_;  ///< the last bytes of a chunked body, to see its end
  std::string reason_;
};

}  // namespace antifreeze::host
