// The parser's rules for expressions: operators by precedence climbing, so that a level of parentheses costs few
// frames.
#include <array>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/cypher/syntax/parser_impl.h"

namespace toolgate::executors::cypher::syntax {
namespace {

// Levels of precedence, from the loosest.
constexpr int kOrLevel = 0;
constexpr int kXorLevel = 1;
constexpr int kAndLevel = 2;
constexpr int kNotLevel = 3;
constexpr int kComparisonLevel = 4;
constexpr int kPredicateLevel = 5;
constexpr int kSumLevel = 6;
constexpr int kProductLevel = 7;
constexpr int kPowerLevel = 8;
constexpr int kSignLevel = 9;

struct BinaryRow {
  TokenKind kind;
  BinaryOperator op;
  int level;
};

constexpr std::array<BinaryRow, 7> kBinaryRows = {{
    {TokenKind::kMatches, BinaryOperator::kMatches, kPredicateLevel},
    {TokenKind::kPlus, BinaryOperator::kAdd, kSumLevel},
    {TokenKind::kMinus, BinaryOperator::kSubtract, kSumLevel},
    {TokenKind::kStar, BinaryOperator::kMultiply, kProductLevel},
    {TokenKind::kSlash, BinaryOperator::kDivide, kProductLevel},
    {TokenKind::kPercent, BinaryOperator::kModulo, kProductLevel},
    {TokenKind::kCaret, BinaryOperator::kPower, kPowerLevel},
}};

std::optional<ComparisonOperator> ComparisonOf(TokenKind kind) {
  switch (kind) {
    case TokenKind::kEqual:
      return ComparisonOperator::kEqual;
    case TokenKind::kNotEqual:
      return ComparisonOperator::kNotEqual;
    case TokenKind::kLess:
      return ComparisonOperator::kLess;
    case TokenKind::kLessOrEqual:
      return ComparisonOperator::kLessOrEqual;
    case TokenKind::kGreater:
      return ComparisonOperator::kGreater;
    case TokenKind::kGreaterOrEqual:
      return ComparisonOperator::kGreaterOrEqual;
    default:
      return std::nullopt;
  }
}

}  // namespace

// --- Operators

absl::StatusOr<ExpressionPtr> Parser::ParseOperators(int lowest) {
  const Nesting nesting(*this);
  RETURN_IF_ERROR(CheckDepth());
  ASSIGN_OR_RETURN(ExpressionPtr left, ParseOperand(lowest));
  // Operators that bind tighter than NOT belong to its operand, which has taken them.
  while (true) {
    if (lowest <= kOrLevel && IsWord("OR")) {
      ASSIGN_OR_RETURN(left, ParseLogical(std::move(left), LogicalOperator::kOr, "OR", kOrLevel));
    } else if (lowest <= kXorLevel && IsWord("XOR")) {
      ASSIGN_OR_RETURN(left, ParseLogical(std::move(left), LogicalOperator::kXor, "XOR", kXorLevel));
    } else if (lowest <= kAndLevel && IsWord("AND")) {
      ASSIGN_OR_RETURN(left, ParseLogical(std::move(left), LogicalOperator::kAnd, "AND", kAndLevel));
    } else if (lowest <= kComparisonLevel && ComparisonOf(Kind()).has_value()) {
      ASSIGN_OR_RETURN(left, ParseComparison(std::move(left)));
    } else if (lowest <= kPredicateLevel && IsWord("IS")) {
      ASSIGN_OR_RETURN(left, ParseNullTest(std::move(left)));
    } else if (const std::optional<BinaryStep> step = AcceptBinary(lowest); step.has_value()) {
      ASSIGN_OR_RETURN(ExpressionPtr right, ParseOperators(step->level + 1));
      const size_t begin = left->range.begin;
      ASSIGN_OR_RETURN(left, Make(begin, Binary{step->op, std::move(left), std::move(right)}));
    } else {
      return left;
    }
  }
}

absl::StatusOr<ExpressionPtr> Parser::ParseOperand(int lowest) {
  if (lowest > kNotLevel || !IsWord("NOT")) return ParseSign();
  const size_t begin = Current().begin;
  ++at_;
  ASSIGN_OR_RETURN(ExpressionPtr operand, ParseOperators(kNotLevel));
  return Make(begin, Unary{UnaryOperator::kNot, std::move(operand)});
}

std::optional<Parser::BinaryStep> Parser::AcceptBinary(int lowest) {
  for (const BinaryRow& row : kBinaryRows) {
    if (row.level >= lowest && Accept(row.kind)) return BinaryStep{row.op, row.level};
  }
  if (lowest > kPredicateLevel) return std::nullopt;
  if (AcceptWord("IN")) return BinaryStep{BinaryOperator::kIn, kPredicateLevel};
  if (AcceptWord("CONTAINS")) return BinaryStep{BinaryOperator::kContains, kPredicateLevel};
  if (!IsWord("WITH", 1) || (!IsWord("STARTS") && !IsWord("ENDS"))) return std::nullopt;
  const BinaryOperator op = IsWord("STARTS") ? BinaryOperator::kStartsWith : BinaryOperator::kEndsWith;
  at_ += 2;
  return BinaryStep{op, kPredicateLevel};
}

absl::StatusOr<ExpressionPtr> Parser::ParseLogical(ExpressionPtr first, LogicalOperator op, std::string_view word,
                                                   int level) {
  const size_t begin = first->range.begin;
  Logical logical{op, {}};
  logical.operands.push_back(std::move(first));
  while (AcceptWord(word)) {
    ASSIGN_OR_RETURN(ExpressionPtr operand, ParseOperators(level + 1));
    logical.operands.push_back(std::move(operand));
  }
  return Make(begin, std::move(logical));
}

absl::StatusOr<ExpressionPtr> Parser::ParseComparison(ExpressionPtr first) {
  const size_t begin = first->range.begin;
  Comparison comparison;
  comparison.first = std::move(first);
  while (const std::optional<ComparisonOperator> op = ComparisonOf(Kind())) {
    ++at_;
    ASSIGN_OR_RETURN(ExpressionPtr operand, ParseOperators(kPredicateLevel));
    comparison.steps.push_back({*op, std::move(operand)});
  }
  return Make(begin, std::move(comparison));
}

absl::StatusOr<ExpressionPtr> Parser::ParseNullTest(ExpressionPtr operand) {
  const size_t begin = operand->range.begin;
  RETURN_IF_ERROR(ExpectWord("IS"));
  const UnaryOperator op = AcceptWord("NOT") ? UnaryOperator::kIsNotNull : UnaryOperator::kIsNull;
  RETURN_IF_ERROR(ExpectWord("NULL"));
  return Make(begin, Unary{op, std::move(operand)});
}

absl::StatusOr<ExpressionPtr> Parser::ParseSign() {
  if (Kind() != TokenKind::kMinus && Kind() != TokenKind::kPlus) return ParsePostfix();
  const Nesting nesting(*this);
  RETURN_IF_ERROR(CheckDepth());
  const size_t begin = Current().begin;
  const bool minus = Kind() == TokenKind::kMinus;
  ++at_;
  if (minus && (Kind() == TokenKind::kInteger || Kind() == TokenKind::kFloat)) {
    ASSIGN_OR_RETURN(ExpressionPtr number, ParseNumber(/*negative=*/true));
    return ParsePostfixOf(std::move(number));
  }
  ASSIGN_OR_RETURN(ExpressionPtr operand, ParseSign());
  return Make(begin, Unary{minus ? UnaryOperator::kMinus : UnaryOperator::kPlus, std::move(operand)});
}

// --- What follows an operand

absl::StatusOr<ExpressionPtr> Parser::ParsePostfix() {
  ASSIGN_OR_RETURN(ExpressionPtr atom, ParseAtom());
  return ParsePostfixOf(std::move(atom));
}

absl::StatusOr<ExpressionPtr> Parser::ParsePostfixOf(ExpressionPtr subject) {
  while (true) {
    const size_t begin = subject->range.begin;
    if (Accept(TokenKind::kDot)) {
      ASSIGN_OR_RETURN(std::string key, ParseName("a property's name"));
      ASSIGN_OR_RETURN(subject, Make(begin, Property{std::move(subject), std::move(key)}));
    } else if (Kind() == TokenKind::kLeftBracket) {
      ASSIGN_OR_RETURN(subject, ParseSubscript(std::move(subject)));
    } else if (Kind() == TokenKind::kColon) {
      ASSIGN_OR_RETURN(subject, ParseLabelTest(std::move(subject)));
    } else {
      return subject;
    }
  }
}

absl::StatusOr<ExpressionPtr> Parser::ParseSubscript(ExpressionPtr subject) {
  const size_t begin = subject->range.begin;
  RETURN_IF_ERROR(Expect(TokenKind::kLeftBracket, "\"[\""));
  ExpressionPtr from;
  if (Kind() != TokenKind::kDotDot) {
    ASSIGN_OR_RETURN(from, ParseExpression());
    if (Accept(TokenKind::kRightBracket)) return Make(begin, Subscript{std::move(subject), std::move(from)});
  }
  RETURN_IF_ERROR(Expect(TokenKind::kDotDot, "\"]\" or \"..\""));
  ExpressionPtr to;
  if (Kind() != TokenKind::kRightBracket) {
    ASSIGN_OR_RETURN(to, ParseExpression());
  }
  RETURN_IF_ERROR(Expect(TokenKind::kRightBracket, "\"]\""));
  return Make(begin, Slice{std::move(subject), std::move(from), std::move(to)});
}

absl::StatusOr<ExpressionPtr> Parser::ParseLabelTest(ExpressionPtr subject) {
  const size_t begin = subject->range.begin;
  LabelTest test;
  test.subject = std::move(subject);
  while (Accept(TokenKind::kColon)) {
    ASSIGN_OR_RETURN(std::string label, ParseName("a label"));
    test.labels.push_back(std::move(label));
  }
  return Make(begin, std::move(test));
}

// --- Operands

absl::StatusOr<ExpressionPtr> Parser::ParseAtom() {
  const Token& token = Current();
  switch (token.kind) {
    case TokenKind::kInteger:
    case TokenKind::kFloat:
      return ParseNumber(/*negative=*/false);
    case TokenKind::kString:
      ++at_;
      return Make(token.begin, Literal{tokens_.names[token.value]});
    case TokenKind::kParameter:
      ++at_;
      return Make(token.begin, Parameter{tokens_.names[token.value]});
    case TokenKind::kLeftParen:
      return SkipChain(at_) != 0 ? ParsePatternPredicate() : ParseParenthesised();
    case TokenKind::kLeftBracket:
      return ParseListLike();
    case TokenKind::kLeftBrace:
      return ParseMap();
    case TokenKind::kWord:
    case TokenKind::kQuotedName:
      return ParseWordAtom();
    default:
      return Unexpected("an expression");
  }
}

absl::StatusOr<ExpressionPtr> Parser::ParseWordAtom() {
  const size_t begin = Current().begin;
  if (AcceptWord("NULL")) return Make(begin, Literal{});
  if (AcceptWord("TRUE")) return Make(begin, Literal{true});
  if (AcceptWord("FALSE")) return Make(begin, Literal{false});
  if (IsWord("CASE")) return ParseCase();
  if (IsWord("EXISTS") && Kind(1) == TokenKind::kLeftBrace) return ParseExists();
  if (IsWord("REDUCE") && Kind(1) == TokenKind::kLeftParen && Kind(3) == TokenKind::kEqual) return ParseReduce();
  if (AtCall()) {
    if (IsWord("ALL")) return ParseQuantifier(QuantifierKind::kAll);
    if (IsWord("ANY")) return ParseQuantifier(QuantifierKind::kAny);
    if (IsWord("NONE")) return ParseQuantifier(QuantifierKind::kNone);
    if (IsWord("SINGLE")) return ParseQuantifier(QuantifierKind::kSingle);
    return ParseCall();
  }
  if (!IsVariable()) return Unexpected("an expression");
  if (Kind(1) == TokenKind::kLeftBrace) return ParseMapProjection();
  ASSIGN_OR_RETURN(std::string name, ParseVariable());
  return Make(begin, Variable{std::move(name)});
}

absl::StatusOr<ExpressionPtr> Parser::ParseNumber(bool negative) {
  const Token& token = Current();
  const size_t begin = negative ? tokens_.tokens[at_ - 1].begin : token.begin;
  ++at_;
  if (token.kind == TokenKind::kFloat) {
    const double value = tokens_.floats[token.value];
    return Make(begin, Literal{negative ? -value : value});
  }
  const IntegerText& text = tokens_.integers[token.value];
  const uint64_t most = static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) + (negative ? 1 : 0);
  if (text.too_large || text.magnitude > most) {
    return Error("IntegerOverflow", "The number is too large for a 64-bit integer", begin);
  }
  return Make(begin, Literal{static_cast<int64_t>(negative ? 0 - text.magnitude : text.magnitude)});
}

