#include "core/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace antifreeze::core {
namespace {

// RFC 3720, appendix B.4, and the check value that every CRC catalogue gives for "123456789".
TEST(Crc32c, GivesTheValuesOfTheRfc) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aaU);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43U);
  std::string ascending;
  for (char byte = 0; byte < 32; ++byte) ascending += byte;
  EXPECT_EQ(crc32c(ascending), 0x46dd794eU);
  EXPECT_EQ(crc32c(std::string(ascending.rbegin(), ascending.rend())), 0x113fdb5cU);
}

TEST(Crc32c, NothingIsZero) { EXPECT_EQ(crc32c(""), 0U); }

TEST(Crc32c, GoesOnFromAnEarlierResultAtEverySplit) {
  const std::string text = "the quick brown fox jumps over the lazy dog";
  for (std::size_t at = 0; at <= text.size(); ++at) {
    EXPECT_EQ(crc32c(text.substr(at), crc32c(text.substr(0, at))), crc32c(text)) << at;
  }
}

TEST(Crc32c, NoticesEverySingleFlippedBit) {
  const std::string text = "t-web-0123456789abcdef";
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    std::string flipped = text;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(crc32c(flipped), crc32c(text)) << bit;
  }
}

}  // namespace
}  // namespace antifreeze::core
