#include "executors/sql/engine/like_pattern.h"

#include <algorithm>
#include <utility>

#include "common/text/utf8.h"

namespace toolgate::executors::sql::engine {
namespace {

constexpr int kStepsBetweenLooks = 1 << 16;

char32_t Fold(char32_t c) { return c >= U'A' && c <= U'Z' ? c + (U'a' - U'A') : c; }

}  // namespace

char32_t TakeCodePoint(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text[0]);
  text.remove_prefix(1);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  if (more == 0) return U'\uFFFD';
  char32_t c = first & (0x3Fu >> more);
  for (int i = 0; i < more; ++i) {
    if (text.empty() || !text::ContinuesCharacter(text[0])) return U'\uFFFD';
    c = (c << 6) | (static_cast<unsigned char>(text[0]) & 0x3F);
    text.remove_prefix(1);
  }
  return c;
}

LikePattern LikePattern::Like(std::string_view pattern, std::optional<char32_t> escape) {
  LikePattern made;
  made.fold_case_ = true;
  while (!pattern.empty()) {
    char32_t c = TakeCodePoint(pattern);
    Token token;
    if (escape.has_value() && c == *escape) {
      if (pattern.empty()) {
        made.impossible_ = true;
        break;
      }
      token.literal = Fold(TakeCodePoint(pattern));
    } else if (c == U'%') {
      token.kind = Token::Kind::kAny;
    } else if (c == U'_') {
      token.kind = Token::Kind::kOne;
    } else {
      token.literal = Fold(c);
    }
    made.tokens_.push_back(std::move(token));
  }
  return made;
}

LikePattern LikePattern::Glob(std::string_view pattern) {
  LikePattern made;
  while (!pattern.empty()) {
    const char32_t c = TakeCodePoint(pattern);
    if (c == U'[') {
      if (!made.ReadSet(pattern)) {
        made.impossible_ = true;
        break;
      }
      continue;
    }
    Token token;
    token.literal = c;
    if (c == U'*') token.kind = Token::Kind::kAny;
    if (c == U'?') token.kind = Token::Kind::kOne;
    made.tokens_.push_back(std::move(token));
  }
  return made;
}

bool LikePattern::ReadSet(std::string_view& pattern) {
  Token token;
  token.kind = Token::Kind::kSet;
  if (!pattern.empty() && pattern[0] == '^') {
    token.negated = true;
    pattern.remove_prefix(1);
  }
  // A bracket in first position belongs to the set.
  if (!pattern.empty() && pattern[0] == ']') {
    token.ranges.emplace_back(U']', U']');
    pattern.remove_prefix(1);
  }
  char32_t before = 0;  // First character of a possible range.
  while (!pattern.empty()) {
    const char32_t c = TakeCodePoint(pattern);
    if (c == U']') {
      tokens_.push_back(std::move(token));
      return true;
    }
    if (c == U'-' && before != 0 && !pattern.empty() && pattern[0] != ']') {
      token.ranges.emplace_back(before, TakeCodePoint(pattern));
      before = 0;
      continue;
    }
    token.ranges.emplace_back(c, c);
    before = c;
  }
  return false;
}

bool LikePattern::Accepts(const Token& token, char32_t c) const {
  switch (token.kind) {
    case Token::Kind::kLiteral:
      return (fold_case_ ? Fold(c) : c) == token.literal;
    case Token::Kind::kOne:
      return true;
    case Token::Kind::kSet:
      return token.negated != std::any_of(token.ranges.begin(), token.ranges.end(),
                                          [c](const auto& range) { return range.first <= c && c <= range.second; });
    case Token::Kind::kAny:
      return false;
  }
  return false;
}

std::optional<bool> LikePattern::Matches(std::string_view text, StatementGuard& guard) const {
  if (impossible_) return false;
  size_t at = 0;
  // Position to retry from if the part after the latest "any" did not match: one character further.
  std::optional<size_t> after_any;
  std::string_view retry;
  int64_t steps = 0;
  while (true) {
    if (at < tokens_.size() && tokens_[at].kind == Token::Kind::kAny) {
      after_any = ++at;
      retry = text;
      if (at == tokens_.size()) return true;
      continue;
    }
    if (text.empty()) break;
    steps += at < tokens_.size() ? 1 + static_cast<int64_t>(tokens_[at].ranges.size()) : 1;
    if (steps > kStepsBetweenLooks) {
      if (!guard.MayContinue()) return std::nullopt;
      steps = 0;
    }
    std::string_view rest = text;
    const char32_t c = TakeCodePoint(rest);
    if (at < tokens_.size() && Accepts(tokens_[at], c)) {
      text = rest;
      ++at;
    } else if (after_any.has_value()) {
      TakeCodePoint(retry);
      text = retry;
      at = *after_any;
    } else {
      return false;
    }
  }
  return at == tokens_.size();
}

}  // namespace toolgate::executors::sql::engine