absl::StatusOr<ExpressionPtr> Parser::ParseParenthesised() {
  RETURN_IF_ERROR(Expect(TokenKind::kLeftParen, "\"(\""));
  ASSIGN_OR_RETURN(ExpressionPtr inner, ParseExpression());
  RETURN_IF_ERROR(Expect(TokenKind::kRightParen, "an operator or \")\""));
  return inner;
}

absl::StatusOr<ExpressionPtr> Parser::ParsePatternPredicate() {
  const size_t begin = Current().begin;
  auto path = std::make_unique<PathPattern>();
  RETURN_IF_ERROR(ParsePatternChain(*path, SkipChain(at_)));
  return Make(begin, PatternPredicate{std::move(path), /*in_exists=*/false});
}

// --- Forms that begin with a word

absl::StatusOr<ExpressionPtr> Parser::ParseCase() {
  const size_t begin = Current().begin;
  RETURN_IF_ERROR(ExpectWord("CASE"));
  ++open_cases_;
  Case result;
  if (!IsWord("WHEN")) {
    ASSIGN_OR_RETURN(result.operand, ParseExpression());
  }
  while (AcceptWord("WHEN")) {
    Case::Alternative alternative;
    ASSIGN_OR_RETURN(alternative.when, ParseExpression());
    RETURN_IF_ERROR(ExpectWord("THEN"));
    ASSIGN_OR_RETURN(alternative.then, ParseExpression());
    result.alternatives.push_back(std::move(alternative));
  }
  if (result.alternatives.empty()) return Unexpected("WHEN");
  if (AcceptWord("ELSE")) {
    ASSIGN_OR_RETURN(result.otherwise, ParseExpression());
  }
  RETURN_IF_ERROR(AcceptWord("END") ? absl::OkStatus() : Unexpected("WHEN, ELSE or END"));
  --open_cases_;
  return Make(begin, std::move(result));
}

