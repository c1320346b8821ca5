// The few fields of a journal entry that anybody here wants.
#pragma once

#include <string>

#include "journal/journal_file.h"
#include "journal/journal_source.h"

namespace antifreeze::journal {

/// Holds the text of one entry at a time.
class EntryFields {
 public:
  /// The entry with its views into this object, valid until the next call. `boot_id` must live as long.
  const BootEntry& read(const JournalFile& file, const EntryHead& head, std::string_view boot_id);

 private:
  void take(std::string_view field);

  BootEntry entry_;
  std::string scratch_;
  std::string message_, identifier_, comm_, unit_, container_, host_;
  bool kernel_ = false, driver_ = false, init_ = false;
};

}  // namespace antifreeze::journal
