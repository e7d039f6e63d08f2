#include "cli/health_command.h"

#include <grpcpp/client_context.h>

#include <chrono>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cli/session.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace toolgate::cli {
namespace {

using grpc::health::v1::HealthCheckRequest;
using grpc::health::v1::HealthCheckResponse;

constexpr std::chrono::seconds kTimeout(5);
// Any readiness name would do: all have the same state.
constexpr char kReadinessName[] = "toolgate.v1.ToolService";

}  // namespace

CommandInfo HealthCommand::Info() const {
  return {.name = "health",
          .purpose = "ask whether the service is ready for calls",
          .details = "Needs no credentials. A service with TLS can be asked on its health listener.",
          .examples = {{"toolgate health", "prints \"serving\" and ends with 0 if the service is ready"},
                       {"toolgate health --address 127.0.0.1:50052", "asks the health listener"}},
          .exit_codes = {ExitCode::kUnreachable, ExitCode::kTimedOut, ExitCode::kNotReady}};
}

void HealthCommand::Declare(FlagSet& flags) {
  flags.Switch("--alive", &alive_, "ask only whether the process is alive");
}

ExitCode HealthCommand::Run(Session& session) {
  const Connection& connection = session.connection();
  grpc::ClientContext context;
  connection.Prepare(Connection::Patience::kUnary, context);
  if (session.options().timeout == absl::ZeroDuration()) {
    context.set_deadline(std::chrono::system_clock::now() + kTimeout);
  }
  HealthCheckRequest request;
  if (!alive_) request.set_service(kReadinessName);
  HealthCheckResponse response;
  const grpc::Status status =
      grpc::health::v1::Health::NewStub(connection.channel())->Check(&context, request, &response);
  if (!status.ok()) return session.Fail(status);
  const std::string name = HealthCheckResponse::ServingStatus_Name(response.status());
  if (response.status() != HealthCheckResponse::SERVING) {
    return session.Fail(ExitCode::kNotReady, absl::StrCat("the service answers ", name),
                        "its log says why; while it stops, this is expected");
  }
  if (session.json()) {
    session.PrintJson({{"status", name}});
  } else {
    session.Print(absl::StrCat(absl::AsciiStrToLower(name), "\n"));
  }
  return ExitCode::kOk;
}

}  // namespace toolgate::cli
