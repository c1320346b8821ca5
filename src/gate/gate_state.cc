#include "gate/gate_state.h"

#include <fcntl.h>

#include "gate/safe_boot_decide.h"
#include "host/dir.h"
#include "host/dir_edit.h"

namespace antifreeze::gate {
namespace {

struct OwnedText {
  std::string text;
  std::uint32_t owner = 0;
};

std::optional<OwnedText> read_owned(const GateDir& dir, std::string_view name, std::size_t max_bytes) {
  const auto fd = host::open_regular_at(dir.fd(), std::string(name), O_RDONLY);
  if (!fd) return std::nullopt;
  const auto info = host::file_info(fd->get());
  auto text = host::pread_all(fd->get(), max_bytes);
  if (!info || !text) return std::nullopt;
  return OwnedText{std::move(*text), info->owner};
}

}  // namespace

std::optional<ActivePause> active_pause(const GateDir& dir, core::BootTime now, std::string_view boot_id) {
  const auto file = read_owned(dir, kPauseFile, kPauseFileBytes);
  if (!file) return std::nullopt;
  auto pause = decode_pause(file->text);
  if (!pause) return std::nullopt;
  const auto until = paused_until(*pause, now, boot_id, file->owner, dir.owner_uid());
  if (!until) return std::nullopt;
  return ActivePause{std::move(*pause), *until};
}

std::optional<std::string> safe_boot(const GateDir& dir) {
  const auto file = read_owned(dir, kSafeBootFile, 1024);
  if (!file || file->owner != dir.owner_uid()) return std::nullopt;
  auto reason = decode_safe_boot(file->text);
  if (!reason) return std::nullopt;
  return std::move(*reason);
}

}  // namespace antifreeze::gate
