#include "fakevllm/ledger_image.h"

#include <algorithm>
#include <cstring>

namespace antifreeze::fakevllm {

std::uint64_t LedgerImage::used() const {
  std::uint64_t sum = 0;
  for (const auto& record : records) sum += record.torch + record.non_torch;
  return sum;
}

std::uint64_t LedgerImage::free_bytes(bool count_cache) const {
  const std::uint64_t gone = used() + (header.unified != 0 && count_cache ? header.page_cache : 0);
  return gone >= header.total ? 0 : header.total - gone;
}

LedgerRecord* LedgerImage::find(std::uint64_t life) {
  const auto it = std::ranges::find(records, life, &LedgerRecord::life);
  return it == records.end() ? nullptr : &*it;
}

void LedgerImage::reclaim_cache() {
  if (header.unified != 0) header.page_cache = std::min(header.page_cache, free_bytes(false));
}

void LedgerImage::add_cache(std::uint64_t bytes) {
  header.page_cache += bytes;
  reclaim_cache();
}

void set_field(char* field, std::size_t size, std::string_view text) {
  std::memset(field, 0, size);
  std::memcpy(field, text.data(), std::min(text.size(), size - 1));
}

}  // namespace antifreeze::fakevllm
