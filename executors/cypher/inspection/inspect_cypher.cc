#include "executors/cypher/inspection/inspect_cypher.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/absl_bridge.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "executors/cypher/engine.h"
#include "executors/cypher/inspection/graph_loader.h"
#include "executors/cypher/memory_graph.h"
#include "executors/cypher/result_json.h"
#include "executors/cypher/syntax/cypher_error.h"
#include "executors/cypher/values/json.h"

namespace toolgate::executors::cypher::inspection {
namespace {

constexpr JsonLimits kLimits = {
    .max_bytes = size_t{64} << 20, .max_depth = 100, .max_keys = 10'000'000, .max_values = 10'000'000};

absl::Status BuildGraph(const Json& input, MemoryGraph& graph) {
  if (const auto description = input.find("graph"); description != input.end()) {
    RETURN_IF_ERROR(LoadGraph(*description, graph));
  }
  const auto create = input.find("create");
  if (create == input.end()) return absl::OkStatus();
  if (!create->is_array()) return absl::InvalidArgumentError("\"create\" must be an array of queries");
  for (const Json& query : *create) {
    if (!query.is_string()) return absl::InvalidArgumentError("\"create\" must be an array of queries");
    RETURN_IF_ERROR(RunCreate(query.get_ref<const std::string&>(), graph));
  }
  return absl::OkStatus();
}

absl::StatusOr<values::Map> ParametersOf(const Json& input) {
  const auto parameters = input.find("params");
  if (parameters == input.end() || parameters->is_null()) return values::Map();
  if (!parameters->is_object()) return absl::InvalidArgumentError("\"params\" must be an object");
  return values::FromJson(*parameters).map();
}

absl::StatusOr<Json> Inspect(std::string_view line) {
  ASSIGN_OR_RETURN(const Json input, ParseJson(line, kLimits));
  const auto query = input.is_object() ? input.find("query") : input.end();
  if (query == input.end() || !query->is_string()) return absl::InvalidArgumentError("\"query\" must be a string");
  ASSIGN_OR_RETURN(const values::Map parameters, ParametersOf(input));
  MemoryGraph graph;
  RETURN_IF_ERROR(BuildGraph(input, graph));
  ASSIGN_OR_RETURN(const PreparedQuery prepared, PreparedQuery::Prepare(query->get_ref<const std::string&>()));
  Json rows = Json::array();
  const auto take = [&](absl::Span<const values::Value> values) -> absl::StatusOr<bool> {
    Json row = Json::array();
    for (const values::Value& value : values) {
      ASSIGN_OR_RETURN(Json json, ToJson(value, graph));
      row.push_back(std::move(json));
    }
    rows.push_back(std::move(row));
    return true;
  };
  RETURN_IF_ERROR(prepared.Run(graph, parameters, {.bounds = kInspectionBounds}, take));
  return Json{{"columns", prepared.columns()}, {"rows", std::move(rows)}};
}

Json ErrorOf(const absl::Status& status) {
  if (const std::optional<syntax::CypherError> error = syntax::GetCypherError(status)) return ErrorJson(*error);
  return {{"kind", "InvalidInput"}, {"message", FromAbsl(status.message())}};
}

}  // namespace

std::string InspectCypher(std::string_view line) {
  const absl::StatusOr<Json> answer = Inspect(line);
  return DumpJson(answer.ok() ? *answer : Json{{"error", ErrorOf(answer.status())}});
}

}  // namespace toolgate::executors::cypher::inspection
