// A tool as data: the content of the definition file next to its handler. See docs/tool-definition.md for the format.
#ifndef TOOLGATE_EXECUTORS_TOOL_DEFINITION_H_
#define TOOLGATE_EXECUTORS_TOOL_DEFINITION_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/json.h"

namespace toolgate::executors {

enum class Category { kRead, kCreate, kUpdate, kDelete, kExecute };
enum class ConfirmationRule { kNever, kAlways, kConditional };
enum class Audience { kAny, kUser, kGuest };

// Executor of a tool: a C++ handler, or something outside of the process.
enum class ExecutorKind { kNative, kHttp, kGrpc, kMcp, kProcess };

// Event that shows a tool's result to people, made from members of its data (services/rendering/result_events.h).
enum class ResultEvent { kNone, kArtifactComplete, kImageComplete, kWebSearch };

struct RateLimit {
  Audience audience = Audience::kAny;
  int max_calls = 0;
  absl::Duration window;
};

struct Example {
  std::string description;
  Json setup;      // Calls that make the example possible: an array of {"tool", "arguments", "as"}. See the format.
  Json arguments;  // May refer to results of the setup: "{{name.path}}".
  Json result;     // Expected content of the result, perhaps in part.
};

struct Annotations {
  bool read_only = false;
  bool destructive = false;
  bool idempotent = false;
  bool open_world = false;
  bool reversible = true;
  bool remembered = false;
};

struct ToolDefinition {
  std::string id;
  std::string display_name;
  std::string description;
  Category category = Category::kRead;
  std::string module;
  Json argument_schema;  // Closed: additionalProperties is false unless the definition says otherwise.
  Json result_schema;
  std::vector<std::string> permissions;
  // Mode hints of callers (Caller::mode_hint) with which a chat offers the tool, besides "auto", which offers all.
  std::vector<std::string> modes;
  std::string switch_name;  // The tool is available only to callers for whom this switch is on; empty: to all.
  ConfirmationRule confirmation = ConfirmationRule::kNever;
  std::vector<RateLimit> limits;
  absl::Duration timeout = absl::Seconds(60);
  std::vector<Example> examples;
  Annotations annotations;
  ResultEvent result_event = ResultEvent::kNone;
  Json executor;  // As in the file.
  ExecutorKind kind = ExecutorKind::kNative;
  // From the executor. External dependency of the tool, by the operator's name for it; empty for none. Layer 3 has one
  // throttle and one circuit breaker for all tools of a provider.
  std::string provider;
  // From the executor. Internal: not in any list, and callable only through RPCs other than Execute (undo).
  bool internal = false;
  // From the executor. A read of a few rows, which runs on the RPC's own thread, without the hop to a worker.
  bool inline_reads = false;
};

// Reads one definition file. INVALID_ARGUMENT names `path`, the member and what would be right.
absl::StatusOr<ToolDefinition> ParseToolDefinition(std::string_view path, std::string_view text);

std::string_view CategoryName(Category category);
// As in the definition format: "artifact_complete", "image_complete", "web_search"; empty for kNone.
std::string_view ResultEventName(ResultEvent event);
// As in the definition format: "native", "http", "grpc", "mcp", "process".
std::string_view ExecutorKindName(ExecutorKind kind);

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_TOOL_DEFINITION_H_
