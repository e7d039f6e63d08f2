// Tokens of JavaScript and TypeScript with JSX.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_REACT_TOKEN_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_REACT_TOKEN_H_

#include <cstddef>
#include <string_view>
#include <vector>

namespace toolgate::executors::artifacts::checks::react {

enum class TokenKind {
  kIdentifier,  // Keywords too.
  kPunctuator,
  kNumber,
  kString,    // With its quotes; also of a JSX attribute.
  kTemplate,  // A piece of a template literal, without its quotes and braces.
  kRegex,
  kJsxOpen,  // An element's name; empty for a fragment.
  kJsxClose,
  kJsxAttribute,
  kJsxText,
};

struct Token {
  TokenKind kind;
  size_t offset;
  std::string_view text;
};

// A change of the source that does not alter its meaning beyond making it valid.
struct Edit {
  size_t offset;
  size_t length;
  std::string_view text;
};

}  // namespace toolgate::executors::artifacts::checks::react

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_REACT_TOKEN_H_
