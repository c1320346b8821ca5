#include "run/domain.h"

#include <algorithm>
#include <set>

#include "core/text.h"
#include "gate/ticket.h"

namespace antifreeze::run {
namespace {

using Uuids = std::vector<std::string>;

/// UUIDs as the driver writes them: "GPU-" and lower-case hex digits.
std::string normal_uuid(std::string_view token) {
  std::string out(token);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const char c = out[i];
    if (i >= 4 && c >= 'A' && c <= 'F') out[i] = static_cast<char>(c - 'A' + 'a');
    if (i < 3 && c >= 'a' && c <= 'z') out[i] = static_cast<char>(c - 'a' + 'A');
  }
  return out;
}

/// A GPU's or old-style MIG slice's UUID out of a token; a slice counts as its GPU. "" when it names neither.
std::string uuid_of_token(std::string_view token) {
  std::string text = normal_uuid(token);
  if (text.starts_with("MIG-GPU-") || text.starts_with("MIG-gpu-")) {
    text = normal_uuid(
        std::string_view(text).substr(4, text.find('/') == std::string::npos ? text.npos : text.find('/') - 4));
  }
  return text.starts_with("GPU-") ? text : "";
}

/// CUDA takes an unambiguous beginning of a UUID. Unknown ones stay as they are when they are whole.
std::optional<std::string> complete_uuid(const std::string& uuid, const Uuids& known) {
  std::optional<std::string> match;
  for (const auto& candidate : known) {
    if (!candidate.starts_with(uuid)) continue;
    if (match) return std::nullopt;
    match = candidate;
  }
  if (match) return match;
  if (readings::is_gpu_uuid(uuid)) return uuid;
  return std::nullopt;
}

bool same_models(const std::vector<readings::NvidiaGpu>& gpus) {
  return std::ranges::all_of(gpus, [&](const auto& gpu) { return gpu.model && gpu.model == gpus.front().model; });
}

/// Tokens, each a UUID or an index into `order`; nullopt when one of them cannot be resolved for certain.
std::optional<Uuids> pick(std::string_view list, const Uuids& order, const Uuids& known) {
  Uuids picked;
  for (const auto raw : core::split(list, ',')) {
    const auto token = core::trim(raw);
    if (const auto index = core::parse_int(token)) {
      // CUDA ignores everything from the first index that does not exist.
      if (*index < 0 || static_cast<std::size_t>(*index) >= order.size())
        return picked.empty() ? std::nullopt : std::optional(picked);
      picked.push_back(order[static_cast<std::size_t>(*index)]);
      continue;
    }
    const auto uuid = uuid_of_token(token);
    if (uuid.empty()) return std::nullopt;
    const auto whole = complete_uuid(uuid, known);
    if (!whole) return std::nullopt;
    picked.push_back(*whole);
  }
  return picked;
}

/// What the container toolkit gave us.
std::optional<Uuids> visible(const DomainInput& input, const Uuids& all) {
  const auto& list = input.nvidia_visible;
  if (list.empty() || list == "all") return all.empty() ? std::nullopt : std::optional(all);
  if (list == "none" || list == "void") return std::nullopt;
  const auto tokens = core::split(list, ',');
  const bool indices =
      std::ranges::all_of(tokens, [](auto token) { return core::parse_uint(core::trim(token)).has_value(); });
  // The legacy toolkit hides the others' entries, CDI does not: as many entries as indices are the right ones anyway.
  if (indices && std::set(tokens.begin(), tokens.end()).size() == all.size()) return all;
  return pick(list, all, all);
}

Domains whole_host(std::string note) { return {{std::string(gate::kHostDomain)}, std::move(note)}; }

Domains gpus_of(Uuids uuids) {
  std::ranges::sort(uuids);
  uuids.erase(std::unique(uuids.begin(), uuids.end()), uuids.end());
  return {std::move(uuids), ""};
}

}  // namespace

core::Result<Domains> resolve_domains(const DomainInput& input) {
  if (input.asked == "host") return whole_host("");
  if (input.memory == host::MemoryKind::kUnified) return whole_host("unified memory: all GPUs share one pool");
  Uuids all;
  for (const auto& gpu : input.gpus) {
    if (!gpu.uuid) return whole_host("the driver does not tell every GPU's UUID");
    all.push_back(normal_uuid(*gpu.uuid));
  }
  if (input.asked.starts_with("gpu:")) {
    const auto list = input.asked.substr(4);
    if (core::trim(list).empty()) return core::Error(core::ErrorCode::kInvalid, "'gpu:' names no GPU");
    auto picked = pick(list, all, all);
    if (!picked || picked->empty()) return whole_host("'" + core::printable(list, 64) + "' does not name known GPUs");
    return gpus_of(std::move(*picked));
  }
  auto mine = visible(input, all);
  if (!mine || mine->empty()) return whole_host("which GPUs this start uses cannot be told");
  if (!input.cuda_visible_set) return gpus_of(std::move(*mine));
  const bool order_known = input.pci_order || (!input.gpus.empty() && same_models(input.gpus));
  auto picked = pick(input.cuda_visible, *mine, *mine);
  const auto tokens = core::split(input.cuda_visible, ',');
  const bool by_index =
      std::ranges::any_of(tokens, [](auto token) { return core::parse_int(core::trim(token)).has_value(); });
  // CUDA numbers unlike cards by speed unless told otherwise: take all that we were given.
  if (!picked || picked->empty() || (by_index && !order_known)) return gpus_of(std::move(*mine));
  return gpus_of(std::move(*picked));
}

}  // namespace antifreeze::run
