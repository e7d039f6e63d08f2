// Parses and checks any text as an openCypher query: a tree within the limits, or an error with its place in the text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include "executors/cypher/syntax/ast.h"
#include "executors/cypher/syntax/cypher_error.h"
#include "executors/cypher/syntax/parser.h"
#include "executors/cypher/syntax/semantics.h"

namespace {

namespace syntax = toolgate::executors::cypher::syntax;

constexpr syntax::Limits kLimits{.max_bytes = 64 << 10, .max_nodes = 2000, .max_depth = 100};

void Require(bool right, std::string_view what, std::string_view text) {
  if (right) return;
  std::cerr << what << ": " << text << "\n";
  std::abort();
}

void CheckError(const absl::Status& status, std::string_view text) {
  const auto error = syntax::GetCypherError(status);
  Require(error.has_value(), "an error without its details", text);
  Require(!error->kind.empty() && !error->detail.empty() && !error->message.empty(), "an empty error", text);
  Require(error->offset <= text.size(), "an error outside of the text", text);
}

// Every node lies in the text, no deeper than allowed, and calls a known function; answers the depth.
int CheckExpression(const syntax::Expression& expression, bool checked, std::string_view text) {
  Require(expression.range.begin <= expression.range.end && expression.range.end <= text.size(), "a range outside",
          text);
  int below = 0;
  syntax::ForEachChild(expression, [&](const syntax::Expression& child) {
    below = std::max(below, CheckExpression(child, checked, text));
  });
  Require(below < kLimits.max_depth, "a tree too deep", text);
  const auto* call = syntax::As<syntax::FunctionCall>(expression);
  Require(!checked || call == nullptr || call->function != nullptr, "an unknown function", text);
  Require(syntax::SameExpression(expression, expression), "an expression that differs from itself", text);
  return below + 1;
}

void CheckQuery(const syntax::Query& query, bool checked, std::string_view text) {
  for (const syntax::SingleQuery& part : query.parts) {
    for (const syntax::Clause& clause : part.clauses) {
      const auto* result = std::get_if<syntax::Return>(&clause.node);
      if (result == nullptr) continue;
      for (const syntax::ProjectionItem& item : result->projection.items) {
        CheckExpression(*item.expression, checked, text);
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto query = syntax::Parse(text, kLimits);
  if (!query.ok()) {
    CheckError(query.status(), text);
    return 0;
  }
  CheckQuery(*query, /*checked=*/false, text);
  const absl::Status status = syntax::CheckSemantics(*query, text, {.allow_create = true, .max_expanded_columns = 500});
  if (!status.ok()) {
    CheckError(status, text);
    return 0;
  }
  CheckQuery(*query, /*checked=*/true, text);
  return 0;
}
