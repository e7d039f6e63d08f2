#ifndef TOOLGATE_EXECUTORS_SQL_ENGINE_LIKE_PATTERN_H_
#define TOOLGATE_EXECUTORS_SQL_ENGINE_LIKE_PATTERN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "executors/sql/engine/statement_guard.h"

namespace toolgate::executors::sql::engine {

// A compiled pattern of LIKE or GLOB, with SQLite's semantics. Matching takes at most the product of the lengths of
// pattern and text. Immutable.
class LikePattern {
 public:
  // LIKE: % and _, letters of ASCII in any case; `escape` makes the next character literal.
  static LikePattern Like(std::string_view pattern, std::optional<char32_t> escape);
  // GLOB: *, ? and sets like [a-z], [^0-9].
  static LikePattern Glob(std::string_view pattern);

  // Nothing if `guard` said stop.
  std::optional<bool> Matches(std::string_view text, StatementGuard& guard) const;

 private:
  struct Token {
    enum class Kind { kLiteral, kOne, kAny, kSet };
    Kind kind = Kind::kLiteral;
    char32_t literal = 0;
    bool negated = false;                               // Of a set.
    std::vector<std::pair<char32_t, char32_t>> ranges;  // Of a set, inclusive.
  };

  bool Accepts(const Token& token, char32_t c) const;
  // False: the set is not terminated.
  bool ReadSet(std::string_view& pattern);

  std::vector<Token> tokens_;
  bool fold_case_ = false;
  bool impossible_ = false;  // The pattern ends within an escape or a set, and matches nothing.
};

// Removes the next code point from `text` and returns it; U+FFFD for ill-formed bytes. `text` must not be empty.
char32_t TakeCodePoint(std::string_view& text);

}  // namespace toolgate::executors::sql::engine

#endif  // TOOLGATE_EXECUTORS_SQL_ENGINE_LIKE_PATTERN_H_