absl::StatusOr<ExpressionPtr> Parser::ParseExists() {
  const size_t begin = Current().begin;
  RETURN_IF_ERROR(ExpectWord("EXISTS"));
  RETURN_IF_ERROR(Expect(TokenKind::kLeftBrace, "\"{\""));
  ++open_subqueries_;
  auto query = std::make_unique<Query>();
  if (Kind() == TokenKind::kLeftParen || (IsVariable() && Kind(1) == TokenKind::kEqual)) {
    RETURN_IF_ERROR(CountNode(Current().begin));
    const size_t pattern = Current().begin;
    ASSIGN_OR_RETURN(Match match, ParseMatch(/*optional=*/false));
    Clause clause{RangeFrom(pattern), std::move(match)};
    SingleQuery part;
    part.range = clause.range;
    part.clauses.push_back(std::move(clause));
    query->parts.push_back(std::move(part));
  } else {
    ASSIGN_OR_RETURN(*query, ParseQuery());
  }
  RETURN_IF_ERROR(Expect(TokenKind::kRightBrace, "\"}\" at the end of EXISTS"));
  --open_subqueries_;
  return Make(begin, Exists{std::move(query)});
}

absl::StatusOr<ExpressionPtr> Parser::ParseQuantifier(QuantifierKind kind) {
  const size_t begin = Current().begin;
  at_ += 2;  // The word and "(".
  Quantifier quantifier{kind, "", nullptr, nullptr};
  ASSIGN_OR_RETURN(quantifier.variable, ParseVariable());
  RETURN_IF_ERROR(ExpectWord("IN"));
  ASSIGN_OR_RETURN(quantifier.list, ParseExpression());
  ASSIGN_OR_RETURN(quantifier.where, ParseOptionalWhere());
  RETURN_IF_ERROR(Expect(TokenKind::kRightParen, "WHERE or \")\""));
  return Make(begin, std::move(quantifier));
}

