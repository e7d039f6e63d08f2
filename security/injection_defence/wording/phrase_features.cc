#include "security/injection_defence/wording/phrase_features.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"

namespace toolgate::security::injection_defence::wording {
namespace {

// Maximum number of words in sentences that are judged together, and in a piece of a longer one.
constexpr uint32_t kMaxTogether = 60;
constexpr uint32_t kPiece = 40;
constexpr uint32_t kMaxSentences = 3;

enum class Kind : uint8_t { kSeparator, kWord, kDigit, kAlone, kEnd };

// Treatment of a character beyond ASCII.
Kind KindOf(uint32_t code) {
  if (code >= 0x100 && code < 0x60C) return Kind::kWord;  // The alphabets of Europe and Hebrew.
  if (code == 0x3002 || code == 0x0964 || code == 0x061F || code == 0xFF0E) return Kind::kEnd;
  if (code < 0xC0 || code == 0xD7 || code == 0xF7 || code == 0x060C || code == 0x061B) return Kind::kSeparator;
  if ((code >= 0x2000 && code < 0x2C00) || (code >= 0x3000 && code < 0x3040)) return Kind::kSeparator;
  if ((code >= 0xFE00 && code < 0xFE70) || (code >= 0xFF00 && code < 0xFF66) || code >= 0xFFF0) {
    return code >= 0x20000 && code < 0x40000 ? Kind::kAlone : Kind::kSeparator;
  }
  if ((code >= 0x0E00 && code < 0x1000) || (code >= 0x3040 && code < 0xA000) || (code >= 0xF900 && code < 0xFB00)) {
    return Kind::kAlone;
  }
  return Kind::kWord;
}

constexpr Kind KindOfAscii(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return Kind::kWord;
  if (c >= '0' && c <= '9') return Kind::kDigit;
  return c == '.' || c == '!' || c == '?' || c == '\n' ? Kind::kEnd : Kind::kSeparator;
}

constexpr char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

constexpr std::array<Kind, 128> MakeAsciiKinds() {
  std::array<Kind, 128> kinds{};
  for (size_t i = 0; i < kinds.size(); ++i) kinds[i] = KindOfAscii(static_cast<char>(i));
  return kinds;
}
constexpr std::array<Kind, 128> kAsciiKinds = MakeAsciiKinds();

struct Character {
  Kind kind;
  uint32_t bytes;
};

// `folded` is well-formed UTF-8, and `at` the start of a character.
Character CharacterAt(std::string_view folded, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(folded[i])); };
  const uint32_t lead = byte(at);
  if (lead < 0x80) return {kAsciiKinds[lead], 1};
  if (lead >= 0xC2 && lead < 0xE0 && at + 1 < folded.size()) {
    return {KindOf((lead & 0x1F) << 6 | (byte(at + 1) & 0x3F)), 2};
  }
  const uint32_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC0 || at + length > folded.size()) return {Kind::kSeparator, 1};
  uint32_t code = lead & (0x7F >> length);
  for (uint32_t i = 1; i < length; ++i) code = code << 6 | (byte(at + i) & 0x3F);
  return {KindOf(code), length};
}

// Length of the apostrophe at `at`, as in "don't", plain or typographic; 0 if there is none.
uint32_t ApostropheAt(std::string_view folded, size_t at) {
  if (folded[at] != '\'' && folded[at] != '\xE2') return 0;
  const uint32_t bytes = folded[at] == '\'' ? 1 : folded.substr(at, 3) == "\xE2\x80\x99" ? 3 : 0;
  if (bytes == 0 || at + bytes >= folded.size()) return 0;
  return CharacterAt(folded, at + bytes).kind == Kind::kWord ? bytes : 0;
}

// One ReadPhraseTokens.
class TokenReader {
 public:
  TokenReader(std::string_view folded, const std::vector<text::Word>& words, std::vector<PhraseToken>& tokens)
      : folded_(folded), words_(words), tokens_(tokens) {}

