#include "journal/entry_fields.h"

#include "core/text.h"

namespace antifreeze::journal {
namespace {

// Messages are looked at up to 4 KiB; the rest of a megabyte of them is never copied.
constexpr std::size_t kMaxMessage = 16 * 1024;
constexpr std::size_t kMaxName = 256;

bool cut(std::string_view field, std::string_view name, std::string_view& value) {
  if (!field.starts_with(name)) return false;
  value = field.substr(name.size());
  return true;
}

}  // namespace

void EntryFields::take(std::string_view field) {
  std::string_view value;
  if (cut(field, "MESSAGE=", value)) {
    message_.assign(value.substr(0, kMaxMessage));
  } else if (cut(field, "_TRANSPORT=", value)) {
    kernel_ = value == "kernel";
    driver_ = value == "driver";
  } else if (cut(field, "PRIORITY=", value)) {
    if (const auto level = core::parse_int(value.substr(0, 4)); level && *level >= 0 && *level <= 7) {
      entry_.entry.priority = static_cast<int>(*level);
    }
  } else if (cut(field, "SYSLOG_IDENTIFIER=", value)) {
    identifier_.assign(value.substr(0, kMaxName));
  } else if (cut(field, "_COMM=", value)) {
    comm_.assign(value.substr(0, kMaxName));
  } else if (cut(field, "_SYSTEMD_UNIT=", value)) {
    unit_.assign(value.substr(0, kMaxName));
  } else if (cut(field, "_HOSTNAME=", value)) {
    host_.assign(value.substr(0, kMaxName));
  } else if (cut(field, "CONTAINER_NAME=", value)) {
    container_.assign(value.substr(0, kMaxName));
  } else if (field == "_PID=1") {
    init_ = true;
  }
}

const BootEntry& EntryFields::read(const JournalFile& file, const EntryHead& head, std::string_view boot_id) {
  using readings::LogOrigin;
  entry_ = {};
  message_.clear();
  identifier_.clear();
  comm_.clear();
  unit_.clear();
  container_.clear();
  host_.clear();
  kernel_ = driver_ = init_ = false;
  file.for_each_field(head, scratch_, [this](std::string_view field) { take(field); });

  entry_.boot_id = boot_id;
  entry_.entry.wall = core::WallTime{static_cast<std::int64_t>(head.realtime_us) * 1000};
  entry_.entry.mono = core::MonoTime{static_cast<std::int64_t>(head.monotonic_us) * 1000};
  entry_.entry.identifier = identifier_.empty() ? std::string_view(comm_) : std::string_view(identifier_);
  entry_.entry.unit = container_.empty() ? std::string_view(unit_) : std::string_view(container_);
  entry_.entry.host = host_;
  entry_.entry.message = message_;
  // _TRANSPORT, _PID and _COMM are journald's own word; SYSLOG_IDENTIFIER is the sender's.
  if (kernel_) {
    entry_.entry.origin = LogOrigin::kKernel;
  } else if (driver_ || comm_ == "systemd-journal") {
    entry_.entry.origin = LogOrigin::kJournald;
  } else if (init_) {
    entry_.entry.origin = LogOrigin::kInit;
  } else {
    entry_.entry.origin = LogOrigin::kService;
  }
  return entry_;
}

}  // namespace antifreeze::journal