absl::StatusOr<ExpressionPtr> Parser::ParseReduce() {
  const size_t begin = Current().begin;
  at_ += 2;  // The word and "(".
  Reduce reduce;
  ASSIGN_OR_RETURN(reduce.accumulator, ParseVariable());
  RETURN_IF_ERROR(Expect(TokenKind::kEqual, "\"=\""));
  ASSIGN_OR_RETURN(reduce.initial, ParseExpression());
  RETURN_IF_ERROR(Expect(TokenKind::kComma, "\",\""));
  ASSIGN_OR_RETURN(reduce.variable, ParseVariable());
  RETURN_IF_ERROR(ExpectWord("IN"));
  ASSIGN_OR_RETURN(reduce.list, ParseExpression());
  RETURN_IF_ERROR(Expect(TokenKind::kBar, "\"|\""));
  ASSIGN_OR_RETURN(reduce.step, ParseExpression());
  RETURN_IF_ERROR(Expect(TokenKind::kRightParen, "\")\""));
  return Make(begin, std::move(reduce));
}

// A name with its namespaces, followed by "(".
bool Parser::AtCall() const {
  size_t ahead = 0;
  const auto is_name = [&](size_t i) { return Kind(i) == TokenKind::kWord || Kind(i) == TokenKind::kQuotedName; };
  if (Kind() == TokenKind::kWord && !IsVariable()) return false;
  while (is_name(ahead) && Kind(ahead + 1) == TokenKind::kDot) ahead += 2;
  return is_name(ahead) && Kind(ahead + 1) == TokenKind::kLeftParen;
}

