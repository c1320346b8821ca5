// Takes out of a text what names a machine, its owner or a secret, and leaves what a verdict needs.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace antifreeze::redact {

/// What is known by name beforehand, because no pattern tells it from an ordinary word.
struct Names {
  std::vector<std::string> hosts;  ///< "gpu7" or "gpu7.example.org"; shorter than three letters are passed over
  std::vector<std::string> users;  ///< people's accounts, not root's and the system's
};

/// Replaces host and user names, addresses, serial numbers, unique ids, mail addresses and secrets. Equal things get
/// equal stand-ins ("ip-1", "user-2"), so that it still shows who talked to whom. PCI addresses, Xid numbers, times,
/// versions, register values, loopback addresses, unit names and the host's hardware model stay.
///
/// It cannot know a name that looks like an ordinary word and was not given: what leaves the house should be read
/// before.
class Redactor {
 public:
  explicit Redactor(const Names& names);
  ~Redactor();
  Redactor(const Redactor&) = delete;
  Redactor& operator=(const Redactor&) = delete;

  /// `text` may have several lines and any bytes. Doing it twice changes nothing more.
  std::string text(std::string_view text);

 private:
  struct Patterns;

  std::string stand_in(std::string_view kind, std::string_view original);
  std::string addresses(std::string_view text);
  std::string around_keys(std::string_view text);

  std::unique_ptr<Patterns> patterns_;
  std::map<std::string, std::string> known_;        // kind:original -> stand-in
  std::map<std::string, int, std::less<>> counts_;  // of stand-ins, by kind
};

}  // namespace antifreeze::redact
