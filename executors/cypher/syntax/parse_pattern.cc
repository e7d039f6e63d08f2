// The parser's rules for patterns.
#include <limits>

#include "common/status_macros.h"
#include "executors/cypher/syntax/parser_impl.h"

namespace toolgate::executors::cypher::syntax {

absl::StatusOr<std::vector<PathPattern>> Parser::ParsePatterns() {
  std::vector<PathPattern> patterns;
  do {
    ASSIGN_OR_RETURN(PathPattern path, ParsePathPattern());
    patterns.push_back(std::move(path));
  } while (Accept(TokenKind::kComma));
  return patterns;
}

absl::StatusOr<PathPattern> Parser::ParsePathPattern() {
  PathPattern path;
  const size_t begin = Current().begin;
  if (IsVariable() && Kind(1) == TokenKind::kEqual) {
    ASSIGN_OR_RETURN(path.variable, ParseVariable());
    RETURN_IF_ERROR(Expect(TokenKind::kEqual, "\"=\""));
  }
  if (IsWord("shortestPath") || IsWord("allShortestPaths")) {
    path.kind = IsWord("shortestPath") ? PathKind::kShortest : PathKind::kAllShortest;
    ++at_;
    RETURN_IF_ERROR(Expect(TokenKind::kLeftParen, "\"(\""));
    RETURN_IF_ERROR(ParsePatternElement(path));
    RETURN_IF_ERROR(Expect(TokenKind::kRightParen, "\")\""));
  } else {
    RETURN_IF_ERROR(ParsePatternElement(path));
  }
  path.range = RangeFrom(begin);
  return path;
}

absl::Status Parser::ParsePatternElement(PathPattern& path) {
  size_t open = 0;
  while (Kind() == TokenKind::kLeftParen && Kind(1) == TokenKind::kLeftParen && Accept(TokenKind::kLeftParen)) ++open;
  RETURN_IF_ERROR(ParsePatternChain(path, tokens_.tokens.size()));
  for (; open > 0; --open) RETURN_IF_ERROR(Expect(TokenKind::kRightParen, "\")\""));
  return absl::OkStatus();
}

absl::Status Parser::ParsePatternChain(PathPattern& path, size_t end) {
  const size_t begin = Current().begin;
  ASSIGN_OR_RETURN(NodePattern first, ParseNodePattern());
  path.nodes.push_back(std::move(first));
  while (at_ < end && (Kind() == TokenKind::kMinus || Kind() == TokenKind::kLess)) {
    ASSIGN_OR_RETURN(RelationshipPattern relationship, ParseRelationshipPattern());
    path.relationships.push_back(std::move(relationship));
    ASSIGN_OR_RETURN(NodePattern node, ParseNodePattern());
    path.nodes.push_back(std::move(node));
  }
  path.range = RangeFrom(begin);
  return absl::OkStatus();
}

absl::StatusOr<NodePattern> Parser::ParseNodePattern() {
  NodePattern node;
  const size_t begin = Current().begin;
  RETURN_IF_ERROR(CountNode(begin));
  RETURN_IF_ERROR(Expect(TokenKind::kLeftParen, "a node pattern, \"(\""));
  if (IsVariable()) {
    ASSIGN_OR_RETURN(node.variable, ParseVariable());
  }
  while (Accept(TokenKind::kColon)) {
    RETURN_IF_ERROR(CountNode(Current().begin));
    ASSIGN_OR_RETURN(std::string label, ParseName("a label"));
    node.labels.push_back(std::move(label));
  }
  ASSIGN_OR_RETURN(node.properties, ParsePatternProperties());
  RETURN_IF_ERROR(Expect(TokenKind::kRightParen, "a variable, a label, a property map or \")\" in a node pattern"));
  node.range = RangeFrom(begin);
  return node;
}

absl::StatusOr<ExpressionPtr> Parser::ParsePatternProperties() {
  if (Kind() != TokenKind::kLeftBrace && Kind() != TokenKind::kParameter) return ExpressionPtr();
  const Nesting nesting(*this);
  RETURN_IF_ERROR(CheckDepth());
  return ParseAtom();
}

absl::StatusOr<RelationshipPattern> Parser::ParseRelationshipPattern() {
  RelationshipPattern relationship;
  const size_t begin = Current().begin;
  RETURN_IF_ERROR(CountNode(begin));
  const bool left = Accept(TokenKind::kLess);
  RETURN_IF_ERROR(Expect(TokenKind::kMinus, "\"-\" of a relationship pattern"));
  if (Kind() == TokenKind::kLeftBracket) RETURN_IF_ERROR(ParseRelationshipDetail(relationship));
  RETURN_IF_ERROR(Expect(TokenKind::kMinus, "\"[\" or \"-\" of a relationship pattern"));
  const bool right = Accept(TokenKind::kGreater);
  if (left != right) relationship.direction = left ? Direction::kIn : Direction::kOut;
  relationship.range = RangeFrom(begin);
  return relationship;
}

absl::Status Parser::ParseRelationshipDetail(RelationshipPattern& relationship) {
  RETURN_IF_ERROR(Expect(TokenKind::kLeftBracket, "\"[\""));
  if (IsVariable()) {
    ASSIGN_OR_RETURN(relationship.variable, ParseVariable());
  }
  RETURN_IF_ERROR(ParseTypes(relationship));
  if (Kind() == TokenKind::kDotDot) {
    return Error("InvalidRelationshipPattern", "A variable length begins with \"*\", as in *1..3", Current().begin);
  }
  if (Accept(TokenKind::kStar)) {
    ASSIGN_OR_RETURN(relationship.length, ParseVariableLength());
  }
  ASSIGN_OR_RETURN(relationship.properties, ParsePatternProperties());
  return Expect(TokenKind::kRightBracket,
                "a variable, a type, a length, a property map or \"]\" in a relationship pattern");
}

absl::Status Parser::ParseTypes(RelationshipPattern& relationship) {
  if (!Accept(TokenKind::kColon)) return absl::OkStatus();
  do {
    RETURN_IF_ERROR(CountNode(Current().begin));
    if (!relationship.types.empty()) Accept(TokenKind::kColon);
    ASSIGN_OR_RETURN(std::string type, ParseName("a relationship type"));
    relationship.types.push_back(std::move(type));
  } while (Accept(TokenKind::kBar));
  return absl::OkStatus();
}

absl::StatusOr<VariableLength> Parser::ParseVariableLength() {
  VariableLength length;
  ASSIGN_OR_RETURN(length.min, ParseLengthBound());
  if (!Accept(TokenKind::kDotDot)) {
    length.max = length.min;
    return length;
  }
  ASSIGN_OR_RETURN(length.max, ParseLengthBound());
  return length;
}

absl::StatusOr<std::optional<int64_t>> Parser::ParseLengthBound() {
  if (Kind() == TokenKind::kMinus || Kind() == TokenKind::kFloat) {
    return Error("InvalidRelationshipPattern", "A bound of a variable length is an integer from 0 on", Current().begin);
  }
  if (Kind() != TokenKind::kInteger) return std::optional<int64_t>();
  const IntegerText& bound = tokens_.integers[Current().value];
  if (bound.too_large || bound.magnitude > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return Error("IntegerOverflow", "The number is too large for a 64-bit integer", Current().begin);
  }
  ++at_;
  return std::optional<int64_t>(static_cast<int64_t>(bound.magnitude));
}

// --- Looking ahead: "(" begins a pattern or an expression.

size_t Parser::SkipNode(size_t at) const {
  const auto kind = [&](size_t i) { return tokens_.tokens[std::min(i, tokens_.tokens.size() - 1)].kind; };
  if (kind(at) != TokenKind::kLeftParen) return 0;
  ++at;
  if (kind(at) == TokenKind::kWord || kind(at) == TokenKind::kQuotedName) ++at;
  while (kind(at) == TokenKind::kColon) at += 2;
  if (kind(at) == TokenKind::kParameter) {
    ++at;
  } else if (kind(at) == TokenKind::kLeftBrace) {
    if (tokens_.tokens[at].value == 0) return 0;
    at = tokens_.tokens[at].value + 1;
  }
  return kind(at) == TokenKind::kRightParen ? at + 1 : 0;
}

size_t Parser::SkipRelationship(size_t at) const {
  const auto kind = [&](size_t i) { return tokens_.tokens[std::min(i, tokens_.tokens.size() - 1)].kind; };
  if (kind(at) == TokenKind::kLess) ++at;
  if (kind(at) != TokenKind::kMinus) return 0;
  ++at;
  if (kind(at) == TokenKind::kLeftBracket) {
    if (tokens_.tokens[at].value == 0) return 0;
    at = tokens_.tokens[at].value + 1;
  }
  if (kind(at) != TokenKind::kMinus) return 0;
  ++at;
  return kind(at) == TokenKind::kGreater ? at + 1 : at;
}

size_t Parser::SkipChain(size_t at) const {
  size_t end = SkipNode(at);
  if (end == 0) return 0;
  size_t relationships = 0;
  for (size_t next = SkipRelationship(end); next != 0; next = SkipRelationship(end)) {
    next = SkipNode(next);
    if (next == 0) break;
    end = next;
    ++relationships;
  }
  return relationships == 0 ? 0 : end;
}

}  // namespace toolgate::executors::cypher::syntax
