#include "cli/call_command.h"

#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include <array>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "cli/api_json.h"
#include "cli/call_events.h"
#include "cli/printable.h"
#include "cli/result_view.h"
#include "cli/whole_result.h"
#include "common/absl_bridge.h"
#include "common/proto_time.h"
#include "common/status_macros.h"

namespace toolgate::cli {
namespace {

constexpr std::array<std::pair<std::string_view, v1::ResultFormat>, 8> kFormats = {{
    {"raw", v1::RESULT_FORMAT_RAW_JSON},
    {"xml", v1::RESULT_FORMAT_TOOL_RESULT_XML},
    {"openai", v1::RESULT_FORMAT_OPENAI},
    {"openai-responses", v1::RESULT_FORMAT_OPENAI_RESPONSES},
    {"anthropic", v1::RESULT_FORMAT_ANTHROPIC},
    {"gemini", v1::RESULT_FORMAT_GEMINI},
    {"mcp", v1::RESULT_FORMAT_MCP},
    {"ok-data-error", v1::RESULT_FORMAT_OK_DATA_ERROR},
}};

// Stops an endless input. The service checks the size and depth of arguments.
constexpr size_t kMaxArguments = size_t{64} << 20;
constexpr JsonLimits kNoLimits = {
    .max_bytes = kMaxArguments, .max_depth = 10'000, .max_keys = kMaxArguments, .max_values = kMaxArguments};

std::string ReadBounded(std::istream& in) {
  std::string text(kMaxArguments + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  return text;
}

bool IsYes(const std::string& answer) {
  const std::string word = absl::AsciiStrToLower(absl::StripAsciiWhitespace(answer));
  return word == "y" || word == "yes";
}

// Decides on the question that was shown, and on no other.
grpc::Status SendDecision(Session& session, const v1::ConfirmationRequest& shown, bool approve) {
  v1::DecideConfirmationRequest request;
  *request.mutable_caller() = session.connection().caller();
  request.set_confirmation_id(shown.confirmation_id());
  request.set_question_digest(shown.question_digest());
  request.set_approve(approve);
  grpc::ClientContext context;
  session.connection().Prepare(Connection::Patience::kUnary, context);
  v1::DecideConfirmationResponse response;
  return v1::ToolService::NewStub(session.connection().channel())->DecideConfirmation(&context, request, &response);
}

// The exit code of a shell command is this command's too. One that was killed has those of timeout(1) and of SIGKILL.
ExitCode CodeOfShell(const v1::ToolResult& result, ExitCode otherwise) {
  constexpr int kTimedOut = 124;
  constexpr int kKilled = 137;
  if (!result.success() || result.data_json().empty()) return otherwise;
  const Json data = EmbeddedJson(result.data_json());
  if (!data.is_object()) return otherwise;
  if (const auto killed = data.find("killed"); killed != data.end()) {
    return static_cast<ExitCode>(*killed == "timeout" ? kTimedOut : kKilled);
  }
  const auto code = data.find("exitCode");
  return code != data.end() && code->is_number_integer() ? static_cast<ExitCode>(code->get<int>()) : otherwise;
}

}  // namespace

CommandInfo CallCommand::Info() const {
  return {
      .name = "call",
      .purpose = "run one tool",
      .details =
          "JSON is an object with the tool's arguments; \"-\" reads it from the standard input, @FILE from a file.\n"
          "`toolgate tools TOOL` shows the arguments of a tool.\n"
          "Some calls need a person's approval. On a terminal, the command asks for it. Otherwise it prints a\n"
          "token and ends with exit code 4; after approval, send the same call again with\n"
          "--confirmation-token. --confirm approves the call in advance.\n"
          "The exit code of `toolgate call Bash` is the shell command's own, once it ran: 124 when its time was over,\n"
          "137 when it was killed for another limit.",
      .examples = {{"toolgate call create_task '{\"title\": \"Buy milk\"}'", "creates a task"},
                   {"toolgate call delete_block '{\"blockId\": \"b1\"}' --dry-run",
                    "shows what would be deleted, and deletes nothing"},
                   {"toolgate call create_block @block.json --json",
                    "reads the arguments from a file, prints the result for a script"}},
      .exit_codes = {ExitCode::kToolFailed, ExitCode::kRefused, ExitCode::kConfirmationNeeded, ExitCode::kUnreachable,
                     ExitCode::kDeclined, ExitCode::kTimedOut, ExitCode::kLocalFile, ExitCode::kServiceFault}};
}

void CallCommand::Declare(FlagSet& flags) {
  flags.Argument("TOOL", &tool_, "id of the tool, from `toolgate tools`");
  flags.Argument("JSON", &arguments_, "arguments of the tool; default {}", false);
  flags.Switch("--dry-run", &dry_run_, "commit nothing, and show what would change");
  flags.Switch("--confirm", &confirm_, "approve the call in advance if the service asks for approval");
  flags.Switch("--stream", &stream_, "show progress and output while the tool runs");
  flags.Value("--confirmation-token", "TOKEN", &confirmation_token_, "proof that a person approved exactly this call")
      .not_empty = true;
  flags.Value("--idempotency-key", "KEY", &idempotency_key_, "a repeat with the same key does not run the tool again")
      .not_empty = true;
  flags.Value("--request-id", "ID", &request_id_, "request that the call belongs to, for budgets");
  flags.Value("--mode-hint", "MODE", &mode_hint_, "kind of answer that the user asked for").choices = {
      "auto", "artifact", "image", "search", "chat"};
  std::vector<std::string> formats;
  formats.reserve(std::size(kFormats));
  for (const auto& [name, format] : kFormats) formats.emplace_back(name);
  flags.Value("--result-format", "FORMAT", &result_format_, "print the result in this format").choices = formats;
}

ExitCode CallCommand::Run(Session& session) {
  const absl::StatusOr<std::string> arguments = ReadArguments(session);
  if (!arguments.ok()) {
    const bool missing = absl::IsNotFound(arguments.status());
    const bool malformed = absl::IsInvalidArgument(arguments.status());
    const bool written_here = arguments_ != "-" && arguments_[0] != '@';
    return session.Fail(
        missing ? ExitCode::kLocalFile : ExitCode::kUsage, FromAbsl(arguments.status().message()),
        malformed && written_here ? "quote the JSON for your shell: toolgate call TOOL '{\"key\": \"value\"}'" : "");
  }
  v1::ExecuteRequest request = MakeRequest(session, *arguments);
  v1::ExecuteResponse response;
  grpc::Status status = Send(session, request, response);
  if (status.ok() && response.has_confirmation_request()) {
    const v1::ConfirmationRequest asked = response.confirmation_request();
    if (const auto exit = Decide(session, asked)) return *exit;
    if (asked.needs_decision()) {
      const grpc::Status decided = SendDecision(session, asked, true);
      if (!decided.ok()) return session.Fail(decided);
    }
    request.set_confirmation_token(asked.token());
    response.Clear();
    status = Send(session, request, response);
  }
  if (!status.ok()) return session.Fail(status);
  if (response.has_confirmation_request()) {
    return session.Fail(ExitCode::kConfirmationNeeded,
                        "the effect of the call has changed since the approval; nothing was run",
                        "send the call again to see its present effect");
  }
  // A rendering contains only the beginning of the result.
  if (result_format_.empty()) FetchRest(session, *response.mutable_result());
  if (stream_ && session.json()) {
    session.PrintJson({{"event", "response"}, {"result", ToJson(response.result())}});
    return CodeOf(response.result(), response.result().success() ? ExitCode::kOk : ExitCode::kToolFailed);
  }
  return CodeOf(response.result(), ShowResult(response.result(), session));
}

ExitCode CallCommand::CodeOf(const v1::ToolResult& result, ExitCode otherwise) const {
  return tool_ == "Bash" ? CodeOfShell(result, otherwise) : otherwise;
}

absl::StatusOr<std::string> CallCommand::ReadArguments(const Session& session) const {
  std::string text = arguments_.empty() ? "{}" : arguments_;
  if (text == "-") {
    text = ReadBounded(session.terminal().in);
  } else if (text[0] == '@') {
    std::ifstream file(text.substr(1), std::ios::binary);
    if (!file) return absl::NotFoundError(absl::StrCat("cannot read the file ", text.substr(1)));
    text = ReadBounded(file);
  }
  if (text.size() > kMaxArguments) return absl::OutOfRangeError("the arguments are longer than 64 MiB");
  if (!Json::accept(text)) {
    const absl::Status problem = ParseJson(text, kNoLimits).status();
    return absl::InvalidArgumentError(absl::StrCat("the arguments are not valid JSON: ", problem.message()));
  }
  if (text[text.find_first_not_of(" \t\r\n")] != '{') {
    return absl::OutOfRangeError("the arguments must be one JSON object, { … }");
  }
  return text;
}

v1::ExecuteRequest CallCommand::MakeRequest(Session& session, const std::string& arguments) const {
  v1::ExecuteRequest request;
  request.set_tool_id(tool_);
  request.set_arguments_json(arguments);
  *request.mutable_caller() = session.connection().caller();
  request.mutable_caller()->set_mode_hint(mode_hint_);
  request.set_request_id(request_id_);
  request.set_idempotency_key(idempotency_key_);
  request.set_confirmation_token(confirmation_token_);
  request.set_dry_run(dry_run_);
  for (const auto& [name, format] : kFormats) {
    if (name == result_format_) request.set_result_format(format);
  }
  return request;
}

grpc::Status CallCommand::Send(Session& session, const v1::ExecuteRequest& request,
                               v1::ExecuteResponse& response) const {
  if (stream_) return SendStreaming(session, request, response);
  const Connection& connection = session.connection();
  grpc::ClientContext context;
  connection.Prepare(Connection::Patience::kUnary, context);
  return v1::ToolService::NewStub(connection.channel())->Execute(&context, request, &response);
}

grpc::Status CallCommand::SendStreaming(Session& session, const v1::ExecuteRequest& request,
                                        v1::ExecuteResponse& response) const {
  const Connection& connection = session.connection();
  grpc::ClientContext context;
  connection.Prepare(Connection::Patience::kUnary, context);
  v1::ExecuteStreamRequest stream_request;
  *stream_request.mutable_request() = request;
  const auto stub = v1::ToolService::NewStub(connection.channel());
  const auto reader = stub->ExecuteStream(&context, stream_request);
  bool answered = false;
  v1::ExecuteStreamResponse event;
  while (reader->Read(&event)) {
    ShowEvent(event, session);
    if (!event.has_response()) continue;
    response = event.response();
    answered = true;
  }
  grpc::Status status = reader->Finish();
  if (!status.ok() || answered) return status;
  return grpc::Status(grpc::StatusCode::INTERNAL, "the stream ended without an answer");
}

std::optional<ExitCode> CallCommand::Decide(Session& session, const v1::ConfirmationRequest& request) const {
  const Terminal& terminal = session.terminal();
  if (confirm_) return std::nullopt;
  if (session.json()) {
    session.PrintJson({{"confirmationRequest", ToJson(request)}});
    return ExitCode::kConfirmationNeeded;
  }
  session.NoteQuestion(request.summary());
  if (terminal.in_is_terminal && terminal.err_is_terminal) {
    terminal.err << Paint("Go on? [y/N] ", Style::kBold, terminal.colour_err()) << std::flush;
    std::string answer;
    std::getline(terminal.in, answer);
    if (IsYes(answer)) return std::nullopt;
    // Ends the pending confirmation for everyone. A failure does not matter to this call.
    SendDecision(session, request, false);
    return session.Fail(ExitCode::kDeclined, "declined; nothing was run");
  }
  if (request.needs_decision()) {
    session.Note(absl::StrCat(
        "A person with the permission confirmation:decide must approve it first: toolgate confirmations approve ",
        PrintableLine(request.confirmation_id())));
  }
  session.Note(absl::StrCat("Until ", session.ShowTime(FromProtoTime(request.expires_at())),
                            " you can send the same call again with --confirmation-token and this token:"));
  session.Print(absl::StrCat(PrintableLine(request.token()), "\n"));
  return ExitCode::kConfirmationNeeded;
}

}  // namespace toolgate::cli
