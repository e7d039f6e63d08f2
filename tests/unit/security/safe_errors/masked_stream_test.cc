#include "security/safe_errors/masked_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

namespace toolgate::security::safe_errors {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kText =
    "building…\n"
    "wrote to ann@example.com, and 4111 1111 1111 1111 was the card\n"
    "-----BEGIN PRIVATE KEY-----\n"
    "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n"
    "MzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\n"
    "-----END PRIVATE KEY-----\n"
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\n"
    "done, without a line end";

class MaskedStreamTest : public ::testing::Test {
 protected:
  // `text` in pieces whose sizes `size` answers.
  template <typename Size>
  std::string InPieces(std::string_view text, Size size) {
    MaskedStream stream(masker_);
    std::string out;
    while (!text.empty()) {
      const std::string_view piece = text.substr(0, size());
      out += stream.Push(piece);
      text.remove_prefix(piece.size());
    }
    return out + stream.Finish();
  }

  const Masker masker_;
};

TEST_F(MaskedStreamTest, MasksTheSameHoweverTheTextIsCut) {
  const std::string whole = masker_.Mask(kText);
  ASSERT_THAT(whole, Not(HasSubstr("ann@")));
  ASSERT_THAT(whole, Not(HasSubstr("MIIEv")));
  for (size_t size = 1; size < kText.size(); ++size) {
    EXPECT_EQ(InPieces(kText, [&] { return size; }), whole) << "pieces of " << size;
  }
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    EXPECT_EQ(InPieces(kText, [&] { return 1 + random() % 40; }), whole);
  }
}

TEST_F(MaskedStreamTest, HandsCompleteLinesOnAtOnce) {
  MaskedStream stream(masker_);
  EXPECT_EQ(stream.Push("one\ntw"), "one\n");
  EXPECT_EQ(stream.Push("o\nthree"), "two\n");
  EXPECT_EQ(stream.Finish(), "three");
  EXPECT_EQ(stream.Finish(), "");
}

TEST_F(MaskedStreamTest, HoldsAPrivateKeyBackUntilItsEnd) {
  MaskedStream stream(masker_);
  EXPECT_EQ(stream.Push("key:\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n"), "key:\n");
  const std::string rest = stream.Push("-----END PRIVATE KEY-----\n");
  EXPECT_THAT(rest, HasSubstr("[masked:"));
  EXPECT_THAT(rest, Not(HasSubstr("MIIEv")));
}

TEST_F(MaskedStreamTest, BoundsWhatItHolds) {
  MaskedStream stream(masker_);
  const std::string words(MaskedStream::kMaxHeldBytes / 2, 'x');
  EXPECT_EQ(stream.Push(words + " "), "");
  EXPECT_EQ(stream.Push(words), words + " ") << "cut at the blank";
  EXPECT_EQ(stream.Push(std::string(2 * MaskedStream::kMaxHeldBytes, 'y')).size(),
            words.size() + 2 * MaskedStream::kMaxHeldBytes)
      << "no blank to cut at";
  EXPECT_EQ(stream.Finish(), "");
}

TEST_F(MaskedStreamTest, AKeyWithoutAnEndIsNotHeldForEver) {
  MaskedStream stream(masker_);
  std::string out = stream.Push("-----BEGIN PRIVATE KEY-----\n");
  for (int line = 0; line < 1000; ++line) out += stream.Push(std::string(64, 'A') + "\n");
  EXPECT_GT(out.size(), size_t{1000} * 65 - 2 * MaskedStream::kMaxHeldBytes);
}

}  // namespace
}  // namespace toolgate::security::safe_errors
