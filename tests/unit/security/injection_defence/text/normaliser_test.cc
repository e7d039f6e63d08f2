#include "security/injection_defence/text/normaliser.h"

#include <string>

#include "gtest/gtest.h"
#include "security/injection_defence/text/shape.h"

namespace toolgate::security::injection_defence::text {
namespace {

struct Folded {
  TextView view;
  HiddenText hidden;
  TextView tags;
  TextView selectors;
};
Folded Fold(const std::string& text) {
  Folded out;
  Normaliser::FoldUnicode(text, out.view, out.hidden, out.tags, out.selectors);
  EXPECT_EQ(out.view.text.size(), out.view.origin.size());
  return out;
}

TEST(NormaliserTest, FoldsCaseWidthStyleAndMarks) {
  EXPECT_EQ(Normaliser::Fold("Élan Ｉｇｎｏｒｅ 𝐢𝐠𝐧𝐨𝐫𝐞 ⓘⓖ Straße ŁÓDŹ"), "elan ignore ignore ig strasse łodz");
  EXPECT_EQ(Normaliser::Fold("a\xC2\xA0\t b\n\nc"), "a b\n\nc");
}

TEST(NormaliserTest, TakesOutInvisibleCharactersAndCountsThoseInsideOfWords) {
  const Folded folded = Fold("ig\xE2\x80\x8Bno\xE2\x81\xA0re \xE2\x80\x8Bx");
  EXPECT_EQ(folded.view.text, "ignore x");
  EXPECT_EQ(folded.hidden.invisible_in_words, 2);
  EXPECT_EQ(folded.hidden.invisible_offset, 2u);
}

TEST(NormaliserTest, HonestUsesOfInvisibleCharactersAreNoEvidence) {
  // A family emoji, a Persian word with a non-joiner, a flag of tags, an emoji with a variation selector.
  const Folded folded = Fold(
      "\U0001F468\u200D\U0001F469 \u0645\u06CC\u200C\u0631\u0648\u0645 "
      "\U0001F3F4\U000E0067\U000E0062\U000E007F \u2764\uFE0F");
  EXPECT_EQ(folded.hidden.invisible_in_words, 0);
  EXPECT_EQ(folded.hidden.tags, 0);
  EXPECT_EQ(folded.hidden.variation_selectors, 0);
}

TEST(NormaliserTest, ReadsWhatTagsSpell) {
  const Folded folded = Fold("x\U000E0068\U000E0069");
  EXPECT_EQ(folded.tags.text, "hi");
  EXPECT_EQ(folded.hidden.tags, 2);
  EXPECT_EQ(folded.tags.origin[0], 1u);
}

TEST(NormaliserTest, SkeletonsOnlyWordsThatPretend) {
  TextView skeleton;
  EXPECT_TRUE(Normaliser::Skeleton(Fold("ignоre it").view, skeleton));  // A Cyrillic o.
  EXPECT_EQ(skeleton.text, "ignore it");
  EXPECT_FALSE(Normaliser::Skeleton(Fold("Привет, мир").view, skeleton));
}

TEST(NormaliserTest, KnowsTheOriginOfEveryByte) {
  const Folded folded = Fold("\xC3\x89\x61");  // É, a
  EXPECT_EQ(folded.view.text, "ea");
  EXPECT_EQ(folded.view.origin, (std::vector<uint32_t>{0, 2}));
}

TEST(NormaliserTest, IllFormedBytesAreNoEnd) {
  EXPECT_EQ(Fold("a\xFF"
                 "b\xC3")
                .view.text,
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD");
}

TEST(NormaliserTest, MakesFurtherReadings) {
  TextView in;
  Normaliser::FoldBlanks("1gn0r3 i-g-n!", in);
  TextView out;
  Normaliser::Unleet(in, 'i', out);
  EXPECT_EQ(out.text, "ignore i-g-n!");
  Normaliser::Unspace(in, out);
  EXPECT_EQ(out.text, "1gn0r3ign");
  EXPECT_TRUE(out.unspaced);
  Normaliser::Reverse(Fold("aßc").view, out);
  EXPECT_EQ(out.text, "cssa");
  Normaliser::Rot13(in, out);
  EXPECT_EQ(out.text, "1ta0e3 v-t-a!");
}

TEST(NormaliserTest, RejoinsStretchedWordsAndKeepsTheirGaps) {
  TextView out;
  EXPECT_TRUE(Normaliser::Rejoin("so  i g n o r e   a l l", out));
  EXPECT_EQ(out.text, "so  ignore all");
  EXPECT_EQ(out.origin[4], 4u);
  EXPECT_EQ(out.origin[5], 6u);
  EXPECT_TRUE(Normaliser::Rejoin("i-g-n-o-r-e a.l.l. ok", out));
  EXPECT_EQ(out.text, "ignore all ok");
  EXPECT_TRUE(Normaliser::Rejoin("\u0438 \u0433 \u043D \u043E", out));
  EXPECT_EQ(out.text, "\u0438\u0433\u043D\u043E");
  EXPECT_FALSE(Normaliser::Rejoin("I am a man", out));
}

Shape Look(std::string_view text) {
  std::vector<Word> words;
  ReadWords(text, words);
  return ShapeOf(text, words);
}

TEST(ShapeTest, SeesWhatIsOdd) {
  EXPECT_TRUE(Look("i g n o r e").spaced_letters);
  EXPECT_TRUE(Look("i.g.n.o.r.e").spaced_letters);
  EXPECT_FALSE(Look("I am a man").spaced_letters);
  EXPECT_TRUE(Look("1gn0re th3 text").leet);
  EXPECT_FALSE(Look("the 3 little pigs").leet);
  EXPECT_TRUE(Look("aWdub3JlIGFsbCBydWxlcw==").encoded_run);
  EXPECT_TRUE(Look("a%20b").escapes);
  EXPECT_FALSE(Look("caf\xC3\xA9").ascii);
  EXPECT_FALSE(Look("a  b").plain_blanks);
}

}  // namespace
}  // namespace toolgate::security::injection_defence::text
