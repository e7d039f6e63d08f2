#include "security/injection_defence/rules/byte_trie.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

namespace toolgate::security::injection_defence::rules {
namespace {

constexpr std::array<uint8_t, 256> MakeLower() {
  std::array<uint8_t, 256> lower = {};
  for (int c = 0; c < 256; ++c) lower[c] = static_cast<uint8_t>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return lower;
}
constexpr std::array<uint8_t, 256> kLower = MakeLower();

constexpr uint32_t kLabelsAtOnce = 16;
// The bit that distinguishes lower from upper case.
constexpr uint8_t kCaseBit = 0x20;

constexpr std::array<bool, 256> MakeWord() {
  std::array<bool, 256> word = {};
  for (int c = 'a'; c <= 'z'; ++c) word[c] = word[c - 32] = true;
  for (int c = '0'; c <= '9'; ++c) word[c] = true;
  return word;
}
constexpr std::array<bool, 256> kWord = MakeWord();

bool Has(const std::array<uint64_t, 1024>& bits, uint32_t bit) { return (bits[bit >> 6] >> (bit & 63) & 1) != 0; }
void Set(std::array<uint64_t, 1024>& bits, uint32_t bit) { bits[bit >> 6] |= uint64_t{1} << (bit & 63); }

// The same for both cases of a letter, as far as that matters: candidates are examined closely afterwards.
uint32_t HashOf(uint64_t bytes) {
  return static_cast<uint32_t>((bytes | 0x2020202020202020u) * 0x9E3779B97F4A7C15u >> 48);
}
uint64_t Load(const char* text, size_t size) {
  uint64_t bytes = 0;
  std::memcpy(&bytes, text, size);
  return bytes;
}

}  // namespace

// Builds the nodes breadth first from the ordered literals.
class ByteTrie::Builder {
 public:
  explicit Builder(ByteTrie& trie) : m_(trie) {}

  void Run(const std::vector<Literal>& literals, const std::vector<uint32_t>& members) {
    order_.reserve(members.size());
    for (const uint32_t i : members) order_.emplace_back(literals[i].text, i);
    std::sort(order_.begin(), order_.end());
    AddNode(0);
    queue_.push_back({0, order_.size(), 0});
    for (size_t node = 0; !queue_.empty(); ++node) {
      const Range range = queue_.front();
      queue_.pop_front();
      Fill(m_.nodes_[node], range);
    }
    const Node& root = m_.nodes_[0];
    for (uint32_t i = root.first_child; i < root.first_child + root.child_count; ++i) {
      m_.roots_[m_.labels_[i]] = i;
      if (m_.labels_[i] >= 'a' && m_.labels_[i] <= 'z') m_.roots_[m_.labels_[i] & ~kCaseBit] = i;
    }
    // Labels are read as whole vectors.
    m_.labels_.resize(m_.labels_.size() + kLabelsAtOnce);
  }

 private:
  // Literals with the same first `depth` bytes.
  struct Range {
    size_t begin;
    size_t end;
    size_t depth;
  };

  void AddNode(uint8_t label) {
    m_.nodes_.emplace_back();
    m_.labels_.push_back(label);
  }

  // `node` is invalid once a child was added.
  void Fill(Node& node, Range range) {
    node.first_child = static_cast<uint32_t>(m_.nodes_.size());
    node.first_output = static_cast<uint32_t>(m_.outputs_.size());
    size_t i = range.begin;
    for (; i < range.end && TextAt(i).size() == range.depth; ++i) {
      m_.outputs_.push_back(order_[i].second);
      ++node.output_count;
    }
    std::vector<Range> children;
    while (i < range.end) {
      const size_t begin = i;
      while (i < range.end && TextAt(i)[range.depth] == TextAt(begin)[range.depth]) ++i;
      children.push_back({begin, i, range.depth + 1});
    }
    node.child_count = static_cast<uint16_t>(children.size());
    for (const Range& child : children) {
      AddNode(static_cast<uint8_t>(TextAt(child.begin)[range.depth]));
      queue_.push_back(child);
    }
  }

  std::string_view TextAt(size_t i) const { return order_[i].first; }

