// Runs any text as an openCypher query on a small graph within tight bounds: rows, or an error with kind and detail.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "executors/cypher/engine.h"
#include "executors/cypher/memory_graph.h"
#include "executors/cypher/result_json.h"
#include "executors/cypher/syntax/cypher_error.h"

namespace {

namespace cypher = toolgate::executors::cypher;
using cypher::values::Value;

// Two labels, two types, a loop, a cycle, and an index that a part of the queries can use.
const cypher::MemoryGraph& Graph() {
  static const cypher::MemoryGraph* const graph = [] {
    auto* made = new cypher::MemoryGraph;
    for (int i = 0; i < 5; ++i) {
      made->AddNode({i % 2 == 0 ? "A" : "B"}, {{"k", Value(i)}, {"name", Value("n" + std::to_string(i))}});
    }
    for (int i = 0; i < 5; ++i) made->AddRelationship(i, (i + 1) % 5, i % 2 == 0 ? "T" : "U", {{"w", Value(i)}});
    made->AddRelationship(0, 0, "T", {});
    made->AddIndex("A", "k");
    return made;
  }();
  return *graph;
}

void CheckError(const absl::Status& status, std::string_view text) {
  const auto error = cypher::syntax::GetCypherError(status);
  if (error.has_value() && !error->kind.empty() && !error->detail.empty()) return;
  std::cerr << "an error without its details: " << status << ": " << text << "\n";
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto query = cypher::PreparedQuery::Prepare(text, {.max_bytes = 64 << 10, .max_nodes = 2000, .max_depth = 100});
  if (!query.ok()) {
    CheckError(query.status(), text);
    return 0;
  }
  const cypher::values::Map parameters = {{"p", Value(0.5)}, {"n", Value(1)}, {"s", Value("x")}, {"null", Value()}};
  cypher::RunOptions options;
  options.bounds = {.max_memory_bytes = 1 << 20, .max_rows = 1000, .max_time = absl::Milliseconds(200)};
  const absl::Status status =
      query->Run(Graph(), parameters, options, [](absl::Span<const Value> row) -> absl::StatusOr<bool> {
        for (const Value& value : row) {
          if (!cypher::ToJson(value, Graph()).ok()) std::abort();
        }
        return true;
      });
  if (!status.ok()) CheckError(status, text);
  return 0;
}
