#include "executors/files/text_encoding.h"

#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace toolgate::executors::files {
namespace {

std::string Bytes(std::initializer_list<int> bytes) {
  std::string text;
  for (const int byte : bytes) text.push_back(static_cast<char>(byte));
  return text;
}

TEST(TextEncodingTest, TellsEncodingsApart) {
  struct Row {
    std::string bytes;
    std::string text;
    Encoding encoding;
  };
  for (const Row& row :
       {Row{"", "", Encoding::kUtf8}, Row{"plain\n", "plain\n", Encoding::kUtf8},
        Row{"\xC3\xBC", "\xC3\xBC", Encoding::kUtf8}, Row{"\xEF\xBB\xBFx", "x", Encoding::kUtf8WithBom},
        Row{"gr\xFC\xDF", "gr\xC3\xBC\xC3\x9F", Encoding::kLatin1},
        Row{"\x93\x80 5\x94 \x96 \x81", "“€ 5” – \xC2\x81", Encoding::kWindows1252},
        Row{"\x84MEN\xDC\x93 f\xFCr alle", "„MENÜ“ für alle", Encoding::kWindows1252},
        Row{"CAF\xC9\xBB, d\xE9j\xE0", "CAFÉ», déjà", Encoding::kLatin1},
        Row{Bytes({0xFF, 0xFE, 'a', 0, 0xAC, 0x20}), "a\xE2\x82\xAC", Encoding::kUtf16LittleEndian},
        Row{Bytes({0xFE, 0xFF, 0, 'a', 0xD8, 0x3D, 0xDE, 0x00}), "a\xF0\x9F\x98\x80", Encoding::kUtf16BigEndian}}) {
    const auto decoded = DecodeText(row.bytes);
    ASSERT_TRUE(decoded.has_value()) << row.text;
    EXPECT_EQ(decoded->text, row.text);
    EXPECT_EQ(decoded->encoding, row.encoding) << EncodingName(decoded->encoding);
    EXPECT_EQ(EncodeText(decoded->text, decoded->encoding), row.bytes);
  }
}

TEST(TextEncodingTest, StrayBytesOfUtf8AreShownAndComeBack) {
  struct Row {
    std::string bytes;
    std::string text;
    std::vector<StrayByte> strays;
    Encoding encoding = Encoding::kUtf8;
  };
  for (const Row& row : {Row{"caf\xC3\xA9 \xE9\n", "café \uFFFD\n", {{6, 0xE9}}},
                         Row{"\xFFна\xD0", "\uFFFDна\uFFFD", {{0, 0xFF}, {7, 0xD0}}},
                         Row{"\uFFFD \x80 é", "\uFFFD \uFFFD é", {{4, 0x80}}},
                         Row{"\xEF\xBB\xBFplain \xFC", "plain \uFFFD", {{6, 0xFC}}, Encoding::kUtf8WithBom}}) {
    const auto decoded = DecodeText(row.bytes);
    ASSERT_TRUE(decoded.has_value()) << row.text;
    EXPECT_EQ(decoded->text, row.text);
    EXPECT_EQ(decoded->strays, row.strays) << row.text;
    EXPECT_EQ(decoded->encoding, row.encoding) << EncodingName(decoded->encoding);
    EXPECT_EQ(EncodeText(decoded->text, decoded->encoding, decoded->strays), row.bytes);
  }
}

TEST(TextEncodingTest, EveryByteOfWindows1252HasACharacterOfItsOwn) {
  std::string bytes = "\x80";
  for (int byte = 0x20; byte <= 0xFF; ++byte) bytes.push_back(static_cast<char>(byte == 0x7F ? ' ' : byte));
  const auto decoded = DecodeText(bytes);
  ASSERT_TRUE(decoded.has_value());
  EXPECT_EQ(decoded->encoding, Encoding::kWindows1252);
  EXPECT_EQ(EncodeText(decoded->text, decoded->encoding), bytes);
}

TEST(TextEncodingTest, LineEndsAreTold) {
  EXPECT_EQ(LineEndsOf("a"), "");
  EXPECT_EQ(LineEndsOf("a\nb\r"), "LF");
  EXPECT_EQ(LineEndsOf("a\r\nb\r\n"), "CRLF");
  EXPECT_EQ(LineEndsOf("a\r\nb\n"), "mixed");
}

TEST(TextEncodingTest, BinaryIsNoText) {
  for (const std::string& bytes :
       {Bytes({'a', 0, 'b'}), Bytes({0x89, 'P', 'N', 'G', 0x0D, 0x0A, 0x1A, 0x0A}),
        Bytes({0xFF, 0xD8, 0xFF, 0xE0, 0x01}), Bytes({0xFF, 0xFE, 'a'}), Bytes({0xFF, 0xFE, 0x00, 0xD8}),
        Bytes({0xFE, 0xFF, 0, 0}), Bytes({0xFF, 0xFE, 0x00, 0xDC, 'a', 0}), Bytes({0x80, 0x02})}) {
    EXPECT_FALSE(DecodeText(bytes).has_value()) << ::testing::PrintToString(bytes);
  }
}

TEST(TextEncodingTest, WhatAnEncodingLacksIsSaid) {
  EXPECT_EQ(EncodeText("\xE2\x82\xAC", Encoding::kLatin1), std::nullopt);
  EXPECT_EQ(EncodeText("\xC3\xBC", Encoding::kLatin1), "\xFC");
  EXPECT_EQ(EncodeText("\xE2\x82\xAC", Encoding::kWindows1252), "\x80");
  EXPECT_EQ(FirstUnencodable("a€č", Encoding::kWindows1252), "č");
  EXPECT_EQ(FirstUnencodable("a€č", Encoding::kLatin1), "€");
  EXPECT_EQ(FirstUnencodable("a€č", Encoding::kUtf8), "");
}

TEST(TextEncodingTest, EveryTextComesBackAsItWas) {
  std::mt19937 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes;
    const unsigned mark = random() % 4;
    if (mark == 1) bytes = "\xFF\xFE";
    if (mark == 2) bytes = "\xFE\xFF";
    if (mark == 3) bytes = "\xEF\xBB\xBF";
    for (unsigned i = random() % 12; i > 0; --i) bytes.push_back(static_cast<char>(random() % 256));
    const auto decoded = DecodeText(bytes);
    if (decoded.has_value()) {
      ASSERT_EQ(EncodeText(decoded->text, decoded->encoding, decoded->strays), bytes);
    }
  }
}

}  // namespace
}  // namespace toolgate::executors::files
