// A journal file that a power cut, or somebody, has changed: reading goes forward, ends, and stays within the bytes.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "journal/journal_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace antifreeze::journal;
  auto file = JournalFile::from_bytes(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!file) return 0;
  std::uint64_t skipped = 0;
  std::uint64_t offset = file->first_offset();
  std::string scratch;
  while (const auto entry = file->next_entry(offset, skipped)) {
    if (entry->offset < offset || entry->offset + entry->size > size) std::abort();
    file->for_each_field(*entry, scratch, [&](std::string_view field) {
      if (field.size() > size + 64U * 1024) std::abort();
    });
    offset = entry->end();
  }
  return 0;
}
