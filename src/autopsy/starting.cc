#include "autopsy/starting.h"

#include <algorithm>
#include <map>

#include "autopsy/causes.h"
#include "autopsy/end_marks.h"

namespace antifreeze::autopsy {
namespace {

constexpr std::size_t kMaxNames = 12;
constexpr std::int64_t kRecentNs = std::int64_t{600} * 1'000'000'000;

// Names that sound like an inference server: other units start all the time.
bool is_engine(std::string_view name) {
  for (const std::string_view word : {"vllm", "sglang", "llama", "ollama", "tei", "triton", "trtllm", "lmdeploy",
                                      "infinity", "tabby", "comfy", "llm", "embed", "rerank", "whisper", "infer"}) {
    if (name.find(word) != std::string_view::npos) return true;
  }
  return false;
}

bool recent(const Boot& boot, const Hit& hit) {
  if (hit.mono && boot.last_mono) return boot.last_mono->ns - hit.mono->ns <= kRecentNs;
  if (hit.wall && boot.last) return boot.last->ns - hit.wall->ns <= kRecentNs;
  return true;
}

std::string unit_of(const Hit& hit) {
  const auto at = hit.fields.find("unit");
  std::string name = at == hit.fields.end() ? "" : at->second;
  return name.substr(0, name.find(" - "));
}

}  // namespace

std::vector<std::string> starting_at_end(const Boot& boot, const signs::Catalogue& catalogue) {
  std::map<std::string, std::uint64_t> begun;
  const auto each = [&](std::string_view id, auto&& take) {
    if (const Tally* tally = find_tally(boot, catalogue, id)) {
      for (const Hit& hit : tally->first) take(hit);
      for (const Hit& hit : tally->last) take(hit);
    }
  };
  each("svc.starting", [&](const Hit& hit) {
    if (recent(boot, hit)) begun[unit_of(hit)] = hit.position;
  });
  each("svc.started", [&](const Hit& hit) {
    const std::string name = unit_of(hit);
    if (const auto at = begun.find(name); at != begun.end() && at->second < hit.position && !is_engine(name))
      begun.erase(at);
    // Type=simple: "Started" is where the load begins.
    if (is_engine(name) && recent(boot, hit)) begun[name] = hit.position;
  });
  // Of the many "Started" only the first and last ones are remembered: whoever began before the oldest of the last ones
  // may well have come up.
  if (const Tally* started = find_tally(boot, catalogue, "svc.started"); started != nullptr && !started->last.empty()) {
    const std::uint64_t known_from = started->last.front().position;
    std::erase_if(begun, [&](const auto& unit) { return !is_engine(unit.first) && unit.second < known_from; });
  }
  std::vector<std::string> out;
  if (const Tally* docker = find_tally(boot, catalogue, "svc.docker.start");
      docker != nullptr && docker->count_last_10min > 0) {
    out.emplace_back("dockerd was restarting its containers");
  }
  for (const auto& [name, position] : begun) {
    if (!name.empty() && out.size() < kMaxNames) out.push_back(name);
  }
  std::map<std::string, std::string> gate;
  for (const Evidence& evidence : boot.evidence) {
    if (evidence.source != Source::kGateLog) continue;
    const auto service = evidence.fields.find("service");
    if (service != evidence.fields.end()) gate[service->second] = evidence.id;
  }
  for (const auto& [service, state] : gate) {
    if (state != "gate.ready" && out.size() < kMaxNames)
      out.push_back(service + " (the gate had it " + state.substr(5) + ")");
  }
  return out;
}

void add_collision(const Boot& boot, const signs::Catalogue& catalogue, std::vector<Suspect>& suspects) {
  const auto burst = std::find_if(suspects.begin(), suspects.end(), [](const Suspect& one) {
    return one.cause.id == "nv_no_memory" && one.cause.score >= 0.3;
  });
  if (burst == suspects.end()) return;
  const auto starting = starting_at_end(boot, catalogue);
  const auto engines =
      std::count_if(starting.begin(), starting.end(), [](const std::string& name) { return is_engine(name); });
  const bool docker = std::any_of(starting.begin(), starting.end(),
                                  [](const std::string& name) { return name.starts_with("dockerd"); });
  if (engines < 2 && !docker) return;
  Suspect collision;
  collision.cause.id = "startup_collision";
  collision.cause.score = burst->cause.score * 0.9;
  collision.cause.first_event = burst->cause.first_event;
  collision.cause.supports.push_back("starting at the same time: " + starting.front());
  for (std::size_t i = 1; i < starting.size(); ++i) collision.cause.supports.back() += ", " + starting[i];
  collision.ending = burst->ending;
  collision.fix = "gate";
  collision.near_end = burst->near_end;
  burst->cause.supports.push_back(collision.cause.supports.back());
  suspects.push_back(std::move(collision));
}

}  // namespace antifreeze::autopsy
