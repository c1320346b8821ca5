#include "fakevllm/device.h"

#include <unistd.h>

#include <algorithm>

#include "fakevllm/process.h"

namespace antifreeze::fakevllm {

core::Result<LockedLedger> Device::touch() {
  auto locked = ledger_.lock();
  if (!locked) return locked;
  if (locked->image.header.wedged != 0) {
    auto line = journal_line(who_, "wedged");
    line.json.add("free", locked->image.free_bytes(counts_cache(locked->image)));
    locked->note(std::move(line));
    (void)locked->commit(false);
    {
      const LockedLedger unlock = std::move(*locked);
    }
    block_for_ever();
  }
  if (auto status = attach(*locked); !status) return std::move(status).error();
  return locked;
}

core::Status Device::attach(LockedLedger& locked) {
  // `device init` forgets everyone, like a reboot would; who is still there gets an empty record.
  if (life_ != 0 && locked.image.find(life_) != nullptr) return {};
  life_ = locked.image.header.next_life++;
  auto held = ledger_.hold_life(life_);
  if (!held) return std::move(held).error();
  life_lock_ = std::move(*held);
  LedgerRecord record;
  record.life = life_;
  record.pid = getpid();
  record.start_time = start_time();
  record.pid_namespace = pid_namespace();
  set_field(record.service, who_.service);
  set_field(record.tag, who_.role);
  locked.image.records.push_back(record);
  return {};
}

MemoryInfo Device::info(LockedLedger& locked) const {
  const auto& image = locked.image;
  const LedgerRecord* record = locked.image.find(life_);
  MemoryInfo info;
  info.total = image.header.total;
  info.free = image.free_bytes(counts_cache(image));
  if (record != nullptr) {
    info.torch = record->torch;
    info.self = record->torch + record->non_torch;
  }
  return info;
}

void Device::add_line(LockedLedger& locked, std::string_view phase, const std::function<void(core::JsonLine&)>& extra) {
  auto line = journal_line(who_, phase);
  const auto now = info(locked);
  line.json.add("gpu", ledger_.index()).add("free", now.free).add("self", now.self);
  if (extra) extra(line.json);
  locked.note(std::move(line));
}

void Device::check_floor(LockedLedger& locked) {
  auto& header = locked.image.header;
  if (header.unified == 0 || locked.image.free_bytes(counts_cache(locked.image)) >= header.host_floor) return;
  ledger_.kernel_message("NVRM: GPU" + std::to_string(ledger_.index()) +
                         " nvCheckOkFailedNoLog: Check failed: Out of memory [NV_ERR_NO_MEMORY] (0x00000051) returned "
                         "from _memdescAllocInternal(pMemDesc) @ mem_desc.c:1400");
  if (wedge_on_floor_ || header.wedge_on_floor != 0) header.wedged = 1;
  add_line(locked, "floor", [&](core::JsonLine& json) { json.add("wedged", header.wedged != 0); });
}

core::Result<bool> Device::allocate(Pool pool, std::uint64_t bytes, std::string_view phase) {
  auto locked = touch();
  if (!locked) return std::move(locked).error();
  auto& image = locked->image;
  if (bytes > image.free_bytes(counts_cache(image))) {
    last_ = info(*locked);
    add_line(*locked, "oom", [&](core::JsonLine& json) { json.add("asked", bytes).add("during", phase); });
    if (auto status = locked->commit(); !status) return std::move(status).error();
    return false;
  }
  auto* record = image.find(life_);
  (pool == Pool::kTorch ? record->torch : record->non_torch) += bytes;
  image.reclaim_cache();
  if (!phase.empty()) add_line(*locked, phase, nullptr);
  check_floor(*locked);
  last_ = info(*locked);
  if (auto status = locked->commit(); !status) return std::move(status).error();
  return true;
}

core::Status Device::release(Pool pool, std::uint64_t bytes, std::string_view phase) {
  auto locked = touch();
  if (!locked) return std::move(locked).error();
  auto* record = locked->image.find(life_);
  auto& owned = pool == Pool::kTorch ? record->torch : record->non_torch;
  owned -= std::min(owned, bytes);
  if (!phase.empty()) add_line(*locked, phase, nullptr);
  last_ = info(*locked);
  return locked->commit();
}

core::Result<MemoryInfo> Device::look() {
  auto locked = touch();
  if (!locked) return std::move(locked).error();
  last_ = info(*locked);
  if (auto status = locked->commit(); !status) return std::move(status).error();
  return last_;
}

core::Status Device::note(std::string_view phase, const std::function<void(core::JsonLine&)>& extra) {
  auto locked = touch();
  if (!locked) return std::move(locked).error();
  add_line(*locked, phase, extra);
  return locked->commit();
}

core::Status Device::read_files(std::uint64_t bytes) {
  auto locked = touch();
  if (!locked) return std::move(locked).error();
  if (locked->image.header.unified == 0) return locked->commit(false);
  locked->image.add_cache(bytes);
  return locked->commit();
}

void Device::leave() {
  if (life_ == 0) return;
  auto locked = ledger_.lock();
  if (!locked) return;
  auto& image = locked->image;
  if (auto* record = image.find(life_)) {
    if (image.header.release_lag_ns > 0) {
      record->dying = 1;
      record->died_boot_ns = boot_now_ns();
    } else {
      image.records.erase(image.records.begin() + (record - image.records.data()));
    }
  }
  auto line = journal_line(who_, "exit");
  line.json.add("gpu", ledger_.index()).add("free", image.free_bytes(counts_cache(image))).add("self", 0);
  locked->note(std::move(line));
  (void)locked->commit();
  life_ = 0;
}

void Device::tick() {
  if (!ledger_.needs_sweep()) return;
  if (auto locked = touch()) (void)locked->commit(false);
}

}  // namespace antifreeze::fakevllm
