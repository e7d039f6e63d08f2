#include "security/injection_defence/matcher.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <map>

namespace toolgate::security::injection_defence {
namespace {

// Letters, digits and marks of ASCII have a symbol each; any other byte is three of them: kHigh and two half-bytes.
constexpr uint8_t kHigh = 63;

constexpr std::array<uint8_t, 256> MakeSymbols() {
  std::array<uint8_t, 256> symbols = {};
  for (auto& symbol : symbols) symbol = kHigh;
  for (int i = 0; i < 26; ++i) symbols['a' + i] = symbols['A' + i] = static_cast<uint8_t>(i);
  for (int i = 0; i < 10; ++i) symbols['0' + i] = static_cast<uint8_t>(26 + i);
  uint8_t next = 36;
  // The marks that words of rules have; 62 is the last symbol that is free.
  for (const char c : {' ', '\n', '.', ',', ':', ';', '!', '?', '\'', '"', '<', '>', '[', ']', '(', ')', '{', '}', '|',
                       '/', '-', '_', '#', '*', '=', '~', '\\'}) {
    symbols[static_cast<uint8_t>(c)] = next++;
  }
  return symbols;
}
constexpr std::array<uint8_t, 256> kSymbols = MakeSymbols();

bool IsWord(char c) { return kSymbols[static_cast<uint8_t>(c)] < 36; }

// The symbols of a byte.
struct Symbols {
  std::array<uint8_t, 3> of;
  int count;
};
Symbols SymbolsOf(char c) {
  const auto byte = static_cast<uint8_t>(c);
  if (kSymbols[byte] != kHigh) return {{kSymbols[byte], 0, 0}, 1};
  return {{kHigh, static_cast<uint8_t>(byte >> 4), static_cast<uint8_t>(byte & 15)}, 3};
}

}  // namespace

// A node while the trie grows.
struct Matcher::Draft {
  std::map<uint8_t, uint32_t> children;
  std::vector<uint32_t> outputs;
};

Matcher::Matcher(const RuleSet& rules) {
  std::vector<Draft> drafts(1);
  for (uint32_t id = 0; id < rules.literals().size(); ++id) {
    const Literal& literal = rules.literals()[id];
    begins_inside_ |= IsWord(literal.text[0]) && !literal.left_boundary;
    uint32_t node = 0;
    for (const char c : literal.text) {
      const Symbols symbols = SymbolsOf(c);
      for (int i = 0; i < symbols.count; ++i) {
        const auto [place, is_new] = drafts[node].children.try_emplace(symbols.of[i], drafts.size());
        node = place->second;
        if (is_new) drafts.emplace_back();
      }
    }
    drafts[node].outputs.push_back(id);
  }
  Store(drafts);
}

// Breadth first, so that children stand side by side and the nodes that every text visits close together.
void Matcher::Store(const std::vector<Draft>& drafts) {
  nodes_.reserve(drafts.size());
  nodes_.emplace_back();
  std::deque<uint32_t> queue = {0};
  for (size_t at = 0; !queue.empty(); ++at) {
    const Draft& draft = drafts[queue.front()];
    queue.pop_front();
    nodes_[at].first_child = static_cast<uint32_t>(nodes_.size());
    nodes_[at].first_output = static_cast<uint32_t>(outputs_.size());
    nodes_[at].output_count = static_cast<uint32_t>(draft.outputs.size());
    outputs_.insert(outputs_.end(), draft.outputs.begin(), draft.outputs.end());
    for (const auto& [symbol, child] : draft.children) {
      nodes_[at].children |= uint64_t{1} << symbol;
      nodes_.emplace_back();
      queue.push_back(child);
    }
  }
}

inline const Matcher::Node* Matcher::Step(const Node* node, uint8_t symbol) const {
  const uint64_t bit = uint64_t{1} << symbol;
  if ((node->children & bit) == 0) return nullptr;
  return &nodes_[node->first_child + static_cast<uint32_t>(__builtin_popcountll(node->children & (bit - 1)))];
}

void Matcher::Walk(std::string_view text, uint32_t start, std::vector<LiteralMatch>& matches) const {
  const Node* node = nodes_.data();
  for (auto i = start; i < text.size();) {
    const auto byte = static_cast<uint8_t>(text[i]);
    const uint8_t symbol = kSymbols[byte];
    node = Step(node, symbol);
    if (node != nullptr && symbol == kHigh) {
      node = Step(node, byte >> 4);
      if (node != nullptr) node = Step(node, byte & 15);
    }
    if (node == nullptr) return;
    ++i;
    for (uint32_t k = 0; k < node->output_count; ++k) {
      // Ordered by end: what began earlier may have ended later.
      const LiteralMatch match{outputs_[node->first_output + k], start, i};
      auto place = matches.end();
      while (place != matches.begin() && (place - 1)->end > i) --place;
      matches.insert(place, match);
    }
  }
}

void Matcher::Scan(std::string_view text, bool inside_words, std::vector<LiteralMatch>& matches) const {
  matches.clear();
  const bool everywhere = inside_words || begins_inside_;
  const uint64_t first = nodes_[0].children;
  bool in_word = false;
  for (uint32_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<uint8_t>(text[i]);
    const uint8_t symbol = kSymbols[byte];
    const bool word = symbol < 36;
    const bool starts = (!(in_word && word) || everywhere) && (byte & 0xC0) != 0x80;
    in_word = word;
    if (starts && (first >> symbol & 1) != 0) Walk(text, i, matches);
  }
}

}  // namespace toolgate::security::injection_defence
