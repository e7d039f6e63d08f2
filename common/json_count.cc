#include "common/json_count.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace toolgate {
namespace {

// The shortest that a member and a value can be with what separates them from the next: `"":0,` and `0,`.
constexpr size_t kLeastKeyBytes = 5;
constexpr size_t kLeastValueBytes = 2;

enum class Token : uint8_t { kScalar, kBlank, kQuote, kColon, kOpen, kClose };

constexpr std::array<Token, 256> kTokens = [] {
  std::array<Token, 256> tokens = {};
  for (const char c : {' ', '\t', '\n', '\r', ','}) tokens[static_cast<uint8_t>(c)] = Token::kBlank;
  tokens['"'] = Token::kQuote;
  tokens[':'] = Token::kColon;
  tokens['{'] = tokens['['] = Token::kOpen;
  tokens['}'] = tokens[']'] = Token::kClose;
  return tokens;
}();

Token TokenAt(std::string_view text, size_t at) { return kTokens[static_cast<uint8_t>(text[at])]; }

class Counter {
 public:
  Counter(std::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {}

  absl::StatusOr<JsonCounts> Count() {
    for (at_ = 0; at_ < text_.size(); ++at_) {
      if (!Take(TokenAt(text_, at_))) return absl::InvalidArgumentError(problem_);
    }
    return JsonCounts{keys_, values()};
  }

 private:
  // A text before a colon is a key.
  size_t values() const { return parts_ - std::min(keys_, parts_); }

  bool Take(Token token) {
    switch (token) {
      case Token::kBlank:
        return true;
      case Token::kScalar:
        while (at_ + 1 < text_.size() && TokenAt(text_, at_ + 1) == Token::kScalar) ++at_;
        return TakeValue();
      case Token::kQuote:
        SkipText();
        return TakeValue();
      case Token::kColon:
        return ++keys_ <= limits_.max_keys || Fail("object keys", limits_.max_keys);
      case Token::kOpen:
        if (++depth_ > limits_.max_depth) return FailDepth();
        return TakeValue();
      case Token::kClose:
        --depth_;
        return true;
    }
    return true;
  }

  bool TakeValue() {
    ++parts_;
    return values() <= limits_.max_values || Fail("values", limits_.max_values);
  }

  // To the closing quote, or the end.
  void SkipText() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
  }

  bool Fail(std::string_view what, size_t limit) {
    problem_ = absl::StrCat("more than ", limit, " ", absl::string_view(what.data(), what.size()), ", at byte ",
                            std::min(at_, text_.size()));
    return false;
  }
  bool FailDepth() {
    problem_ = absl::StrCat("nested deeper than ", limits_.max_depth, " levels, at byte ", at_);
    return false;
  }

  const std::string_view text_;
  const JsonLimits& limits_;
  size_t at_ = 0;
  size_t keys_ = 0;
  size_t parts_ = 0;  // Values and keys.
  int64_t depth_ = 0;
  std::string problem_;
};

}  // namespace

absl::StatusOr<JsonCounts> CountJson(std::string_view text, const JsonLimits& limits) {
  return Counter(text, limits).Count();
}

bool MayExceedCounts(size_t bytes, const JsonLimits& limits) {
  return bytes / kLeastKeyBytes >= limits.max_keys || bytes / kLeastValueBytes >= limits.max_values;
}

}  // namespace toolgate
