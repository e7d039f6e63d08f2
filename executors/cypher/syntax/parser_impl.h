// The parser's state and rules; used by parser.cc and parse_….cc only.
#ifndef TOOLGATE_EXECUTORS_CYPHER_SYNTAX_PARSER_IMPL_H_
#define TOOLGATE_EXECUTORS_CYPHER_SYNTAX_PARSER_IMPL_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/stack_bound.h"
#include "executors/cypher/syntax/ast.h"
#include "executors/cypher/syntax/lexer.h"
#include "executors/cypher/syntax/parser.h"

namespace toolgate::executors::cypher::syntax {

// One parse of one text. Every Parse… method begins at the current token and, unless it fails, ends behind the last
// token of what it parsed. After a failure the parser is not used any more.
class Parser {
 public:
  // `text` must outlive the parser and be no longer than limits.max_bytes.
  Parser(std::string_view text, const Limits& limits);

  absl::StatusOr<Query> ParseStatement();

 private:
  // Holds one level of nesting while it lives.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) { ++parser_.depth_; }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  // A level takes up to 4 KiB, several times as much with a sanitizer; a fiber's stack has 1 MiB.
  static constexpr size_t kMaxStackBytes = size_t{512} << 10;

  struct BinaryStep {
    BinaryOperator op;
    int level;
  };

  // --- Tokens
  const Token& Current() const { return tokens_.tokens[at_]; }
  const Token& Ahead(size_t count) const;
  TokenKind Kind(size_t ahead = 0) const { return Ahead(ahead).kind; }
  std::string_view TextOf(const Token& token) const { return text_.substr(token.begin, token.end - token.begin); }
  bool IsWord(std::string_view keyword, size_t ahead = 0) const;
  // Whether the token can be a variable's name where a new one is expected, or where an expression is.
  bool IsVariable(size_t ahead = 0) const;
  bool Accept(TokenKind kind);
  bool AcceptWord(std::string_view keyword);
  absl::Status Expect(TokenKind kind, std::string_view expected);
  absl::Status ExpectWord(std::string_view keyword);
  // The name at the current token: label, type, key, function; any word is one.
  absl::StatusOr<std::string> ParseName(std::string_view expected);
  absl::StatusOr<std::string> ParseVariable();
  std::string NameOf(const Token& token) const;
  SourceRange RangeFrom(size_t begin) const;  // To the end of the token before the current one.

  // --- Errors
  absl::Status Error(std::string_view detail, std::string_view message, size_t offset) const;
  // "Expected … but found …", or the lexical fault of the current token.
  absl::Status Unexpected(std::string_view expected) const;
  std::string Found() const;
  absl::Status TooComplex(std::string_view message, size_t offset) const;
  absl::Status CountNode(size_t offset);
  absl::Status CheckDepth() const;

  // --- Clauses (parser.cc)
  absl::StatusOr<Query> ParseQuery();
  absl::StatusOr<SingleQuery> ParseSingleQuery();
  absl::StatusOr<std::optional<Clause>> ParseClause();
  absl::Status RefusedClause() const;
  absl::StatusOr<Match> ParseMatch(bool optional);
  absl::StatusOr<Unwind> ParseUnwind();
  absl::StatusOr<With> ParseWith();
  absl::StatusOr<Projection> ParseProjection();
  absl::StatusOr<ProjectionItem> ParseProjectionItem();
  absl::StatusOr<std::vector<SortItem>> ParseOrderBy();
  absl::StatusOr<ExpressionPtr> ParseOptionalWhere();

  // --- Patterns (parse_pattern.cc)
  absl::StatusOr<std::vector<PathPattern>> ParsePatterns();
  absl::StatusOr<PathPattern> ParsePathPattern();
  absl::Status ParsePatternElement(PathPattern& path);            // Possibly in parentheses.
  absl::Status ParsePatternChain(PathPattern& path, size_t end);  // No further than token `end`.
  absl::StatusOr<NodePattern> ParseNodePattern();
  absl::StatusOr<RelationshipPattern> ParseRelationshipPattern();
  absl::Status ParseRelationshipDetail(RelationshipPattern& relationship);
  absl::Status ParseTypes(RelationshipPattern& relationship);
  absl::StatusOr<VariableLength> ParseVariableLength();
  absl::StatusOr<std::optional<int64_t>> ParseLengthBound();
  absl::StatusOr<ExpressionPtr> ParsePatternProperties();
  // Index of the token behind the node or relationship pattern that begins at token `at`; 0: there is none.
  size_t SkipNode(size_t at) const;
  size_t SkipRelationship(size_t at) const;
  // The same for a node, and all relationships and nodes that follow it, at least one.
  size_t SkipChain(size_t at) const;

