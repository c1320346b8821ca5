// A captured root of testdata/boots in a directory of its own, its journals unpacked. Tests only.
#pragma once

#include <lzma.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "host/fake/temp_dir.h"

namespace antifreeze::journal::fake {

/// The unpacked content of an .xz file of ours. Aborts on anything else: the test data is at fault then.
inline std::string read_xz(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string packed((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, UINT64_MAX, 0) != LZMA_OK) std::abort();
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  std::string out;
  std::string block(1 << 20, '\0');
  lzma_ret state = LZMA_OK;
  while (state == LZMA_OK) {
    stream.next_out = reinterpret_cast<std::uint8_t*>(block.data());
    stream.avail_out = block.size();
    state = lzma_code(&stream, LZMA_FINISH);
    out.append(block, 0, block.size() - stream.avail_out);
  }
  lzma_end(&stream);
  if (state != LZMA_STREAM_END) std::abort();
  return out;
}

/// Copies `captured` (a case's fs/) into `into`, unpacking *.xz under its name without the ending.
inline void unpack_root(const std::filesystem::path& captured, const host::fake::TempDir& into) {
  for (const auto& item : std::filesystem::recursive_directory_iterator(captured)) {
    if (!item.is_regular_file()) continue;
    const std::string name = std::filesystem::relative(item.path(), captured).string();
    if (name.ends_with(".xz")) {
      into.write(name.substr(0, name.size() - 3), read_xz(item.path()));
      continue;
    }
    std::ifstream in(item.path(), std::ios::binary);
    into.write(name, std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>()));
  }
}

}  // namespace antifreeze::journal::fake
