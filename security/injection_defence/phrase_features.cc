#include "security/injection_defence/phrase_features.h"

#include <array>
#include <cstddef>
#include <string>

#include "absl/strings/str_cat.h"

namespace toolgate::security::injection_defence {
namespace {

constexpr uint64_t kFnvOffset = 0xCBF29CE484222325;
constexpr uint64_t kFnvPrime = 0x100000001B3;

// Words in sentences that are judged together, and in a piece of a longer one.
constexpr uint32_t kMaxTogether = 60;
constexpr uint32_t kPiece = 40;
constexpr uint32_t kPieceStep = 20;
constexpr uint32_t kMaxSentences = 3;

enum class Kind : uint8_t { kSeparator, kWord, kDigit, kAlone, kEnd };

uint64_t Step(uint64_t hash, char byte) { return (hash ^ static_cast<uint8_t>(byte)) * kFnvPrime; }

// How a character beyond ASCII is read.
Kind KindOf(uint32_t code) {
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

struct AsciiTable {
  std::array<Kind, 128> kinds{};
  std::array<uint8_t, 128> word{};  // Lower case, for letters and digits; 0 for all others.
  constexpr AsciiTable() {
    for (size_t i = 0; i < kinds.size(); ++i) {
      const char c = static_cast<char>(i);
      kinds[i] = KindOfAscii(c);
      if (kinds[i] == Kind::kWord || kinds[i] == Kind::kDigit) word[i] = static_cast<uint8_t>(Lower(c));
    }
  }
};
constexpr AsciiTable kAscii{};

struct Character {
  Kind kind;
  uint32_t bytes;
};

// `folded` is well-formed UTF-8, and `at` the start of a character.
Character CharacterAt(std::string_view folded, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(folded[i])); };
  const uint32_t lead = byte(at);
  if (lead < 0x80) return {kAscii.kinds[lead], 1};
  const uint32_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC0 || at + length > folded.size()) return {Kind::kSeparator, 1};
  uint32_t code = lead & (0x7F >> length);
  for (uint32_t i = 1; i < length; ++i) code = code << 6 | (byte(at + i) & 0x3F);
  return {KindOf(code), length};
}

// "don't", also with the typographic mark: how many bytes the mark at `at` has, or 0.
uint32_t ApostropheAt(std::string_view folded, size_t at) {
  const uint32_t bytes = folded[at] == '\'' ? 1 : folded.substr(at, 3) == "\xE2\x80\x99" ? 3 : 0;
  if (bytes == 0 || at + bytes >= folded.size()) return 0;
  return CharacterAt(folded, at + bytes).kind == Kind::kWord ? bytes : 0;
}

}  // namespace

uint64_t HashOfPhrasePart(std::string_view part) {
  uint64_t hash = kFnvOffset;
  for (const char c : part) hash = Step(hash, c);
  return hash;
}

uint64_t HashOfPhrase(std::string_view written) {
  std::array<uint64_t, 3> parts{};
  size_t count = 0;
  PhraseKind kind = PhraseKind::kAdjacent;
  while (!written.empty() && count < parts.size()) {
    const size_t blank = written.find(' ');
    const std::string_view part = written.substr(0, blank);
    written.remove_prefix(blank == std::string_view::npos ? written.size() : blank + 1);
    if (part == "*") {
      kind = PhraseKind::kGap;
    } else if (part == "..") {
      kind = PhraseKind::kFar;
    } else {
      parts[count++] = HashOfPhrasePart(part);
    }
  }
  return HashOfPhrase(kind, parts[0], parts[1], parts[2]);
}

PhraseNames NamesOf(const RuleSet& rules) {
  PhraseNames names;
  for (const std::string& name : rules.class_names()) {
    const bool own = name[0] != '"' && name != "break" && name.rfind("hint", 0) != 0;
    names.classes.push_back(own ? HashOfPhrasePart(absl::StrCat("@", name)) : 0);
  }
  for (const Rule& rule : rules.rules()) {
    names.rules.push_back(HashOfPhrasePart(absl::StrCat("#", rule.id)));
    names.excused_rules.push_back(HashOfPhrasePart(absl::StrCat("#", rule.id, "?")));
  }
  return names;
}

void ReadPhraseTokens(std::string_view folded, std::vector<PhraseToken>& tokens) {
  tokens.clear();
  uint32_t sentence = 0;
  bool ended = false;
  const auto add = [&](uint64_t hash, size_t start, size_t end) {
    if (ended) ++sentence;
    ended = false;
    tokens.push_back({hash, static_cast<uint32_t>(start), static_cast<uint32_t>(end), sentence});
  };
  static const uint64_t kNumber = HashOfPhrasePart("0");
  for (size_t at = 0; at < folded.size();) {
    const Character first = CharacterAt(folded, at);
    const size_t start = at;
    if (first.kind == Kind::kWord) {
      uint64_t hash = kFnvOffset;
      while (at < folded.size()) {
        const auto byte = static_cast<uint8_t>(folded[at]);
        if (byte < 0x80) {
          if (kAscii.word[byte] != 0) {
            hash = (hash ^ kAscii.word[byte]) * kFnvPrime;
            ++at;
            continue;
          }
          if (byte != '\'') break;
        }
        const uint32_t apostrophe = ApostropheAt(folded, at);
        if (apostrophe > 0) {
          hash = Step(hash, '\'');
          at += apostrophe;
          continue;
        }
        const Character c = CharacterAt(folded, at);
        if (c.kind != Kind::kWord) break;
        for (uint32_t i = 0; i < c.bytes; ++i) hash = Step(hash, folded[at + i]);
        at += c.bytes;
      }
      add(hash, start, at);
    } else if (first.kind == Kind::kDigit) {
      while (at < folded.size() && folded[at] >= '0' && folded[at] <= '9') ++at;
      add(kNumber, start, at);
    } else if (first.kind == Kind::kAlone) {
      at += first.bytes;
      add(HashOfPhrasePart(folded.substr(start, first.bytes)), start, at);
    } else {
      at += first.bytes;
      // "3.5" and "e.g" go on.
      const bool goes_on =
          folded[start] == '.' && at < folded.size() &&
          (CharacterAt(folded, at).kind == Kind::kWord || CharacterAt(folded, at).kind == Kind::kDigit);
      ended |= first.kind == Kind::kEnd && !goes_on;
    }
  }
}

void FindPhraseWindows(const std::vector<PhraseToken>& tokens, std::vector<PhraseWindow>& windows) {
  windows.clear();
  const auto size = static_cast<uint32_t>(tokens.size());
  const auto end_of = [&](uint32_t begin) {
    uint32_t end = begin;
    while (end < size && tokens[end].sentence == tokens[begin].sentence) ++end;
    return end;
  };
  for (uint32_t begin = 0; begin < size;) {
    const uint32_t end = end_of(begin);
    uint32_t piece = begin;
    for (; piece + kPiece < end; piece += kPieceStep) windows.push_back({piece, piece + kPiece});
    windows.push_back({piece, end});
    uint32_t last = end;
    for (uint32_t more = 1; more < kMaxSentences && last < size; ++more) {
      last = end_of(last);
      if (last - begin > kMaxTogether) break;
      windows.push_back({begin, last});
    }
    begin = end;
  }
}

}  // namespace toolgate::security::injection_defence
