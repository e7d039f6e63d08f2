// Every name that spans and the resource use: those of OpenTelemetry's semantic conventions 1.45, and toolgate's own.
// tests/e2e/traces.test.mjs compares every constant here with the published list.
#ifndef TOOLGATE_OBSERVABILITY_TRACING_ATTRIBUTE_NAMES_H_
#define TOOLGATE_OBSERVABILITY_TRACING_ATTRIBUTE_NAMES_H_

#include <string_view>

namespace toolgate::observability::tracing {

inline constexpr std::string_view kSchemaUrl = "https://opentelemetry.io/schemas/1.45.0";
inline constexpr std::string_view kScopeName = "toolgate";

// --- any span ---
inline constexpr std::string_view kErrorType = "error.type";

// --- RPCs ---
inline constexpr std::string_view kRpcSystemName = "rpc.system.name";
inline constexpr std::string_view kRpcMethod = "rpc.method";           // "package.Service/Method".
inline constexpr std::string_view kRpcStatusCode = "rpc.status_code";  // "OK", "NOT_FOUND".
inline constexpr std::string_view kServerAddress = "server.address";
inline constexpr std::string_view kServerPort = "server.port";
inline constexpr std::string_view kGrpc = "grpc";  // Value of kRpcSystemName.

// --- tool calls ---
inline constexpr std::string_view kGenAiOperationName = "gen_ai.operation.name";
inline constexpr std::string_view kGenAiToolName = "gen_ai.tool.name";
inline constexpr std::string_view kGenAiToolCallId = "gen_ai.tool.call.id";
inline constexpr std::string_view kGenAiToolType = "gen_ai.tool.type";
inline constexpr std::string_view kExecuteTool = "execute_tool";  // Value of kGenAiOperationName.
inline constexpr std::string_view kFunction = "function";         // Value of kGenAiToolType.

// --- operations of a store ---
inline constexpr std::string_view kDbSystemName = "db.system.name";
inline constexpr std::string_view kDbNamespace = "db.namespace";
inline constexpr std::string_view kDbOperationName = "db.operation.name";
inline constexpr std::string_view kSqlite = "sqlite";          // Value of kDbSystemName.
inline constexpr std::string_view kPostgresql = "postgresql";  // Value of kDbSystemName.

// --- requests over HTTP ---
inline constexpr std::string_view kHttpRequestMethod = "http.request.method";
inline constexpr std::string_view kHttpRoute = "http.route";
inline constexpr std::string_view kHttpResponseStatusCode = "http.response.status_code";
inline constexpr std::string_view kHttpRequestResendCount = "http.request.resend_count";
inline constexpr std::string_view kUrlScheme = "url.scheme";
inline constexpr std::string_view kUrlPath = "url.path";  // Of the route, not as it was asked for.

// --- requests to models ---
inline constexpr std::string_view kGenAiProviderName = "gen_ai.provider.name";
inline constexpr std::string_view kGenAiRequestModel = "gen_ai.request.model";
inline constexpr std::string_view kGenAiResponseModel = "gen_ai.response.model";
inline constexpr std::string_view kGenAiUsageInputTokens = "gen_ai.usage.input_tokens";
inline constexpr std::string_view kGenAiUsageOutputTokens = "gen_ai.usage.output_tokens";
inline constexpr std::string_view kChat = "chat";  // Value of kGenAiOperationName.
// Values of kGenAiProviderName: whose API it is, whoever serves it.
inline constexpr std::string_view kOpenAi = "openai";
inline constexpr std::string_view kAnthropic = "anthropic";
inline constexpr std::string_view kGemini = "gcp.gemini";

// --- the resource ---
inline constexpr std::string_view kServiceName = "service.name";
inline constexpr std::string_view kServiceVersion = "service.version";
inline constexpr std::string_view kServiceInstanceId = "service.instance.id";
inline constexpr std::string_view kTelemetrySdkName = "telemetry.sdk.name";
inline constexpr std::string_view kTelemetrySdkLanguage = "telemetry.sdk.language";
inline constexpr std::string_view kTelemetrySdkVersion = "telemetry.sdk.version";
inline constexpr std::string_view kHostName = "host.name";
inline constexpr std::string_view kProcessPid = "process.pid";
inline constexpr std::string_view kCpp = "cpp";  // Value of kTelemetrySdkLanguage.

// --- toolgate's own, where the conventions have no name ---
inline constexpr std::string_view kCallId = "toolgate.call.id";
inline constexpr std::string_view kOutcome = "toolgate.outcome";           // As in toolgate_calls_total.
inline constexpr std::string_view kRefusedBy = "toolgate.refused_by";      // The layer's name.
inline constexpr std::string_view kReferenceId = "toolgate.reference.id";  // As told to the caller.
inline constexpr std::string_view kAuditEntryId = "toolgate.audit_entry.id";
inline constexpr std::string_view kDryRun = "toolgate.dry_run";
inline constexpr std::string_view kReplayed = "toolgate.replayed";
inline constexpr std::string_view kFindings = "toolgate.injection.findings";
// Seconds before a mutation's transaction began: it waits for those before it.
inline constexpr std::string_view kQueueDuration = "toolgate.store.queue_duration";

}  // namespace toolgate::observability::tracing

#endif  // TOOLGATE_OBSERVABILITY_TRACING_ATTRIBUTE_NAMES_H_
