#include "security/safe_errors/secret_matcher.h"

#include <algorithm>
#include <deque>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/json.h"

namespace toolgate::security::safe_errors {
namespace {

// As within a JSON string. Bytes that are no text have no such form.
std::string JsonEscaped(const std::string& secret) {
  const std::string quoted = DumpJson(Json(secret));
  return quoted.substr(1, quoted.size() - 2);
}

// With everything escaped but what no escape is needed for.
std::string PercentEncoded(std::string_view secret, bool upper) {
  std::string out;
  for (const char c : secret) {
    if (IsAlnum(c) || c == '-' || c == '_' || c == '.' || c == '~') {
      out += c;
      continue;
    }
    std::string hex = absl::BytesToHexString(absl::string_view(&c, 1));
    if (upper) absl::AsciiStrToUpper(&hex);
    absl::StrAppend(&out, "%", hex);
  }
  return out;
}

// The digits that `secret` alone decides when `before` bytes precede it in the encoded text.
std::string Base64At(const std::string& secret, size_t before) {
  const std::string encoded = absl::Base64Escape(absl::StrCat(std::string(before, '\0'), secret));
  constexpr std::array<size_t, 3> kFirst = {0, 2, 3};
  const size_t bits = (before + secret.size()) * 8;
  return encoded.substr(kFirst[before], bits / 6 - kFirst[before]);
}

std::string UrlSafe(const std::string& base64) { return absl::StrReplaceAll(base64, {{"+", "-"}, {"/", "_"}}); }

std::set<std::string> SpellingsOf(const std::string& secret) {
  const std::string hex = absl::BytesToHexString(secret);
  std::set<std::string> spellings = {secret,
                                     JsonEscaped(secret),
                                     absl::StrReplaceAll(JsonEscaped(secret), {{"/", "\\/"}}),
                                     PercentEncoded(secret, /*upper=*/true),
                                     PercentEncoded(secret, /*upper=*/false),
                                     hex,
                                     absl::AsciiStrToUpper(hex)};
  for (size_t before = 0; before < 3; ++before) {
    const std::string base64 = Base64At(secret, before);
    spellings.insert({base64, UrlSafe(base64)});
  }
  return spellings;
}

uint64_t EdgeOf(uint32_t node, char byte) { return uint64_t{node} << 8 | static_cast<uint8_t>(byte); }

bool StandsAlone(std::string_view text, size_t start, size_t end) {
  return (start == 0 || !IsAlnum(text[start - 1])) && (end == text.size() || !IsAlnum(text[end]));
}

}  // namespace

SecretMatcher::SecretMatcher(const std::vector<std::string>& secrets) : nodes_(1) {
  for (const std::string& secret : secrets) AddSecret(secret);
  Connect();
}

void SecretMatcher::AddSecret(const std::string& secret) {
  if (secret.size() < kFewest) return;
  if (secret.size() < kFewestAnywhere) return AddSpelling(secret, /*bounded=*/true);
  for (const std::string& spelling : SpellingsOf(secret)) {
    if (spelling.size() >= kFewestAnywhere) AddSpelling(spelling, /*bounded=*/false);
  }
}

void SecretMatcher::AddSpelling(std::string_view spelling, bool bounded) {
  const size_t enough = std::max(kFewestCut, (spelling.size() + 1) / 2);
  uint32_t node = 0;
  for (size_t i = 0; i < spelling.size(); ++i) {
    const auto [edge, added] = edges_.try_emplace(EdgeOf(node, spelling[i]), static_cast<uint32_t>(nodes_.size()));
    if (added) nodes_.push_back({.depth = static_cast<uint32_t>(i + 1)});
    if (node == 0) roots_[static_cast<uint8_t>(spelling[i])] = edge->second;
    node = edge->second;
    nodes_[node].long_enough |= !bounded && i + 1 >= enough;
  }
  // A longer secret may have been a shorter one's beginning; the other way round, the stricter condition goes.
  nodes_[node].bounded = bounded && (nodes_[node].longest == 0 || nodes_[node].bounded);
  nodes_[node].longest = nodes_[node].depth;
}

void SecretMatcher::Connect() {
  std::vector<std::vector<std::pair<char, uint32_t>>> children(nodes_.size());
  for (const auto& [edge, child] : edges_) children[edge >> 8].emplace_back(static_cast<char>(edge & 0xFF), child);
  std::deque<uint32_t> queue = {0};
  for (; !queue.empty(); queue.pop_front()) {
    const uint32_t node = queue.front();
    for (const auto& [byte, child] : children[node]) {
      Node& below = nodes_[child];
      below.fail = node == 0 ? 0 : Step(nodes_[node].fail, byte);
      if (below.longest == 0) {
        below.longest = nodes_[below.fail].longest;
        below.bounded = nodes_[below.fail].bounded;
      }
      queue.push_back(child);
    }
  }
}

uint32_t SecretMatcher::ChildOf(uint32_t node, char byte) const {
  if (node == 0) return roots_[static_cast<uint8_t>(byte)];
  const auto found = edges_.find(EdgeOf(node, byte));
  return found == edges_.end() ? 0 : found->second;
}

uint32_t SecretMatcher::Step(uint32_t node, char byte) const {
  while (true) {
    const uint32_t child = ChildOf(node, byte);
    if (child != 0 || node == 0) return child;
    node = nodes_[node].fail;
  }
}

void SecretMatcher::Find(std::string_view text, std::vector<MaskHit>& hits) const {
  uint32_t node = 0;
  // A beginning ends at `end` and goes no further.
  const auto cut = [&](size_t end) {
    const Node& here = nodes_[node];
    if (here.long_enough) hits.push_back({end - here.depth, end, MaskKind::kSecret});
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const uint32_t next = Step(node, text[i]);
    if (nodes_[next].depth <= nodes_[node].depth) cut(i);
    node = next;
    const Node& here = nodes_[node];
    const size_t start = i + 1 - here.longest;
    if (here.longest > 0 && (!here.bounded || StandsAlone(text, start, i + 1))) {
      hits.push_back({start, i + 1, MaskKind::kSecret});
    }
  }
  cut(text.size());
}

}  // namespace toolgate::security::safe_errors
