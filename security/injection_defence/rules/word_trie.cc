#include "security/injection_defence/rules/word_trie.h"

#include <algorithm>
#include <bit>
#include <string>

#include "absl/strings/ascii.h"

namespace toolgate::security::injection_defence::rules {

bool WordTrie::Takes(const Literal& literal) {
  const std::string& text = literal.text;
  if (!literal.left_boundary || !literal.right_boundary) return false;
  return std::all_of(text.begin(), text.end(), [](char c) { return c == ' ' || absl::ascii_isalnum(c); }) &&
         text.find("  ") == std::string::npos;
}

WordTrie::WordTrie(const std::vector<Literal>& literals, const std::vector<uint32_t>& members) {
  size_t most_steps = 0;
  for (const uint32_t i : members) {
    most_steps += 1 + static_cast<size_t>(std::count(literals[i].text.begin(), literals[i].text.end(), ' '));
  }
  steps_.resize(std::bit_ceil(2 * most_steps + 1));
  mask_ = steps_.size() - 1;
  nodes_.emplace_back();
  std::vector<std::vector<uint32_t>> outputs(1);
  std::vector<text::Word> words;
  for (const uint32_t i : members) {
    text::ReadWords(literals[i].text, words);
    uint32_t node = 0;
    for (const text::Word& word : words) node = AddStep(node, word.hash);
    firsts_[FirstBit(words[0].hash) / 64] |= uint64_t{1} << FirstBit(words[0].hash) % 64;
    outputs.resize(nodes_.size());
    outputs[node].push_back(i);
  }
  for (size_t node = 0; node < outputs.size(); ++node) {
    nodes_[node].first_output = static_cast<uint32_t>(outputs_.size());
    nodes_[node].output_count = static_cast<uint16_t>(outputs[node].size());
    outputs_.insert(outputs_.end(), outputs[node].begin(), outputs[node].end());
  }
}

uint32_t WordTrie::AddStep(uint32_t node, uint64_t word) {
  const uint32_t known = Next(node, word);
  if (known != 0) return known;
  const uint64_t key = KeyOf(node, word);
  uint64_t place = key & mask_;
  while (steps_[place].node != 0) place = (place + 1) & mask_;
  nodes_[node].goes_on = true;
  steps_[place] = {CheckOf(key), static_cast<uint32_t>(nodes_.size())};
  nodes_.emplace_back();
  return steps_[place].node;
}

inline uint32_t WordTrie::Next(uint32_t node, uint64_t word) const {
  const uint64_t key = KeyOf(node, word);
  uint64_t place = key & mask_;
  while (steps_[place].node != 0 && steps_[place].check != CheckOf(key)) place = (place + 1) & mask_;
  return steps_[place].node;
}

void WordTrie::Walk(std::string_view text, const std::vector<text::Word>& words, size_t at,
                    std::vector<LiteralMatch>& matches) const {
  const uint32_t start = words[at].start;
  uint32_t node = 0;
  while (true) {
    const uint32_t end = words[at].end;
    node = Next(node, words[at].hash);
    const Node& here = nodes_[node];
    for (uint32_t k = 0; k < here.output_count; ++k) {
      InsertByEnd(matches, {outputs_[here.first_output + k], start, end});
    }
    if (node == 0 || !here.goes_on || ++at == words.size()) return;
    if (words[at].start != end + 1 || text[end] != ' ') return;
  }
}

}  // namespace toolgate::security::injection_defence::rules