  // --- Expressions (parse_expression.cc)
  absl::StatusOr<ExpressionPtr> ParseExpression() { return ParseOperators(0); }
  // Operators of level `lowest` and tighter; parse_expression.cc has the levels.
  absl::StatusOr<ExpressionPtr> ParseOperators(int lowest);
  absl::StatusOr<ExpressionPtr> ParseOperand(int lowest);
  std::optional<BinaryStep> AcceptBinary(int lowest);
  absl::StatusOr<ExpressionPtr> ParseLogical(ExpressionPtr first, LogicalOperator op, std::string_view word, int level);
  absl::StatusOr<ExpressionPtr> ParseComparison(ExpressionPtr first);
  absl::StatusOr<ExpressionPtr> ParseNullTest(ExpressionPtr operand);
  absl::StatusOr<ExpressionPtr> ParseSign();
  absl::StatusOr<ExpressionPtr> ParsePostfix();
  absl::StatusOr<ExpressionPtr> ParsePostfixOf(ExpressionPtr subject);
  absl::StatusOr<ExpressionPtr> ParseSubscript(ExpressionPtr subject);
  absl::StatusOr<ExpressionPtr> ParseLabelTest(ExpressionPtr subject);
  absl::StatusOr<ExpressionPtr> ParseAtom();
  absl::StatusOr<ExpressionPtr> ParseWordAtom();
  absl::StatusOr<ExpressionPtr> ParseNumber(bool negative);
  absl::StatusOr<ExpressionPtr> ParseParenthesised();
  absl::StatusOr<ExpressionPtr> ParsePatternPredicate();
  absl::StatusOr<ExpressionPtr> ParseCase();
  absl::StatusOr<ExpressionPtr> ParseExists();
  absl::StatusOr<ExpressionPtr> ParseQuantifier(QuantifierKind kind);
  absl::StatusOr<ExpressionPtr> ParseReduce();
  absl::StatusOr<ExpressionPtr> ParseCall();
  bool AtCall() const;

  // --- Lists, maps and comprehensions (parse_collection.cc)
  absl::StatusOr<ExpressionPtr> ParseListLike();
  absl::StatusOr<ExpressionPtr> ParseListLiteral();
  absl::StatusOr<ExpressionPtr> ParseListComprehension();
  absl::StatusOr<ExpressionPtr> ParsePatternComprehension();
  bool AtPatternComprehension() const;
  absl::StatusOr<ExpressionPtr> ParseMap();
  absl::StatusOr<ExpressionPtr> ParseMapProjection();
  absl::StatusOr<MapProjection::Item> ParseProjectedEntry(const std::string& subject);

  template <typename Node>
  absl::StatusOr<ExpressionPtr> Make(size_t begin, Node node);

  const std::string_view text_;
  const Limits limits_;
  const Tokens tokens_;
  const StackBound stack_{kMaxStackBytes};
  size_t at_ = 0;
  size_t nodes_ = 0;
  int depth_ = 0;
  int open_subqueries_ = 0;
  int open_cases_ = 0;  // CASE whose END is still to come; there, END is no variable.
};

// Depth of the deepest expression in a pattern or a query, at least 0.
int DepthOf(const PathPattern& pattern);
int DepthOf(const Query& query);

template <typename Node>
absl::StatusOr<ExpressionPtr> Parser::Make(size_t begin, Node node) {
  if (absl::Status counted = CountNode(begin); !counted.ok()) return counted;
  auto expression = std::make_unique<Expression>();
  expression->range = RangeFrom(begin);
  expression->node = std::move(node);
  int below = 0;
  ForEachChild(*expression, [&](const Expression& child) { below = std::max(below, child.depth); });
  if (const auto* exists = std::get_if<Exists>(&expression->node)) below = std::max(below, DepthOf(*exists->query));
  expression->depth = below + 1;
  if (expression->depth > limits_.max_depth) return TooComplex("The expression is nested too deeply", begin);
  return expression;
}

}  // namespace toolgate::executors::cypher::syntax

#endif  // TOOLGATE_EXECUTORS_CYPHER_SYNTAX_PARSER_IMPL_H_
