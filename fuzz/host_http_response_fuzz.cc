// What a server answers to a readiness probe, in arbitrary portions. The first byte sets the size of the portions.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "host/http_response.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using antifreeze::host::HttpResponseReader;
  if (size == 0) return 0;
  const std::size_t portion = static_cast<std::size_t>(data[0]) + 1;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  HttpResponseReader in_portions;
  for (std::size_t at = 0; at < text.size(); at += portion) in_portions.feed(text.substr(at, portion));
  HttpResponseReader at_once;
  at_once.feed(text);
  // Where the other side cuts its packets must not matter, and a finished reader always has a status.
  if (at_once.state() != in_portions.state() || at_once.status() != in_portions.status()) std::abort();
  const auto end = at_once.finish();
  const bool good = end == HttpResponseReader::State::kDone;
  if (good != at_once.status().has_value()) std::abort();
  if (good && (*at_once.status() < 200 || *at_once.status() > 599)) std::abort();
  if (!good && at_once.reason().empty()) std::abort();
  return 0;
}
