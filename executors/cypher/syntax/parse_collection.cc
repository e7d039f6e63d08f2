// The parser's rules for lists, maps and comprehensions.
#include "common/status_macros.h"
#include "executors/cypher/syntax/parser_impl.h"

namespace toolgate::executors::cypher::syntax {

// --- Lists

absl::StatusOr<ExpressionPtr> Parser::ParseListLike() {
  if (IsVariable(1) && IsWord("IN", 2)) return ParseListComprehension();
  if (AtPatternComprehension()) return ParsePatternComprehension();
  return ParseListLiteral();
}

absl::StatusOr<ExpressionPtr> Parser::ParseListLiteral() {
  const size_t begin = Current().begin;
  RETURN_IF_ERROR(Expect(TokenKind::kLeftBracket, "\"[\""));
  ListLiteral list;
  if (Kind() != TokenKind::kRightBracket) {
    do {
      ASSIGN_OR_RETURN(ExpressionPtr element, ParseExpression());
      list.elements.push_back(std::move(element));
    } while (Accept(TokenKind::kComma));
  }
  RETURN_IF_ERROR(Expect(TokenKind::kRightBracket, "\",\" or \"]\" in a list"));
  return Make(begin, std::move(list));
}

absl::StatusOr<ExpressionPtr> Parser::ParseListComprehension() {
  const size_t begin = Current().begin;
  RETURN_IF_ERROR(Expect(TokenKind::kLeftBracket, "\"[\""));
  ListComprehension comprehension;
  ASSIGN_OR_RETURN(comprehension.variable, ParseVariable());
  RETURN_IF_ERROR(ExpectWord("IN"));
  ASSIGN_OR_RETURN(comprehension.list, ParseExpression());
  ASSIGN_OR_RETURN(comprehension.where, ParseOptionalWhere());
  if (Accept(TokenKind::kBar)) {
    ASSIGN_OR_RETURN(comprehension.result, ParseExpression());
  }
  RETURN_IF_ERROR(Expect(TokenKind::kRightBracket, "WHERE, \"|\" or \"]\" in a list comprehension"));
  return Make(begin, std::move(comprehension));
}

bool Parser::AtPatternComprehension() const {
  if (IsVariable(1) && Kind(2) == TokenKind::kEqual && Kind(3) == TokenKind::kLeftParen) return SkipChain(at_ + 3) != 0;
  const size_t end = SkipChain(at_ + 1);
  return end != 0 && (tokens_.tokens[end].kind == TokenKind::kBar || IsWord("WHERE", end - at_));
}

absl::StatusOr<ExpressionPtr> Parser::ParsePatternComprehension() {
  const size_t begin = Current().begin;
  RETURN_IF_ERROR(Expect(TokenKind::kLeftBracket, "\"[\""));
  PatternComprehension comprehension;
  comprehension.pattern = std::make_unique<PathPattern>();
  if (Kind(1) == TokenKind::kEqual) {
    ASSIGN_OR_RETURN(comprehension.pattern->variable, ParseVariable());
    RETURN_IF_ERROR(Expect(TokenKind::kEqual, "\"=\""));
  }
  RETURN_IF_ERROR(ParsePatternChain(*comprehension.pattern, SkipChain(at_)));
  ASSIGN_OR_RETURN(comprehension.where, ParseOptionalWhere());
  RETURN_IF_ERROR(Expect(TokenKind::kBar, "WHERE or \"|\" in a pattern comprehension"));
  ASSIGN_OR_RETURN(comprehension.result, ParseExpression());
  RETURN_IF_ERROR(Expect(TokenKind::kRightBracket, "\"]\""));
  return Make(begin, std::move(comprehension));
}

// --- Maps

absl::StatusOr<ExpressionPtr> Parser::ParseMap() {
  const size_t begin = Current().begin;
  RETURN_IF_ERROR(Expect(TokenKind::kLeftBrace, "\"{\""));
  MapLiteral map;
  if (Kind() != TokenKind::kRightBrace) {
    do {
      MapLiteral::Entry entry;
      ASSIGN_OR_RETURN(entry.key, ParseName("a key"));
      RETURN_IF_ERROR(Expect(TokenKind::kColon, "\":\" after a key"));
      ASSIGN_OR_RETURN(entry.value, ParseExpression());
      map.entries.push_back(std::move(entry));
    } while (Accept(TokenKind::kComma));
  }
  RETURN_IF_ERROR(Expect(TokenKind::kRightBrace, "\",\" or \"}\" in a map"));
  return Make(begin, std::move(map));
}

absl::StatusOr<ExpressionPtr> Parser::ParseMapProjection() {
  const size_t begin = Current().begin;
  MapProjection projection;
  ASSIGN_OR_RETURN(const std::string subject, ParseVariable());
  ASSIGN_OR_RETURN(projection.subject, Make(begin, Variable{subject}));
  RETURN_IF_ERROR(Expect(TokenKind::kLeftBrace, "\"{\""));
  if (Kind() != TokenKind::kRightBrace) {
    do {
      ASSIGN_OR_RETURN(MapProjection::Item item, ParseProjectedEntry(subject));
      projection.items.push_back(std::move(item));
    } while (Accept(TokenKind::kComma));
  }
  RETURN_IF_ERROR(Expect(TokenKind::kRightBrace, "\",\" or \"}\" in a map projection"));
  return Make(begin, std::move(projection));
}

absl::StatusOr<MapProjection::Item> Parser::ParseProjectedEntry(const std::string& subject) {
  MapProjection::Item item;
  const size_t begin = Current().begin;
  if (Accept(TokenKind::kDot)) {
    item.all_properties = Accept(TokenKind::kStar);
    if (item.all_properties) return item;
    ASSIGN_OR_RETURN(item.key, ParseName("a property's name or \"*\""));
    ASSIGN_OR_RETURN(ExpressionPtr variable, Make(begin, Variable{subject}));
    ASSIGN_OR_RETURN(item.value, Make(begin, Property{std::move(variable), item.key}));
    return item;
  }
  ASSIGN_OR_RETURN(item.key, ParseName("a key, a variable or \".\""));
  if (Accept(TokenKind::kColon)) {
    ASSIGN_OR_RETURN(item.value, ParseExpression());
  } else {
    ASSIGN_OR_RETURN(item.value, Make(begin, Variable{item.key}));
  }
  return item;
}

}  // namespace toolgate::executors::cypher::syntax
