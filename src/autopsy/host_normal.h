// What is ordinary on this host: the lines of boots that ended in order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "autopsy/autopsy_types.h"
#include "signs/catalogue.h"

namespace antifreeze::autopsy {

/// A line that also stands in boots that ended well says next to nothing: healthy starts logged NV_ERR_NO_MEMORY where
/// the one that aborted logged none (vllm-project/vllm 56824).
class HostNormal {
 public:
  HostNormal(const std::vector<Boot>& boots, const signs::Catalogue& catalogue);

  /// 1 for what no good boot has, near 0 for what each has. Nothing is known without a good boot: 1.
  [[nodiscard]] double rarity(const Tally& tally, const Boot& in) const;
  /// The most lines of it in a minute of a good boot.
  [[nodiscard]] std::uint64_t usual_burst(const Tally& tally, const Boot& in) const;
  /// Boots that ended in order, without `boot` itself.
  [[nodiscard]] std::size_t good_boots(const Boot& boot) const;
  /// Other boots that ended badly and have it too.
  [[nodiscard]] std::size_t bad_boots_with(const Tally& tally, const Boot& in) const;

 private:
  using Key = std::pair<std::size_t, int>;
  struct Seen {
    std::vector<const Boot*> good;
    std::vector<const Boot*> bad;
    std::vector<std::pair<const Boot*, std::uint64_t>> bursts;
  };
  static Key key(const Tally& tally) { return {tally.sign, tally.xid.value_or(-1)}; }

  std::map<Key, Seen> seen_;
  std::vector<const Boot*> good_;
};

}  // namespace antifreeze::autopsy
