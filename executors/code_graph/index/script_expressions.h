// Reads the types and expressions of JavaScript and TypeScript, as far as definitions need it.
#ifndef TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_SCRIPT_EXPRESSIONS_H_
#define TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_SCRIPT_EXPRESSIONS_H_

#include <cstddef>

#include "executors/code_graph/index/declaration_cursor.h"

namespace toolgate::executors::code_graph::index {

// Positions are those of tokens. One thread.
class ScriptExpressions : public DeclarationCursor {
 public:
  using DeclarationCursor::DeclarationCursor;

 protected:
  // A function bound to a name, or given as an argument.
  struct Literal {
    size_t parameters = 0;  // The opening parenthesis, or the one name.
    size_t body = 0;
    size_t end = 0;
    bool is_generator = false;
    bool exists() const { return end > 0; }
  };

  // The position behind a type; `at` itself when there is none.
  size_t BehindType(size_t at, bool may_be_function = true) const;
  // Whether a statement or member ends before the token at `i`, which begins a line.
  bool EndsStatement(size_t i) const;
  // The position behind an expression, which ends before a comma, a closing bracket or the end of the statement.
  size_t BehindExpression(size_t at, size_t end) const;
  // A function that begins at `at`.
  Literal LiteralAt(size_t at, size_t end) const;
  // Arrows in arrows are followed one by one, not by recursion.
  size_t BehindArrowBody(size_t at, size_t end) const;
  // Behind a token, a bracket, or a name with the type arguments of a call.
  size_t BehindOperand(size_t at) const;
  // At the word "function". Without a body, it is a signature.
  Literal FunctionAt(size_t at, size_t end) const;
  // A literal in parentheses or in one of the known wrappers.
  Literal WrappedLiteralAt(size_t at, size_t end) const;

 private:
  mutable int wrapped_depth_ = 0;
};

}  // namespace toolgate::executors::code_graph::index

#endif  // TOOLGATE_EXECUTORS_CODE_GRAPH_INDEX_SCRIPT_EXPRESSIONS_H_
