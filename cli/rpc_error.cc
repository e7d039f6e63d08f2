#include "cli/rpc_error.h"

#include <grpcpp/support/status.h>

#include <algorithm>
#include <array>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cli/printable.h"
#include "common/absl_bridge.h"
#include "common/grpc_status_name.h"
#include "common/proto_bytes.h"
#include "common/proto_time.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"

namespace toolgate::cli {
namespace {

// Hint for one reason of a refusal.
struct ReasonRow {
  std::string_view reason;
  std::string_view hint;
};

constexpr std::array<ReasonRow, 8> kHints = {{
    {"INJECTION_DETECTED",
     "the arguments look like instructions to a model; `toolgate inspect injection` shows the matching rules"},
    {"RATE_LIMITED", "wait and send the same call again"},
    {"CIRCUIT_OPEN", "the tool has failed too often recently; wait and try again"},
    {"OVERLOADED", "wait and send the same call again"},
    {"UNAUTHORIZED", "give a valid token in TOOLGATE_TOKEN or --token-file, or a certificate in --tls-cert"},
    {"UNKNOWN_TOOL", "`toolgate tools` lists the tools that you may use"},
    {"CANCELLED", "send the call without the token to ask for approval again"},
    {"NOT_CONFIGURED", "the operator must configure the tool"},
}};

constexpr std::string_view kNotOffered =
    "this service does not implement the call; compare `toolgate version` on both sides";

// True if the error is about a tool's arguments, whose paths are JSON pointers; fields of the request have plain names.
bool BlamesArguments(const RpcError& error) {
  return std::any_of(error.violations.begin(), error.violations.end(),
                     [](const auto& violation) { return violation.path.rfind('/', 0) == 0; });
}

void ReadDetail(const google::protobuf::Any& detail, RpcError& error) {
  if (google::rpc::ErrorInfo info; UnpackProto(detail, info)) {
    error.reason = info.reason();
    error.metadata.insert(info.metadata().begin(), info.metadata().end());
  } else if (google::rpc::BadRequest bad; UnpackProto(detail, bad)) {
    for (const auto& violation : bad.field_violations()) {
      error.violations.push_back({violation.field(), violation.description()});
    }
  } else if (google::rpc::RetryInfo retry; UnpackProto(detail, retry)) {
    error.retry_after = FromProtoDuration(retry.retry_delay());
  } else if (google::rpc::QuotaFailure quota; UnpackProto(detail, quota)) {
    for (const auto& violation : quota.violations()) {
      error.quotas.push_back({violation.subject(), violation.description()});
    }
  }
}

// Fills in an error that the service explained.
void ExplainRefusal(RpcError& error) {
  error.exit_code = error.reason == "CANCELLED" ? ExitCode::kDeclined : ExitCode::kRefused;
  for (const ReasonRow& row : kHints) {
    if (row.reason == error.reason) error.hint = row.hint;
  }
  if (BlamesArguments(error)) error.hint = "`toolgate tools TOOL` shows the arguments";
  if (error.grpc_status == "UNIMPLEMENTED") error.hint = kNotOffered;
  if (error.metadata.count("missingPermissions") > 0) error.hint = "none of the user's roles has the permission";
  if (const auto layer = error.metadata.find("layer"); layer != error.metadata.end()) error.layer = layer->second;
}

// Explains a failed connection: nothing listens, or the handshake failed.
void ExplainNoConnection(std::string_view address, bool tls, RpcError& error) {
  const auto says = [&](std::string_view text) { return absl::StrContains(error.message, ToAbsl(text)); };
  const bool handshake = says("last error") && !says("onnection refused") && !says("No such file") && !says("DNS");
  if (handshake) {
    error.message = absl::StrCat("something listens at ", ToAbsl(address), ", but closed the connection during set-up");
    error.hint =
        tls ? "likely causes: its certificate is from another authority than --tls-ca, or is not for the host of "
              "--address; it requires a client certificate (--tls-cert and --tls-key), or a different one; or it "
              "does not use TLS"
            : "a service with TLS needs --tls-ca, and perhaps --tls-cert and --tls-key; see `toolgate help call`";
    return;
  }
  error.message = absl::StrCat("nothing listens at ", ToAbsl(address));
  error.hint = "start the service with `toolgate serve`, or give its address with --address";
}

// Fills in an error without an explanation by the service: the connection or something in between failed.
void ExplainTransport(const grpc::Status& status, std::string_view address, bool tls, RpcError& error) {
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE: {
      const bool never_connected = absl::StrContains(error.message, "failed to connect") ||
                                   absl::StrContains(error.message, "onnection refused") ||
                                   absl::StrContains(error.message, "No such file") ||
                                   absl::StrContains(error.message, "DNS resolution failed");
      if (!never_connected) {
        error.exit_code =
            ExitCode::kTimedOut;  // Not kUnreachable: the call may have run, and a retry could run it twice.
        error.hint = "the connection was lost; `toolgate audit` shows whether the call ran";
        break;
      }
      error.exit_code = ExitCode::kUnreachable;
      ExplainNoConnection(address, tls, error);
      break;
    }
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      error.exit_code = ExitCode::kTimedOut;
      error.hint = "allow more time with --timeout; `toolgate audit` shows whether the call ran";
      break;
    case grpc::StatusCode::UNIMPLEMENTED:
      error.hint = kNotOffered;
      break;
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      error.hint =
          "a message was larger than the service or this client accepts: the service takes server.max_message_bytes "
          "(4 MiB by default), and of a tool's arguments param_validation.max_bytes (1 MiB); send long content in "
          "parts";
      break;
    default:
      break;
  }
}

}  // namespace

