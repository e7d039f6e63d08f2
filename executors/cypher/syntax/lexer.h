// Splits the text of a query into tokens.
#ifndef TOOLGATE_EXECUTORS_CYPHER_SYNTAX_LEXER_H_
#define TOOLGATE_EXECUTORS_CYPHER_SYNTAX_LEXER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate::executors::cypher::syntax {

enum class TokenKind : uint8_t {
  kWord,        // A keyword or a name without backticks.
  kQuotedName,  // A name in backticks.
  kInteger,
  kFloat,
  kString,
  kParameter,  // $name
  // Punctuation, from the longest.
  kDotDot,
  kLessOrEqual,
  kGreaterOrEqual,
  kNotEqual,
  kMatches,  // =~
  kPlusEqual,
  kLeftParen,
  kRightParen,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kComma,
  kDot,
  kColon,
  kSemicolon,
  kBar,
  kEqual,
  kLess,
  kGreater,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
  kCaret,
  kInvalid,  // No token; the error is for the parser, which may know a better one.
  kEnd,
};

struct Token {
  TokenKind kind;
  uint32_t begin;  // Bytes of the text.
  uint32_t end;
  // By kind: an index into Tokens::names, ::integers, ::floats or ::faults; of an opening bracket, the index of the
  // token that closes it, or 0 when none does.
  uint32_t value = 0;
};

// The fault of a kInvalid token, in the TCK's words.
struct LexicalFault {
  std::string detail;
  std::string message;
  uint32_t offset;
};

// An integer without its sign. `too_large`: over 2^64 - 1.
struct IntegerText {
  uint64_t magnitude;
  bool too_large;
};

// All tokens of a text, the last of which is kEnd, and their values.
struct Tokens {
  std::vector<Token> tokens;
  std::vector<std::string> names;  // Of quoted names, strings and parameters, with escapes resolved.
  std::vector<IntegerText> integers;
  std::vector<double> floats;
  std::vector<LexicalFault> faults;
};

// Never fails: a part that is no token becomes kInvalid. `text` is shorter than 4 GiB.
Tokens Tokenize(std::string_view text);

}  // namespace toolgate::executors::cypher::syntax

#endif  // TOOLGATE_EXECUTORS_CYPHER_SYNTAX_LEXER_H_
