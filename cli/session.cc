#include "cli/session.h"

#include <grpcpp/support/status.h>

#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "cli/printable.h"
#include "cli/rpc_error.h"
#include "common/absl_bridge.h"

namespace toolgate::cli {
namespace {

// Stable error code for scripts, for failures without an RPC.
std::string_view CodeOf(ExitCode code) {
  switch (code) {
    case ExitCode::kUsage:
      return "USAGE";
    case ExitCode::kLocalFile:
      return "LOCAL_FILE";
    case ExitCode::kConfirmationNeeded:
      return "CONFIRMATION_NEEDED";
    case ExitCode::kDeclined:
      return "DECLINED";
    default:
      return "FAILED";
  }
}

}  // namespace

const Connection& Session::connection() {
  if (connection_ == nullptr) connection_ = std::make_unique<Connection>(options_);
  return *connection_;
}

void Session::PrintJson(const Json& result) const { terminal_.out << PrintableJson(result) << "\n"; }

void Session::Print(std::string_view text) const { terminal_.out << text; }

void Session::Note(std::string_view text) const {
  if (!json()) terminal_.err << PrintableLine(text) << "\n";
}

void Session::NoteQuestion(std::string_view question) const {
  if (json()) return;
  terminal_.err << "This needs a person's approval: "
                << PrintableText(FromAbsl(absl::StripSuffix(ToAbsl(question), "\n"))) << "\n";
}

void Session::Warn(std::string_view text) const {
  if (json()) {
    terminal_.err << PrintableJson({{"warning", text}}) << "\n";
    return;
  }
  terminal_.err << Paint("warning:", Style::kWarning, terminal_.colour_err()) << " " << PrintableLine(text) << "\n";
}

ExitCode Session::Fail(const grpc::Status& status, std::string_view where) const {
  RpcError error = DecodeRpcError(status, options_.address, options_.tls());
  // The hints for refused calls are about a tool's arguments.
  if (!where.empty() && error.exit_code == ExitCode::kRefused) error.hint.clear();
  if (json()) {
    Json fields = ToJson(error);
    if (!where.empty()) fields["where"] = where;
    terminal_.err << PrintableJson({{"error", std::move(fields)}}) << "\n";
  } else {
    if (!where.empty()) error.message = absl::StrCat(ToAbsl(where), ": ", error.message);
    terminal_.err << Paint("error:", Style::kBad, terminal_.colour_err()) << " " << RenderForPeople(error);
  }
  return error.exit_code;
}

ExitCode Session::Fail(ExitCode code, std::string_view message, std::string_view hint) const {
  if (json()) {
    Json error = {{"code", CodeOf(code)}, {"message", message}};
    if (!hint.empty()) error["hint"] = hint;
    error["exitCode"] = static_cast<int>(code);
    terminal_.err << PrintableJson({{"error", std::move(error)}}) << "\n";
    return code;
  }
  terminal_.err << Paint("error:", Style::kBad, terminal_.colour_err()) << " " << PrintableText(message) << "\n";
  if (!hint.empty()) terminal_.err << "hint: " << PrintableText(hint) << "\n";
  return code;
}

std::string Session::ShowTime(absl::Time time) const {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S", time, options_.ShownZone());
}

}  // namespace toolgate::cli