RpcError DecodeRpcError(const grpc::Status& status, std::string_view address, bool tls) {
  RpcError error;
  error.grpc_status = GrpcStatusName(status.error_code());
  error.message = status.error_message();
  google::rpc::Status rich;
  if (!status.error_details().empty() && ParseProto(status.error_details(), rich).ok()) {
    if (!rich.message().empty()) error.message = rich.message();
    for (const google::protobuf::Any& detail : rich.details()) ReadDetail(detail, error);
  }
  if (error.message.empty()) error.message = error.grpc_status;
  if (error.reason.empty()) {
    ExplainTransport(status, address, tls, error);
  } else {
    ExplainRefusal(error);
  }
  return error;
}

Json ToJson(const RpcError& error) {
  Json json = {{"code", error.reason.empty() ? error.grpc_status : error.reason}, {"message", error.message}};
  if (!error.layer.empty()) json["layer"] = error.layer;
  json["grpcStatus"] = error.grpc_status;
  for (const auto& [path, description] : error.violations) {
    json["violations"].push_back({{"path", path}, {"description", description}});
  }
  for (const auto& [subject, description] : error.quotas) {
    json["quotas"].push_back({{"subject", subject}, {"description", description}});
  }
  if (error.retry_after.has_value()) json["retryAfterSeconds"] = absl::ToDoubleSeconds(*error.retry_after);
  if (!error.metadata.empty()) json["metadata"] = error.metadata;
  if (!error.hint.empty()) json["hint"] = error.hint;
  json["exitCode"] = static_cast<int>(error.exit_code);
  return json;
}

std::string RenderForPeople(const RpcError& error) {
  std::string text = error.reason.empty() ? "" : absl::StrCat(PrintableLine(error.reason), ": ");
  absl::StrAppend(&text, PrintableText(error.message), "\n");
  for (const auto& [path, description] : error.violations) {
    // The message may already contain the violation.
    if (!path.empty() && absl::StrContains(error.message, absl::StrCat("\"", path, "\""))) continue;
    absl::StrAppend(&text, "  ", path.empty() ? "(the whole)" : PrintableLine(path), "  ", PrintableLine(description),
                    "\n");
  }
  for (const auto& [subject, description] : error.quotas) {
    absl::StrAppend(&text, "  ", PrintableLine(subject), "  ", PrintableLine(description), "\n");
  }
  if (!error.layer.empty()) absl::StrAppend(&text, "refused by: ", PrintableLine(error.layer), "\n");
  if (error.retry_after.has_value()) {
    absl::StrAppend(&text, "try again in: ", absl::FormatDuration(absl::Ceil(*error.retry_after, absl::Seconds(1))),
                    "\n");
  }
  if (const auto reference = error.metadata.find("referenceId"); reference != error.metadata.end()) {
    absl::StrAppend(&text, "reference: ", PrintableLine(reference->second), "\n");
  }
  if (!error.hint.empty()) absl::StrAppend(&text, "hint: ", PrintableLine(error.hint), "\n");
  return text;
}

}  // namespace toolgate::cli
