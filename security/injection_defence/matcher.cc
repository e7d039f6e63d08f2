#include "security/injection_defence/matcher.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <numeric>

namespace toolgate::security::injection_defence {
namespace {

constexpr std::array<uint8_t, 256> MakeLower() {
  std::array<uint8_t, 256> lower = {};
  for (int c = 0; c < 256; ++c) lower[c] = static_cast<uint8_t>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return lower;
}
constexpr std::array<uint8_t, 256> kLower = MakeLower();

constexpr std::array<bool, 256> MakeWord() {
  std::array<bool, 256> word = {};
  for (int c = 'a'; c <= 'z'; ++c) word[c] = word[c - 32] = true;
  for (int c = '0'; c <= '9'; ++c) word[c] = true;
  return word;
}
constexpr std::array<bool, 256> kWord = MakeWord();

bool Has(const std::array<uint64_t, 1024>& bits, uint32_t bit) { return (bits[bit >> 6] >> (bit & 63) & 1) != 0; }
void Set(std::array<uint64_t, 1024>& bits, uint32_t bit) { bits[bit >> 6] |= uint64_t{1} << (bit & 63); }

// The same for both cases of a letter, as far as that matters: what these let through is looked at closely.
uint32_t StartHash(const char* four_bytes) {
  uint32_t key = 0;
  std::memcpy(&key, four_bytes, sizeof(key));
  return (key | 0x20202020u) * 2654435761u >> 16;
}
uint32_t PairOf(uint8_t first, uint8_t second) { return (first | 0x20u) << 8 | (second | 0x20u); }

}  // namespace

// Builds the nodes breadth first from the literals in order.
class Matcher::Builder {
 public:
  Builder(const std::vector<Literal>& literals, Matcher& matcher) : literals_(literals), m_(matcher) {}

  void Run() {
    order_.resize(literals_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return literals_[a].text < literals_[b].text; });
    AddNode(0);
    queue_.push_back({0, order_.size(), 0});
    for (size_t node = 0; !queue_.empty(); ++node) {
      const Range range = queue_.front();
      queue_.pop_front();
      Fill(m_.nodes_[node], range);
    }
    const Node& root = m_.nodes_[0];
    for (uint32_t i = 0; i < root.child_count; ++i) m_.roots_[m_.labels_[root.first_child + i]] = root.first_child + i;
  }

 private:
  // Literals that share their first `depth` bytes.
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
      m_.outputs_.push_back(order_[i]);
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

  const std::string& TextAt(size_t i) const { return literals_[order_[i]].text; }

  const std::vector<Literal>& literals_;
  Matcher& m_;
  std::vector<uint32_t> order_;
  std::deque<Range> queue_;
};

Matcher::Matcher(const RuleSet& rules) {
  Builder(rules.literals(), *this).Run();
  for (const Literal& literal : rules.literals()) {
    const std::string& text = literal.text;
    begins_inside_ |= kWord[static_cast<uint8_t>(text[0])] && !literal.left_boundary;
    if (text.size() >= 4) {
      Set(starts_, StartHash(text.data()));
    } else {
      for (uint32_t second = 0; second < 256; ++second) {
        if (text.size() == 1 || second == static_cast<uint8_t>(text[1])) {
          Set(shorts_, PairOf(static_cast<uint8_t>(text[0]), static_cast<uint8_t>(second)));
        }
      }
    }
  }
}

inline bool Matcher::MayStart(std::string_view text, uint32_t at) const {
  if (text.size() - at < 4) return true;
  return Has(starts_, StartHash(text.data() + at)) ||
         Has(shorts_, PairOf(static_cast<uint8_t>(text[at]), static_cast<uint8_t>(text[at + 1])));
}

void Matcher::Walk(std::string_view text, uint32_t start, std::vector<LiteralMatch>& matches) const {
  uint32_t node = roots_[kLower[static_cast<uint8_t>(text[start])]];
  for (auto end = start + 1; node != 0; ++end) {
    const Node& here = nodes_[node];
    for (uint32_t k = 0; k < here.output_count; ++k) {
      // Ordered by end: what began earlier may have ended later.
      auto place = matches.end();
      while (place != matches.begin() && (place - 1)->end > end) --place;
      matches.insert(place, {outputs_[here.first_output + k], start, end});
    }
    if (end >= text.size()) return;
    const uint8_t byte = kLower[static_cast<uint8_t>(text[end])];
    uint32_t child = here.first_child;
    const uint32_t last = child + here.child_count;
    while (child != last && labels_[child] < byte) ++child;
    node = child != last && labels_[child] == byte ? child : 0;
  }
}

void Matcher::Scan(std::string_view text, bool inside_words, std::vector<LiteralMatch>& matches) const {
  matches.clear();
  const bool everywhere = inside_words || begins_inside_;
  bool in_word = false;
  for (uint32_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    const bool word = kWord[byte];
    const bool starts = !(in_word && word) || everywhere;
    in_word = word;
    if (starts && roots_[kLower[byte]] != 0 && MayStart(text, i)) Walk(text, i, matches);
  }
}

}  // namespace toolgate::security::injection_defence
