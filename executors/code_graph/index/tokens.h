// The tokens of a source text.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_TOKENS_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_TOKENS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "executors/code_graph/index/language.h"

namespace toolgate::executors::code_graph::index {

struct Token {
  enum class Kind : uint8_t {
    kName,
    kString,  // `text` is without its quotes.
    kNumber,
    kSign,  // One byte, but for "::" and "->".
  };
  Kind kind = Kind::kSign;
  bool after_sigil = false;  // A name right behind `$`, `@` or `%`, in a language that has such.
  uint32_t line = 0;         // From 1.
  std::string_view text;     // Borrowed from the source.
  bool is_made = false;      // A parenthesis around code in a string or an element: not of the source.
  bool begins_line = false;  // The first one behind the end of a line that is in no literal.

  bool IsName() const { return kind == Kind::kName; }
  bool IsSign(std::string_view sign) const { return kind == Kind::kSign && text == sign; }
};

// Tokens in their order, without comments. Code within strings, as in `text ${code}`, follows the string in
// parentheses; an element of JSX is its names of components and its code in parentheses. A rough reading that takes any
// bytes: literals that the language's rules do not end are ended at the end of their line or of the text. Linear in the
// text's length.
std::vector<Token> Tokenise(std::string_view source, const LexRules& rules);

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_TOKENS_H_