  ByteTrie& m_;
  std::vector<std::pair<std::string_view, uint32_t>> order_;  // By text.
  std::deque<Range> queue_;
};

ByteTrie::ByteTrie(const std::vector<Literal>& literals, const std::vector<uint32_t>& members)
    : ends_word_(literals.size()) {
  Builder(*this).Run(literals, members);
  for (const uint32_t i : members) {
    const Literal& literal = literals[i];
    ends_word_[i] = literal.right_boundary;
    begins_inside_words_ |= kWord[static_cast<uint8_t>(literal.text[0])] && !literal.left_boundary;
    AddStart(literal);
  }
}

void ByteTrie::AddStart(const Literal& literal) {
  const std::string& text = literal.text;
  if (text.size() >= 6) {
    Set(sixes_, HashOf(Load(text.data(), 6)));
  } else if (text.size() >= 4) {
    Set(fours_, HashOf(Load(text.data(), 4)));
  } else if (text.size() == 3) {
    Set(threes_, HashOf(Load(text.data(), 3)));
  } else if (text.size() == 1) {
    auto& table = literal.right_boundary ? singles_ : anys_;
    const auto byte = static_cast<uint8_t>(text[0]);
    table[byte] = true;
    if (kWord[byte]) table[byte & ~kCaseBit] = true;
  } else {
    for (int after = 0; after < 256; ++after) {
      const char bytes[] = {text[0], text[1], static_cast<char>(after)};
      if (!kWord[after] || !literal.right_boundary) Set(threes_, HashOf(Load(bytes, 3)));
    }
  }
}

inline bool ByteTrie::MayStart(std::string_view text, uint32_t at) const {
  if (text.size() - at < sizeof(uint64_t)) return true;
  const uint64_t bytes = Load(text.data() + at, sizeof(uint64_t));
  return Has(sixes_, HashOf(bytes & 0xFFFFFFFFFFFFu)) || Has(fours_, HashOf(bytes & 0xFFFFFFFFu)) ||
         Has(threes_, HashOf(bytes & 0xFFFFFFu)) || anys_[static_cast<uint8_t>(text[at])] ||
         (singles_[static_cast<uint8_t>(text[at])] && !kWord[static_cast<uint8_t>(text[at + 1])]);
}

void ByteTrie::FindHere(std::string_view text, uint32_t at, std::vector<LiteralMatch>& matches) const {
  if (MayStart(text, at)) Walk(text, at, /*any_end=*/false, matches);
}

// The child that `byte` leads to, or 0.
inline uint32_t ByteTrie::ChildOf(const Node& node, uint8_t byte) const {
  const uint32_t last = node.first_child + node.child_count;
  uint32_t child = node.first_child;
#ifdef __SSE2__
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(byte));
  for (; child < last; child += kLabelsAtOnce) {
    const __m128i labels = _mm_loadu_si128(reinterpret_cast<const __m128i*>(&labels_[child]));
    auto equal = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(labels, wanted)));
    if (last - child < kLabelsAtOnce) equal &= (1u << (last - child)) - 1;
    if (equal != 0) return child + static_cast<uint32_t>(__builtin_ctz(equal));
  }
#else
  for (; child < last; ++child) {
    if (labels_[child] == byte) return child;
  }
#endif
  return 0;
}

inline void ByteTrie::Emit(const Node& node, std::string_view text, uint32_t start, uint32_t end, bool any_end,
                           std::vector<LiteralMatch>& matches) const {
  const bool word_goes_on = !any_end && end < text.size() && kWord[static_cast<uint8_t>(text[end])];
  for (uint32_t k = 0; k < node.output_count; ++k) {
    const uint32_t literal = outputs_[node.first_output + k];
    if (word_goes_on && ends_word_[literal]) continue;
    InsertByEnd(matches, {literal, start, end});
  }
}

void ByteTrie::Walk(std::string_view text, uint32_t start, bool any_end, std::vector<LiteralMatch>& matches) const {
  uint32_t node = roots_[static_cast<uint8_t>(text[start])];
  uint32_t end = start + 1;
  while (node != 0) {
    const Node& here = nodes_[node];
    if (here.output_count > 0) Emit(here, text, start, end, any_end, matches);
    if (end >= text.size()) return;
    node = ChildOf(here, kLower[static_cast<uint8_t>(text[end])]);
    ++end;
  }
}

}  // namespace toolgate::security::injection_defence::rules
