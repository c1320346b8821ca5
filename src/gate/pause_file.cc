#include "gate/pause_file.h"

#include <algorithm>

#include "core/text.h"
#include "gate/record_text.h"

namespace antifreeze::gate {
namespace {

using core::Error;
using core::ErrorCode;

constexpr std::string_view kMagic = "antifreeze-pause 1";
constexpr std::int64_t kMaxNs = std::int64_t{1} << 61;

}  // namespace

std::string encode_pause(const Pause& pause) {
  RecordWriter out(kMagic);
  out.add("boot_id", pause.boot_id, 64);
  out.add("from", std::clamp<std::int64_t>(pause.from.ns, 0, kMaxNs));
  out.add("until", std::clamp<std::int64_t>(pause.until.ns, 0, kMaxNs));
  out.add("reason", pause.reason, 512);
  out.add("by", pause.by, 128);
  return out.finish();
}

core::Result<Pause> decode_pause(std::string_view file) {
  auto reader = RecordReader::open(file, kMagic, kPauseFileBytes);
  if (!reader) return std::move(reader).error().with_context("not a pause");
  Pause pause;
  bool has_from = false;
  bool has_until = false;
  while (const auto field = reader->next()) {
    if (field->key == "boot_id") pause.boot_id = field->text();
    if (field->key == "reason") pause.reason = field->text();
    if (field->key == "by") pause.by = field->text();
    if (field->key != "from" && field->key != "until") continue;
    const auto ns = field->number(0, kMaxNs);
    if (!ns) return Error(ErrorCode::kTampered, "not a pause: bad value for " + core::printable(field->key, 32));
    (field->key == "from" ? pause.from : pause.until) = core::BootTime{*ns};
    (field->key == "from" ? has_from : has_until) = true;
  }
  if (!has_from || !has_until) return Error(ErrorCode::kTampered, "not a pause: it has no beginning or no end");
  return pause;
}

std::optional<core::BootTime> paused_until(const Pause& pause, core::BootTime now, std::string_view boot_id,
                                           uid_t file_owner, uid_t directory_owner) {
  if (file_owner != directory_owner || pause.boot_id != boot_id || pause.from > now) return std::nullopt;
  const auto until = std::min(pause.until, pause.from + kMaxPause);
  if (until <= now) return std::nullopt;
  return until;
}

}  // namespace antifreeze::gate
