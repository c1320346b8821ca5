// One error type for the whole project: a code, a sentence, and the chain of what was being done.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace antifreeze::core {

/// What kind of failure it was; decides exit codes and whether a retry makes sense.
enum class ErrorCode {
  kInvalid,      ///< the input is wrong: a value, a file's content, an option
  kNotFound,     ///< the thing does not exist
  kPermission,   ///< we are not allowed to
  kUnsupported,  ///< this machine or file system cannot do it
  kTampered,     ///< somebody changed what only we should change
  kTimeout,      ///< it took longer than it may
  kFull,         ///< no space, no inode, too many entries
  kSystem,       ///< any other system call failure
};

/// A failure. `what` is a full sentence for a person; `context` grows outwards as it is returned.
class Error {
 public:
  Error(ErrorCode code, std::string what, int sys_errno = 0)
      : code_(code), sys_errno_(sys_errno), what_(std::move(what)) {}

  [[nodiscard]] ErrorCode code() const { return code_; }
  /// The errno behind it, 0 when there was none.
  [[nodiscard]] int sys_errno() const { return sys_errno_; }
  /// "outer: inner: what happened", on one line.
  [[nodiscard]] const std::string& message() const { return what_; }

  /// Says what was being done when it failed, in front of what is already there.
  Error with_context(std::string_view doing) && {
    what_.insert(0, ": ");
    what_.insert(0, doing);
    return std::move(*this);
  }

 private:
  ErrorCode code_;
  int sys_errno_;
  std::string what_;
};

/// Makes an Error from errno: "DOING: strerror". Maps the errno to a code. Never touches the locale.
Error errno_error(std::string_view doing, int sys_errno);

/// A value or an Error. Must be looked at. Shaped so that std::expected can replace it under C++23.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  /// Only after has_value().
  T& value() & { return *std::get_if<0>(&state_); }
  const T& value() const& { return *std::get_if<0>(&state_); }
  T&& value() && { return std::move(*std::get_if<0>(&state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// Only after !has_value().
  Error& error() & { return *std::get_if<1>(&state_); }
  const Error& error() const& { return *std::get_if<1>(&state_); }
  Error&& error() && { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, Error> state_;
};

/// Success without a value.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  Error& error() & { return *error_; }
  const Error& error() const& { return *error_; }
  Error&& error() && { return std::move(*error_); }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace antifreeze::core
