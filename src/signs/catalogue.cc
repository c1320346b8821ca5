#include "signs/catalogue.h"

#include <fcntl.h>

#include <algorithm>
#include <set>
#include <utility>

#include "core/crc32c.h"
#include "core/text.h"
#include "host/dir.h"
#include "signs/parse.h"

namespace antifreeze::signs {
namespace {

using core::Error;
using core::ErrorCode;

constexpr std::size_t kMaxFileBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxFiles = 64;

core::Result<std::string> read(const std::string& directory, const std::string& name) {
  auto folder = host::open_dir(AT_FDCWD, directory);
  if (!folder) return std::move(folder).error();
  return host::read_file_at(folder->get(), name, kMaxFileBytes);
}

template <typename Entry>
core::Status no_twins(const std::vector<Entry>& entries, const char* kind) {
  std::set<std::string_view> seen;
  for (const Entry& entry : entries) {
    if (seen.insert(entry.id).second) continue;
    return Error(ErrorCode::kInvalid, std::string("knowledge: the ") + kind + " \"" + entry.id +
                                          "\" stands twice; give one of them another id");
  }
  return {};
}

}  // namespace

const Sign* Catalogue::find(std::string_view id) const {
  const auto at = std::find_if(signs.begin(), signs.end(), [&](const Sign& sign) { return sign.id == id; });
  return at == signs.end() ? nullptr : &*at;
}

core::Result<Catalogue> load_catalogue(const std::string& directory) {
  Catalogue catalogue;
  std::uint32_t sum = 0;
  const auto take = [&](const std::string& folder, const std::string& name, auto parse) -> core::Status {
    auto content = read(folder, name);
    if (!content) return std::move(content).error().with_context("reading the knowledge in " + directory);
    sum = core::crc32c(*content, sum);
    return parse(*content, folder + "/" + name, catalogue);
  };
  const std::string signs = directory + "/signs";
  auto folder = host::open_dir(AT_FDCWD, signs);
  if (!folder) return std::move(folder).error().with_context("reading the knowledge in " + directory);
  auto names = host::list_names(folder->get(), kMaxFiles);
  if (!names) return std::move(names).error();
  for (const std::string& name : names->names) {
    if (!name.ends_with(".toml")) continue;
    if (auto done = take(signs, name, parse_signs); !done) return std::move(done).error();
  }
  if (auto done = take(directory, "xid.toml", parse_xids); !done) return std::move(done).error();
  if (auto done = take(directory, "fixes.toml", parse_fixes); !done) return std::move(done).error();
  if (auto done = take(directory, "terms.toml", parse_terms); !done) return std::move(done).error();
  if (catalogue.signs.empty()) return Error(ErrorCode::kInvalid, signs + ": no sign in any .toml file there");
  if (auto unique = no_twins(catalogue.signs, "sign"); !unique) return std::move(unique).error();
  if (auto unique = no_twins(catalogue.fixes, "fix"); !unique) return std::move(unique).error();
  catalogue.version = core::to_hex(sum, 8);
  return catalogue;
}

}  // namespace antifreeze::signs