absl::StatusOr<ExpressionPtr> Parser::ParseCall() {
  const size_t begin = Current().begin;
  FunctionCall call;
  do {
    ASSIGN_OR_RETURN(const std::string part, ParseName("a function's name"));
    call.name = call.name.empty() ? part : absl::StrCat(call.name, ".", part);
  } while (Accept(TokenKind::kDot));
  RETURN_IF_ERROR(Expect(TokenKind::kLeftParen, "\"(\""));
  if (Kind() == TokenKind::kStar && absl::EqualsIgnoreCase(call.name, "count")) {
    ++at_;
    RETURN_IF_ERROR(Expect(TokenKind::kRightParen, "\")\""));
    return Make(begin, CountStar{});
  }
  call.distinct = AcceptWord("DISTINCT");
  if (Kind() != TokenKind::kRightParen || call.distinct) {
    do {
      ASSIGN_OR_RETURN(ExpressionPtr argument, ParseExpression());
      call.arguments.push_back(std::move(argument));
    } while (Accept(TokenKind::kComma));
  }
  RETURN_IF_ERROR(Expect(TokenKind::kRightParen, "\",\" or \")\" after an argument"));
  if (absl::EqualsIgnoreCase(call.name, "exists") && call.arguments.size() == 1 &&
      As<PatternPredicate>(*call.arguments[0]) != nullptr) {
    ExpressionPtr predicate = std::move(call.arguments[0]);
    predicate->range = RangeFrom(begin);
    std::get<PatternPredicate>(predicate->node).in_exists = true;
    return predicate;
  }
  return Make(begin, std::move(call));
}

}  // namespace toolgate::executors::cypher::syntax
