#include "journal/unpack.h"

#include <lz4.h>
#include <lzma.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

namespace antifreeze::journal {
namespace {

bool unpack_zstd(std::string_view packed, std::string& out) {
  ZSTD_DStream* stream = ZSTD_createDStream();
  if (stream == nullptr) return false;
  ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, 23);  // 8 MiB; more would be a stranger's wish for our memory
  ZSTD_inBuffer in = {packed.data(), packed.size(), 0};
  ZSTD_outBuffer to = {out.data(), out.size(), 0};
  while (to.pos < to.size) {
    const std::size_t in_before = in.pos;
    const std::size_t out_before = to.pos;
    const std::size_t left = ZSTD_decompressStream(stream, &to, &in);
    if (ZSTD_isError(left) || left == 0 || (in.pos == in_before && to.pos == out_before)) break;
  }
  ZSTD_freeDStream(stream);
  out.resize(to.pos);
  return to.pos > 0;
}

// journald writes the unpacked size (64 bits, little-endian) in front of the block.
bool unpack_lz4(std::string_view packed, std::string& out) {
  if (packed.size() <= 8 || packed.size() > (std::size_t{1} << 30)) return false;
  std::uint64_t whole = 0;
  std::memcpy(&whole, packed.data(), sizeof whole);
  const int wanted = static_cast<int>(std::min<std::uint64_t>(out.size(), whole));
  const int got = LZ4_decompress_safe_partial(packed.data() + 8, out.data(), static_cast<int>(packed.size() - 8),
                                              wanted, static_cast<int>(out.size()));
  out.resize(got > 0 ? static_cast<std::size_t>(std::min(got, wanted)) : 0);
  return !out.empty();
}

bool unpack_xz(std::string_view packed, std::string& out) {
  lzma_stream stream = LZMA_STREAM_INIT;
  if (lzma_stream_decoder(&stream, std::uint64_t{16} << 20, 0) != LZMA_OK) return false;
  stream.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
  stream.avail_in = packed.size();
  stream.next_out = reinterpret_cast<std::uint8_t*>(out.data());
  stream.avail_out = out.size();
  lzma_ret state = LZMA_OK;
  while (state == LZMA_OK && stream.avail_out > 0) state = lzma_code(&stream, LZMA_FINISH);
  out.resize(out.size() - stream.avail_out);
  lzma_end(&stream);
  return !out.empty();
}

}  // namespace

bool unpack(std::uint8_t flags, std::string_view packed, std::string& out) {
  out.resize(kMaxUnpacked);
  if (flags == 4) return unpack_zstd(packed, out);
  if (flags == 2) return unpack_lz4(packed, out);
  if (flags == 1) return unpack_xz(packed, out);
  out.clear();
  return false;
}

}  // namespace antifreeze::journal
