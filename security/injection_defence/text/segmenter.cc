#include "security/injection_defence/text/segmenter.h"

#include <algorithm>
#include <cstddef>

namespace toolgate::security::injection_defence::text {
namespace {

// Costs of a reading. One long word is better than two short ones, and any word is better than letters that form none.
constexpr uint32_t kWordCost = 4;
constexpr uint32_t kShortWordCost = 5;  // Of up to two letters.
constexpr uint32_t kLetterCost = 9;
constexpr size_t kMinHumps = 2;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }

int LetterIndex(char c) {
  if (c >= 'a' && c <= 'z') return c - 'a';
  if (c >= 'A' && c <= 'Z') return c - 'A';
  return -1;
}

}  // namespace

Segmenter::Segmenter(const std::vector<std::string>& words) {
  nodes_.emplace_back();
  for (const std::string& word : words) Add(word);
}

void Segmenter::Add(std::string_view word) {
  if (word.empty() || word.size() > kMaxWord ||
      std::any_of(word.begin(), word.end(), [](char c) { return LetterIndex(c) < 0; })) {
    return;
  }
  uint32_t node = 0;
  for (const char c : word) {
    const auto index = static_cast<size_t>(LetterIndex(c));
    if (nodes_[node].next[index] == 0) {
      nodes_[node].next[index] = static_cast<uint32_t>(nodes_.size());
      nodes_.emplace_back();
    }
    node = nodes_[node].next[index];
  }
  nodes_[node].is_word = true;
}

bool Segmenter::Split(const TextView& in, TextView& out) const {
  out.Clear();
  bool changed = false;
  const std::string_view text = in.text;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && LetterIndex(text[end]) >= 0) ++end;
    if (end - i >= kMinRun) {
      SplitCamelCase(in, i, end, out);
      changed = true;
    } else {
      end = std::max(end, i + 1);
      for (size_t k = i; k < end; ++k) out.Append(text[k], in.origin[k]);
    }
    i = end;
  }
  if (!changed) out.Clear();
  return changed;
}

// One capital inside of a word is a name or a slip; two or more mark the beginnings of words.
void Segmenter::SplitCamelCase(const TextView& in, size_t start, size_t end, TextView& out) const {
  const auto humps = [&](size_t i) { return IsLower(in.text[i - 1]) && !IsLower(in.text[i]); };
  size_t cuts = 0;
  for (size_t i = start + 1; i < end; ++i) cuts += humps(i) ? 1 : 0;
  size_t piece = start;
  for (size_t i = start + 1; cuts >= kMinHumps && i < end; ++i) {
    // The second half of "ignoreALLRules" begins before its last capital.
    const bool acronym_ends =
        i + 1 < end && !IsLower(in.text[i - 1]) && !IsLower(in.text[i]) && IsLower(in.text[i + 1]);
    if (!humps(i) && !acronym_ends) continue;
    SplitRun(in, piece, i, out);
    out.Append(' ', in.origin[i]);
    piece = i;
  }
  SplitRun(in, piece, end, out);
}

void Segmenter::SplitRun(const TextView& in, size_t start, size_t end, TextView& out) const {
  struct Best {
    uint32_t cost;
    uint8_t length;  // Of the last piece.
    bool is_word;
  };
  const size_t size = end - start;
  if (size < kMinRun) {
    for (size_t i = start; i < end; ++i) out.Append(in.text[i], in.origin[i]);
    return;
  }
  std::vector<Best> best(size + 1, {UINT32_MAX, 0, false});
  best[0].cost = 0;
  for (size_t i = 0; i < size; ++i) {
    const auto offer = [&](size_t length, uint32_t cost, bool is_word) {
      Best& there = best[i + length];
      if (best[i].cost + cost < there.cost) there = {best[i].cost + cost, static_cast<uint8_t>(length), is_word};
    };
    offer(1, kLetterCost, false);
    uint32_t node = 0;
    for (size_t length = 1; length <= kMaxWord && i + length <= size; ++length) {
      node = nodes_[node].next[static_cast<size_t>(LetterIndex(in.text[start + i + length - 1]))];
      if (node == 0) break;
      if (nodes_[node].is_word) offer(length, length <= 2 ? kShortWordCost : kWordCost, true);
    }
  }
  std::vector<bool> blank_before(size + 1, false);
  for (size_t i = size; i > 0; i -= best[i].length) {
    // Letters that form no word stay together.
    const size_t piece = i - best[i].length;
    if (best[i].is_word) {
      blank_before[i] = true;
      blank_before[piece] = true;
    }
  }
  for (size_t i = 0; i < size; ++i) {
    if (i > 0 && blank_before[i]) out.Append(' ', in.origin[start + i]);
    out.Append(in.text[start + i], in.origin[start + i]);
  }
}

}  // namespace toolgate::security::injection_defence::text