  void Run() {
    tokens_.clear();
    for (const text::Word& word : words_) {
      // Reading the character before a word may have consumed the word.
      while (at_ < word.start) ReadOther();
      if (at_ == word.start) ReadWord(word);
      while (at_ < word.end) ReadOther();
    }
    while (at_ < folded_.size()) ReadOther();
  }

 private:
  void ReadWord(const text::Word& word) {
    const char after = word.end < folded_.size() ? folded_[word.end] : ' ';
    if (!word.letters) {
      Add(kNumber, word.end);
    } else if (KindOfAscii(folded_[word.start]) == Kind::kWord && after != '\'' && static_cast<uint8_t>(after) < 0x80) {
      Add(word.hash, word.end);
    } else {
      ReadOther();
    }
  }

  // Reads the token that begins at `at_`.
  void ReadOther() {
    if (folded_[at_] == ' ') {
      ++at_;
      return;
    }
    const Character first = CharacterAt(folded_, at_);
    switch (first.kind) {
      case Kind::kWord:
        ReadLetters();
        return;
      case Kind::kDigit: {
        size_t end = at_;
        while (end < folded_.size() && folded_[end] >= '0' && folded_[end] <= '9') ++end;
        Add(kNumber, end);
        return;
      }
      case Kind::kAlone:
        Add(text::HashOfWord(folded_.substr(at_, first.bytes)), at_ + first.bytes);
        return;
      case Kind::kEnd:
      case Kind::kSeparator:
        break;
    }
    // "3.5" and "e.g" do not end here.
    const bool point = folded_[at_] == '.';
    at_ += first.bytes;
    if (first.kind != Kind::kEnd) return;
    const Kind next = at_ < folded_.size() ? CharacterAt(folded_, at_).kind : Kind::kSeparator;
    ended_ |= !point || (next != Kind::kWord && next != Kind::kDigit);
  }

  // A word with an apostrophe or with letters beyond ASCII.
  void ReadLetters() {
    size_t end = at_;
    bool as_it_stands = true;  // Lower-case letters, and only plain apostrophes.
    letters_.clear();
    while (end < folded_.size()) {
      const uint32_t apostrophe = ApostropheAt(folded_, end);
      const Character c = apostrophe > 0 ? Character{Kind::kWord, apostrophe} : CharacterAt(folded_, end);
      if (c.kind != Kind::kWord && c.kind != Kind::kDigit) break;
      const bool changes = apostrophe > 1 || Lower(folded_[end]) != folded_[end];
      if (changes && as_it_stands) {
        letters_ = folded_.substr(at_, end - at_);
        as_it_stands = false;
      }
      if (!as_it_stands && apostrophe > 0) {
        letters_ += '\'';
      } else if (!as_it_stands) {
        for (uint32_t i = 0; i < c.bytes; ++i) letters_ += Lower(folded_[end + i]);
      }
      end += c.bytes;
    }
    Add(text::HashOfWord(as_it_stands ? folded_.substr(at_, end - at_) : letters_), end);
  }

  void Add(uint64_t hash, size_t end) {
    if (ended_) ++sentence_;
    ended_ = false;
    tokens_.push_back({hash, static_cast<uint32_t>(at_), static_cast<uint32_t>(end), sentence_});
    at_ = end;
  }

  static inline const uint64_t kNumber = text::HashOfWord("0");

  const std::string_view folded_;
  const std::vector<text::Word>& words_;
  std::vector<PhraseToken>& tokens_;
  size_t at_ = 0;
  std::string letters_;  // Of the word that is read.
  uint32_t sentence_ = 0;
  bool ended_ = false;  // The sentence has ended since the last token.
};

}  // namespace

