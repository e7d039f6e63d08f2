#include "executors/cypher/syntax/parser.h"

#include <algorithm>
#include <array>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/text/utf8.h"
#include "executors/cypher/syntax/parser_impl.h"

namespace toolgate::executors::cypher::syntax {
namespace {

constexpr size_t kMaxShownBytes = 40;

bool SameWord(std::string_view text, std::string_view keyword) {
  return absl::EqualsIgnoreCase(ToAbsl(text), ToAbsl(keyword));
}

// Words that begin a clause or continue an expression, and so are no variables. openCypher reserves more, but writers
// of queries do call a variable "order" or "end".
constexpr std::array<std::string_view, 32> kReserved = {
    "AND", "AS",   "CASE",   "CONTAINS", "CREATE", "DELETE", "DETACH", "DISTINCT", "ELSE",  "ENDS",   "FALSE",
    "IN",  "IS",   "LIMIT",  "MATCH",    "MERGE",  "NOT",    "NULL",   "OPTIONAL", "OR",    "REMOVE", "RETURN",
    "SET", "SKIP", "STARTS", "THEN",     "TRUE",   "UNION",  "UNWIND", "WHEN",     "WHERE", "WITH"};

bool IsReserved(std::string_view word) {
  return SameWord(word, "XOR") ||
         std::any_of(kReserved.begin(), kReserved.end(), [&](std::string_view row) { return SameWord(word, row); });
}

std::string Shortened(std::string_view text) {
  const std::string_view shown = text::PrefixOfBytes(text, kMaxShownBytes);
  return shown.size() == text.size() ? std::string(text) : absl::StrCat(ToAbsl(shown), "…");
}

absl::Status TextTooLong(std::string_view text, const Limits& limits) {
  return ToStatus(MakeSyntaxError(
      kQueryTooComplex,
      absl::StrCat("The query has ", text.size(), " bytes; at most ", limits.max_bytes, " are allowed"), "", 0));
}

int DepthOf(const ExpressionPtr& expression) { return expression == nullptr ? 0 : expression->depth; }

int DepthOf(const std::vector<PathPattern>& pattern) {
  int depth = 0;
  for (const PathPattern& path : pattern) depth = std::max(depth, syntax::DepthOf(path));
  return depth;
}

int DepthOf(const Projection& projection) {
  int depth = std::max(DepthOf(projection.skip), DepthOf(projection.limit));
  for (const ProjectionItem& item : projection.items) depth = std::max(depth, DepthOf(item.expression));
  for (const SortItem& item : projection.order_by) depth = std::max(depth, DepthOf(item.expression));
  return depth;
}

int DepthOf(const Clause& clause) {
  struct Visitor {
    int operator()(const Match& match) const { return std::max(DepthOf(match.pattern), DepthOf(match.where)); }
    int operator()(const Unwind& unwind) const { return DepthOf(unwind.list); }
    int operator()(const With& with) const { return std::max(DepthOf(with.projection), DepthOf(with.where)); }
    int operator()(const Return& result) const { return DepthOf(result.projection); }
    int operator()(const Create& create) const { return DepthOf(create.pattern); }
  };
  return std::visit(Visitor{}, clause.node);
}

}  // namespace

int DepthOf(const PathPattern& pattern) {
  int depth = 0;
  for (const NodePattern& node : pattern.nodes) depth = std::max(depth, DepthOf(node.properties));
  for (const RelationshipPattern& step : pattern.relationships) depth = std::max(depth, DepthOf(step.properties));
  return depth;
}

int DepthOf(const Query& query) {
  int depth = 0;
  for (const SingleQuery& part : query.parts) {
    for (const Clause& clause : part.clauses) depth = std::max(depth, DepthOf(clause));
  }
  return depth;
}

absl::StatusOr<Query> Parse(std::string_view text, const Limits& limits) {
  constexpr size_t kMostBytes = std::numeric_limits<uint32_t>::max() - 1;  // Offsets in tokens have 32 bits.
  if (text.size() > std::min(limits.max_bytes, kMostBytes)) return TextTooLong(text, limits);
  return Parser(text, limits).ParseStatement();
}

Parser::Parser(std::string_view text, const Limits& limits) : text_(text), limits_(limits), tokens_(Tokenize(text)) {}

// --- Tokens

const Token& Parser::Ahead(size_t count) const {
  return tokens_.tokens[std::min(at_ + count, tokens_.tokens.size() - 1)];
}

bool Parser::IsWord(std::string_view keyword, size_t ahead) const {
  const Token& token = Ahead(ahead);
  return token.kind == TokenKind::kWord && SameWord(TextOf(token), keyword);
}

bool Parser::IsVariable(size_t ahead) const {
  const Token& token = Ahead(ahead);
  if (token.kind == TokenKind::kQuotedName) return true;
  if (token.kind != TokenKind::kWord || IsReserved(TextOf(token))) return false;
  return open_cases_ == 0 || !SameWord(TextOf(token), "END");
}

bool Parser::Accept(TokenKind kind) {
  if (Kind() != kind) return false;
  ++at_;
  return true;
}

bool Parser::AcceptWord(std::string_view keyword) {
  if (!IsWord(keyword)) return false;
  ++at_;
  return true;
}

absl::Status Parser::Expect(TokenKind kind, std::string_view expected) {
  return Accept(kind) ? absl::OkStatus() : Unexpected(expected);
}

absl::Status Parser::ExpectWord(std::string_view keyword) {
  return AcceptWord(keyword) ? absl::OkStatus() : Unexpected(keyword);
}

std::string Parser::NameOf(const Token& token) const {
  return token.kind == TokenKind::kWord ? std::string(TextOf(token)) : tokens_.names[token.value];
}

absl::StatusOr<std::string> Parser::ParseName(std::string_view expected) {
  if (Kind() == TokenKind::kInvalid && tokens_.faults[Current().value].detail == "InvalidNumberLiteral") {
    return Error("UnexpectedSyntax", absl::StrCat("Expected ", ToAbsl(expected), " but found ", Found()),
                 Current().begin);
  }
  if (Kind() != TokenKind::kWord && Kind() != TokenKind::kQuotedName) return Unexpected(expected);
  return NameOf(tokens_.tokens[at_++]);
}

absl::StatusOr<std::string> Parser::ParseVariable() {
  if (!IsVariable()) return Unexpected("a variable");
  return NameOf(tokens_.tokens[at_++]);
}

SourceRange Parser::RangeFrom(size_t begin) const {
  return {begin, at_ == 0 ? begin : std::max<size_t>(begin, tokens_.tokens[at_ - 1].end)};
}

// --- Errors

absl::Status Parser::Error(std::string_view detail, std::string_view message, size_t offset) const {
  return ToStatus(MakeSyntaxError(detail, message, text_, offset));
}

std::string Parser::Found() const {
  const Token& token = Current();
  if (token.kind == TokenKind::kEnd) return "the end of the query";
  if (token.kind == TokenKind::kString) return "a string";
  return absl::StrCat("\"", Shortened(TextOf(token)), "\"");
}

absl::Status Parser::Unexpected(std::string_view expected) const {
  const Token& token = Current();
  if (token.kind == TokenKind::kInvalid) {
    const LexicalFault& fault = tokens_.faults[token.value];
    return Error(fault.detail, fault.message, fault.offset);
  }
  return Error("UnexpectedSyntax", absl::StrCat("Expected ", ToAbsl(expected), " but found ", Found()), token.begin);
}

absl::Status Parser::TooComplex(std::string_view message, size_t offset) const {
  return Error(kQueryTooComplex, message, offset);
}

absl::Status Parser::CountNode(size_t offset) {
  if (++nodes_ <= limits_.max_nodes) return absl::OkStatus();
  return TooComplex("The query has too many parts", offset);
}

absl::Status Parser::CheckDepth() const {
  if (depth_ <= limits_.max_depth && stack_.Holds()) return absl::OkStatus();
  return TooComplex("The query is nested too deeply", Current().begin);
}

// --- Clauses

absl::StatusOr<Query> Parser::ParseStatement() {
  if (Kind() == TokenKind::kEnd) return Error("UnexpectedSyntax", "The query is empty", 0);
  ASSIGN_OR_RETURN(Query query, ParseQuery());
  Accept(TokenKind::kSemicolon);
  if (Kind() != TokenKind::kEnd) return Unexpected("a clause or the end of the query");
  return query;
}

absl::StatusOr<Query> Parser::ParseQuery() {
  Query query;
  ASSIGN_OR_RETURN(SingleQuery first, ParseSingleQuery());
  query.parts.push_back(std::move(first));
  while (IsWord("UNION")) {
    const size_t begin = Current().begin;
    ++at_;
    const bool all = AcceptWord("ALL");
    if (!all) AcceptWord("DISTINCT");
    if (query.parts.size() > 1 && all != query.union_all) {
      return Error("InvalidClauseComposition", "UNION and UNION ALL cannot be mixed in one query", begin);
    }
    query.union_all = all;
    ASSIGN_OR_RETURN(SingleQuery part, ParseSingleQuery());
    query.parts.push_back(std::move(part));
  }
  return query;
}

absl::StatusOr<SingleQuery> Parser::ParseSingleQuery() {
  SingleQuery query;
  const size_t begin = Current().begin;
  while (true) {
    if (!query.clauses.empty() && std::holds_alternative<Return>(query.clauses.back().node)) break;
    RETURN_IF_ERROR(CountNode(Current().begin));
    ASSIGN_OR_RETURN(std::optional<Clause> clause, ParseClause());
    if (!clause.has_value()) break;
    query.clauses.push_back(*std::move(clause));
  }
  if (query.clauses.empty()) return Unexpected("a clause such as MATCH, UNWIND, WITH or RETURN");
  query.range = RangeFrom(begin);
  return query;
}

absl::Status Parser::RefusedClause() const {
  static constexpr std::array<std::string_view, 7> kWrites = {"MERGE",  "SET",     "DELETE", "DETACH",
                                                              "REMOVE", "FOREACH", "DROP"};
  CypherError error;
  error.kind = "SemanticError";
  for (const std::string_view word : kWrites) {
    if (!IsWord(word)) continue;
    error.detail = kWriteNotAllowed;
    error.message = absl::StrCat("Write clauses are not allowed: found ", ToAbsl(word));
  }
  if (IsWord("CALL") || IsWord("LOAD")) {
    error.detail = kClauseNotAllowed;
    error.message = absl::StrCat(IsWord("CALL") ? "CALL" : "LOAD CSV", " is not allowed");
  }
  if (error.detail.empty()) return absl::OkStatus();
  if (open_subqueries_ > 0) {
    error.kind = "SyntaxError";
    error.detail = "InvalidClauseComposition";
  }
  SetPosition(error, text_, Current().begin);
  return ToStatus(error);
}

absl::StatusOr<std::optional<Clause>> Parser::ParseClause() {
  Clause clause;
  const size_t begin = Current().begin;
  if (IsWord("MATCH") || IsWord("OPTIONAL")) {
    const bool optional = AcceptWord("OPTIONAL");
    RETURN_IF_ERROR(ExpectWord("MATCH"));
    ASSIGN_OR_RETURN(clause.node, ParseMatch(optional));
  } else if (AcceptWord("UNWIND")) {
    ASSIGN_OR_RETURN(clause.node, ParseUnwind());
  } else if (AcceptWord("WITH")) {
    ASSIGN_OR_RETURN(clause.node, ParseWith());
  } else if (AcceptWord("RETURN")) {
    ASSIGN_OR_RETURN(Projection projection, ParseProjection());
    clause.node = Return{std::move(projection)};
  } else if (AcceptWord("CREATE")) {
    ASSIGN_OR_RETURN(std::vector<PathPattern> pattern, ParsePatterns());
    clause.node = Create{std::move(pattern)};
  } else {
    RETURN_IF_ERROR(RefusedClause());
    return std::optional<Clause>();
  }
  clause.range = RangeFrom(begin);
  return std::optional<Clause>(std::move(clause));
}

absl::StatusOr<ExpressionPtr> Parser::ParseOptionalWhere() {
  if (!AcceptWord("WHERE")) return ExpressionPtr();
  return ParseExpression();
}

absl::StatusOr<Match> Parser::ParseMatch(bool optional) {
  Match match;
  match.optional = optional;
  ASSIGN_OR_RETURN(match.pattern, ParsePatterns());
  ASSIGN_OR_RETURN(match.where, ParseOptionalWhere());
  return match;
}

absl::StatusOr<Unwind> Parser::ParseUnwind() {
  Unwind unwind;
  ASSIGN_OR_RETURN(unwind.list, ParseExpression());
  RETURN_IF_ERROR(ExpectWord("AS"));
  ASSIGN_OR_RETURN(unwind.variable, ParseVariable());
  return unwind;
}

absl::StatusOr<With> Parser::ParseWith() {
  With with;
  ASSIGN_OR_RETURN(with.projection, ParseProjection());
  ASSIGN_OR_RETURN(with.where, ParseOptionalWhere());
  return with;
}

absl::StatusOr<Projection> Parser::ParseProjection() {
  Projection projection;
  projection.distinct = AcceptWord("DISTINCT");
  projection.all = Accept(TokenKind::kStar);
  if (!projection.all || Accept(TokenKind::kComma)) {
    do {
      ASSIGN_OR_RETURN(ProjectionItem item, ParseProjectionItem());
      projection.items.push_back(std::move(item));
    } while (Accept(TokenKind::kComma));
  }
  if (IsWord("ORDER")) {
    ASSIGN_OR_RETURN(projection.order_by, ParseOrderBy());
  }
  if (AcceptWord("SKIP")) {
    ASSIGN_OR_RETURN(projection.skip, ParseExpression());
  }
  if (AcceptWord("LIMIT")) {
    ASSIGN_OR_RETURN(projection.limit, ParseExpression());
  }
  return projection;
}

absl::StatusOr<ProjectionItem> Parser::ParseProjectionItem() {
  ProjectionItem item;
  const size_t begin = Current().begin;
  ASSIGN_OR_RETURN(item.expression, ParseExpression());
  const SourceRange written = RangeFrom(begin);
  item.name = std::string(text_.substr(written.begin, written.end - written.begin));
  // A column is called as its variable is, without backticks.
  if (const auto* variable = As<Variable>(*item.expression)) item.name = variable->name;
  if (AcceptWord("AS")) {
    item.aliased = true;
    ASSIGN_OR_RETURN(item.name, ParseName("a name for the column"));
  }
  item.range = RangeFrom(begin);
  return item;
}

absl::StatusOr<std::vector<SortItem>> Parser::ParseOrderBy() {
  std::vector<SortItem> items;
  RETURN_IF_ERROR(ExpectWord("ORDER"));
  RETURN_IF_ERROR(ExpectWord("BY"));
  do {
    SortItem item;
    ASSIGN_OR_RETURN(item.expression, ParseExpression());
    item.descending = AcceptWord("DESC") || AcceptWord("DESCENDING");
    if (!item.descending && !AcceptWord("ASC")) AcceptWord("ASCENDING");
    items.push_back(std::move(item));
  } while (Accept(TokenKind::kComma));
  return items;
}

}  // namespace toolgate::executors::cypher::syntax
