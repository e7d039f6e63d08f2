#include "executors/planner/snippet.h"

#include <utf8proc.h>

#include <cstddef>

#include "absl/strings/ascii.h"
#include "common/text/fold_case.h"
#include "common/text/utf8.h"

namespace toolgate::executors::planner {
namespace {

constexpr size_t kCharactersBefore = 50;
constexpr size_t kCharacters = 160;

// End of the character that begins at `i`, and whether it is part of a word.
struct Character {
  size_t end;
  bool in_word;
};

Character CharacterAt(std::string_view text, size_t i) {
  const auto byte = static_cast<unsigned char>(text[i]);
  if (byte < 0x80) return {i + 1, absl::ascii_isalnum(byte)};
  utf8proc_int32_t rune = 0;
  const utf8proc_ssize_t length = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data() + i),
                                                   static_cast<utf8proc_ssize_t>(text.size() - i), &rune);
  if (length <= 0) return {i + 1, false};
  const utf8proc_category_t category = utf8proc_category(rune);
  const bool in_word =
      (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NO) || category == UTF8PROC_CATEGORY_CO;
  return {i + static_cast<size_t>(length), in_word};
}

// Calls `visit(begin, end)` for each word until it returns false.
template <typename Visit>
void ForEachWord(std::string_view text, Visit visit) {
  size_t i = 0;
  while (i < text.size()) {
    const size_t begin = i;
    while (i < text.size()) {
      const Character character = CharacterAt(text, i);
      if (!character.in_word) break;
      i = character.end;
    }
    if (i > begin && !visit(begin, i)) return;
    if (i < text.size()) i = CharacterAt(text, i).end;
  }
}

size_t Back(std::string_view text, size_t i, size_t characters) {
  while (i > 0 && characters > 0) {
    --i;
    if (!text::ContinuesCharacter(text[i])) --characters;
  }
  return i;
}

size_t Forward(std::string_view text, size_t i, size_t characters) {
  return i + text::PrefixOfCharacters(text.substr(i), characters).size();
}

// Collapses each run of spaces and line breaks to one space.
std::string OnOneLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    if (!absl::ascii_isspace(static_cast<unsigned char>(c))) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

SnippetMaker::SnippetMaker(std::string_view query) {
  ForEachWord(query, [&](size_t begin, size_t end) {
    last_ = text::FoldMarks(query.substr(begin, end - begin));
    words_.insert(last_);
    return true;
  });
}

bool SnippetMaker::IsWanted(std::string_view word) const {
  if (words_.empty()) return false;
  const std::string folded = text::FoldMarks(word);
  return folded.starts_with(last_) || words_.contains(folded);
}

std::string SnippetMaker::Make(std::string_view text) const {
  size_t found = 0;
  ForEachWord(text, [&](size_t begin, size_t end) {
    if (!IsWanted(text.substr(begin, end - begin))) return true;
    found = begin;
    return false;
  });
  size_t begin = Back(text, found, kCharactersBefore);
  // Leaves out a word that would be cut in two.
  while (begin > 0 && begin < found && !absl::ascii_isspace(static_cast<unsigned char>(text[begin - 1]))) ++begin;
  const size_t end = Forward(text, begin, kCharacters);
  std::string snippet = OnOneLine(text.substr(begin, end - begin));
  if (begin > 0) snippet.insert(0, "…");
  if (end < text.size()) snippet += "…";
  return snippet;
}

}  // namespace toolgate::executors::planner
