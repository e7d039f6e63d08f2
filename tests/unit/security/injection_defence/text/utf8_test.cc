#include "security/injection_defence/text/utf8.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"

namespace toolgate::security::injection_defence::text {
namespace {

TEST(Utf8Test, CharactersAreReadAsTheyWereWritten) {
  for (const char32_t code : {U'a', U'\x7F', U'\x80', U'\x7FF', U'\x800', U'\xFFFF', U'\x10000', U'\x10FFFF'}) {
    const std::string bytes = EncodeUtf8(code);
    const Decoded decoded = DecodeUtf8(bytes, 0);
    EXPECT_TRUE(decoded.ok);
    EXPECT_EQ(decoded.code, code);
    EXPECT_EQ(decoded.length, bytes.size());
  }
}

TEST(Utf8Test, IllFormedBytesAreOneReplacementEach) {
  for (const std::string_view bytes : {"\x80", "\xC0\x80", "\xE2\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xFF"}) {
    const Decoded decoded = DecodeUtf8(bytes, 0);
    EXPECT_FALSE(decoded.ok);
    EXPECT_EQ(decoded.code, U'\xFFFD');
    EXPECT_EQ(decoded.length, 1U);
  }
}

TEST(Utf8Test, OneByteAnywhereMakesATextNonAscii) {
  for (size_t size = 0; size < 20; ++size) {
    std::string text(size, 'a');
    EXPECT_TRUE(IsAscii(text));
    for (char& c : text) {
      c = '\x80';
      EXPECT_FALSE(IsAscii(text)) << size;
      c = '\x7F';
      EXPECT_TRUE(IsAscii(text)) << size;
    }
  }
}

}  // namespace
}  // namespace toolgate::security::injection_defence::text