Phrase ParsePhrase(std::string_view written) {
  Phrase phrase;
  size_t count = 0;
  while (!written.empty() && count < phrase.parts.size()) {
    const size_t blank = written.find(' ');
    const std::string_view part = written.substr(0, blank);
    written.remove_prefix(blank == std::string_view::npos ? written.size() : blank + 1);
    if (part == "*") {
      phrase.kind = PhraseKind::kGap;
    } else if (part == "..") {
      phrase.kind = PhraseKind::kFar;
    } else {
      phrase.parts[count++] = text::HashOfWord(part);
    }
  }
  return phrase;
}

PhraseNames NamesOf(const rules::RuleSet& rules) {
  PhraseNames names;
  for (const std::string& name : rules.class_names()) {
    const bool own = name[0] != '"' && name != "break" && name.rfind("hint", 0) != 0 && name.rfind("grammar.", 0) != 0;
    names.classes.push_back(own ? text::HashOfWord(absl::StrCat("@", name)) : 0);
  }
  for (const rules::Rule& rule : rules.rules()) {
    names.rules.push_back(text::HashOfWord(absl::StrCat("#", rule.id)));
    names.excused_rules.push_back(text::HashOfWord(absl::StrCat("#", rule.id, "?")));
  }
  return names;
}

void ReadPhraseTokens(std::string_view folded, const std::vector<text::Word>& words, std::vector<PhraseToken>& tokens) {
  TokenReader(folded, words, tokens).Run();
}

void ReadPhraseStems(std::string_view folded, std::vector<PhraseToken>& tokens) {
  std::string stem;
  for (PhraseToken& token : tokens) {
    token.stem = 0;
    if (token.end - token.start <= kStemCharacters) continue;
    uint32_t characters = 0;
    size_t at = token.start;
    for (; at < token.end && characters < kStemCharacters; ++characters) at += CharacterAt(folded, at).bytes;
    const bool letters = CharacterAt(folded, token.start).kind == Kind::kWord;
    if (!letters || at >= token.end) continue;
    stem = folded.substr(token.start, at - token.start);
    std::transform(stem.begin(), stem.end(), stem.begin(), Lower);
    stem += '~';
    token.stem = text::HashOfWord(stem);
  }
}

namespace {

// End of the sentence of token `begin`.
uint32_t SentenceEnd(const std::vector<PhraseToken>& tokens, uint32_t begin) {
  uint32_t end = begin;
  while (end < tokens.size() && tokens[end].sentence == tokens[begin].sentence) ++end;
  return end;
}

// Splits tokens [begin, end) into pieces of `size`, each of which begins half way through the one before.
void AddPieces(uint32_t begin, uint32_t end, uint32_t size, std::vector<TextWindow>& windows) {
  for (; begin + size < end; begin += size / 2) windows.push_back({begin, begin + size});
  windows.push_back({begin, end});
}

}  // namespace

void FindSentenceWindows(const std::vector<PhraseToken>& tokens, std::vector<TextWindow>& windows) {
  windows.clear();
  for (uint32_t begin = 0; begin < tokens.size();) {
    const uint32_t end = SentenceEnd(tokens, begin);
    AddPieces(begin, end, kPiece, windows);
    uint32_t last = end;
    for (uint32_t more = 1; more < kMaxSentences && last < tokens.size(); ++more) {
      last = SentenceEnd(tokens, last);
      if (last - begin > kMaxTogether) break;
      windows.push_back({begin, last});
    }
    begin = end;
  }
}

void FindPassageWindows(const std::vector<PhraseToken>& tokens, std::vector<TextWindow>& windows) {
  windows.clear();
  uint32_t known = 0;  // Tokens before this one are in a passage already.
  for (uint32_t begin = 0; begin < tokens.size();) {
    const uint32_t next = SentenceEnd(tokens, begin);
    uint32_t end = std::max(next, known);
    while (end < tokens.size()) {
      const uint32_t last = SentenceEnd(tokens, end);
      if (last - begin > kPassageWords) break;
      end = last;
    }
    if (end > known) AddPieces(begin, end, kPassageWords, windows);
    known = end;
    begin = next;
  }
}

}  // namespace toolgate::security::injection_defence::wording
