#include "cli/instruction_commands.h"

#include <grpcpp/client_context.h>

#include <fstream>
#include <istream>

#include "absl/strings/str_cat.h"
#include "cli/api_json.h"
#include "cli/printable.h"
#include "cli/session.h"
#include "common/absl_bridge.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "toolgate/v1/instruction_service.grpc.pb.h"

namespace toolgate::cli {
namespace {

// The service takes 100,000 characters, of four bytes each at most. One more to notice.
constexpr size_t kMaxTextBytes = 400'000;

std::unique_ptr<v1::InstructionService::Stub> StubOf(const Connection& connection) {
  return v1::InstructionService::NewStub(connection.channel());
}

// A part under its name, indented so that its own headings are not taken for ours.
std::string Part(std::string_view name, const std::string& text, const Session& session) {
  std::string out = absl::StrCat("\n", Paint(name, Style::kBold, session.terminal().colour_out()), "\n");
  if (text.empty()) return absl::StrCat(out, "  (empty)\n");
  out += "  ";
  for (const char c : PrintableText(text)) {
    out += c;
    if (c == '\n') out += "  ";
  }
  return out + "\n";
}

std::string ForPeople(const v1::Instruction& instruction, const Session& session) {
  return absl::StrCat("last change:  ",
                      instruction.has_updated_at() ? session.ShowTime(FromProtoTime(instruction.updated_at()))
                                                   : std::string("never; these are the defaults"),
                      "\nmemory tools: ", instruction.memory_enabled() ? "on" : "off", "\n",
                      Part("Core instruction", instruction.core_instruction(), session),
                      Part("Memory", instruction.memory(), session),
                      Part("Notes on the database", instruction.db_schema(), session));
}

// A whole file, or the standard input for "-". NOT_FOUND when it cannot be read, INVALID_ARGUMENT when it is too long.
absl::StatusOr<std::string> ReadText(const std::string& name, const Session& session) {
  std::ifstream file;
  if (name != "-") {
    file.open(name, std::ios::binary);
    if (!file) return absl::NotFoundError(absl::StrCat("cannot read the file ", name));
  }
  std::istream& in = name == "-" ? session.terminal().in : file;
  std::string text(kMaxTextBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(in.gcount()));
  if (in.bad()) return absl::NotFoundError(absl::StrCat("cannot read the file ", name));
  if (text.size() <= kMaxTextBytes) return text;
  return absl::InvalidArgumentError(
      absl::StrCat(name, " is longer than the 100,000 characters that the service takes"));
}

ExitCode ShowQuestion(const v1::ConfirmationRequest& request, const Session& session) {
  if (session.json()) {
    session.PrintJson({{"confirmationRequest", ToJson(request)}});
    return ExitCode::kConfirmationNeeded;
  }
  session.Note(absl::StrCat("This needs a person's approval: ", request.summary()));
  if (request.needs_decision()) {
    session.Note(absl::StrCat("Somebody who may decide must approve it first: toolgate confirmations approve ",
                              request.confirmation_id()));
  }
  session.Note(absl::StrCat("Until ", session.ShowTime(FromProtoTime(request.expires_at())),
                            " run the same command again with --confirmation-token and this token:"));
  session.Print(absl::StrCat(PrintableLine(request.token()), "\n"));
  return ExitCode::kConfirmationNeeded;
}

ExitCode ShowChange(const v1::UpdateInstructionResponse& response, const Session& session) {
  if (response.has_confirmation_request()) return ShowQuestion(response.confirmation_request(), session);
  if (session.json()) {
    session.PrintJson({{"instruction", ToJson(response.instruction())},
                       {"undoEntryId", response.undo_entry_id()},
                       {"replayed", response.replayed()}});
    return ExitCode::kOk;
  }
  session.Print("saved\n");
  if (response.replayed()) session.Note("a stored outcome for this idempotency key; nothing was changed again");
  if (!response.undo_entry_id().empty()) {
    session.Note(absl::StrCat("undo with: toolgate undo ", response.undo_entry_id()));
  }
  return ExitCode::kOk;
}

}  // namespace

CommandInfo InstructionCommand::Info() const {
  return {.name = "instruction",
          .purpose = "show your system instruction: what you wrote, and what the model remembers",
          .details =
              "It has four parts: the core instruction, which you write; the memory and the notes on the model's\n"
              "database, which the model keeps by save_memory and update_db_schema; and whether these tools and\n"
              "db_query are there at all. `toolgate prompt` shows what a model is given of it.",
          .examples = {{"toolgate instruction", "every part of it"},
                       {"toolgate instruction --json > instruction.json", "the same for a program"}},
          .exit_codes = {ExitCode::kRefused, ExitCode::kUnreachable}};
}

ExitCode InstructionCommand::Run(Session& session) {
  const Connection& connection = session.connection();
  v1::GetInstructionRequest request;
  *request.mutable_caller() = connection.caller();
  grpc::ClientContext context;
  connection.Prepare(Connection::Patience::kUnary, context);
  v1::GetInstructionResponse response;
  const grpc::Status status = StubOf(connection)->GetInstruction(&context, request, &response);
  if (!status.ok()) return session.Fail(status);
  if (session.json()) {
    session.PrintJson(ToJson(response.instruction()));
  } else {
    session.Print(ForPeople(response.instruction(), session));
  }
  return ExitCode::kOk;
}

CommandInfo InstructionSetCommand::Info() const {
  return {.name = "instruction set",
          .purpose = "change parts of your system instruction",
          .details =
              "What is not given stays as it is. `toolgate undo` takes the change back.\n"
              "An empty core instruction means that models are given no system instruction at all.",
          .examples = {{"toolgate instruction set --core instruction.md", "your own text, from a file"},
                       {"toolgate instruction set --memory ''", "makes the model forget"},
                       {"toolgate instruction set --memory-enabled=false",
                        "takes save_memory, db_query and update_db_schema away"}},
          .exit_codes = {ExitCode::kRefused, ExitCode::kConfirmationNeeded, ExitCode::kUnreachable, ExitCode::kTimedOut,
                         ExitCode::kLocalFile}};
}

void InstructionSetCommand::Declare(FlagSet& flags) {
  flags.Value("--core", "FILE", &core_file_, "the core instruction; - reads it from the standard input");
  flags.Value("--memory", "TEXT", &memory_, "the whole new memory, at most 4,000 characters");
  flags.Value("--db-schema", "FILE", &db_schema_file_, "the whole new notes on the database; - as above");
  flags.Value("--memory-enabled", "BOOL", &memory_enabled_, "whether the memory tools are there").choices = {"true",
                                                                                                             "false"};
  flags.Value("--confirmation-token", "TOKEN", &confirmation_token_, "proof that a person approved exactly this change")
      .not_empty = true;
  flags.Value("--idempotency-key", "KEY", &idempotency_key_, "a repeat with the same key changes nothing twice")
      .not_empty = true;
}

absl::Status InstructionSetCommand::CheckFlags() const {
  if (core_file_.empty() && db_schema_file_.empty() && memory_enabled_.empty() && !memory_.has_value()) {
    return absl::InvalidArgumentError("nothing to change: give --core, --memory, --db-schema or --memory-enabled");
  }
  if (core_file_ == "-" && db_schema_file_ == "-") {
    return absl::InvalidArgumentError("--core and --db-schema cannot both be read from the standard input");
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::UpdateInstructionRequest> InstructionSetCommand::MakeRequest(Session& session) const {
  v1::UpdateInstructionRequest request;
  *request.mutable_caller() = session.connection().caller();
  if (!core_file_.empty()) {
    ASSIGN_OR_RETURN(*request.mutable_core_instruction(), ReadText(core_file_, session));
  }
  if (!db_schema_file_.empty()) {
    ASSIGN_OR_RETURN(*request.mutable_db_schema(), ReadText(db_schema_file_, session));
  }
  if (memory_.has_value()) request.set_memory(*memory_);
  if (!memory_enabled_.empty()) request.set_memory_enabled(memory_enabled_ == "true");
  request.set_confirmation_token(confirmation_token_);
  request.set_idempotency_key(idempotency_key_);
  return request;
}

ExitCode InstructionSetCommand::Run(Session& session) {
  if (const absl::Status status = CheckFlags(); !status.ok()) {
    return session.Fail(ExitCode::kUsage, FromAbsl(status.message()), "`toolgate help instruction set` explains them");
  }
  const absl::StatusOr<v1::UpdateInstructionRequest> request = MakeRequest(session);
  if (!request.ok()) return session.Fail(ExitCode::kLocalFile, FromAbsl(request.status().message()));
  const Connection& connection = session.connection();
  grpc::ClientContext context;
  connection.Prepare(Connection::Patience::kUnary, context);
  v1::UpdateInstructionResponse response;
  const grpc::Status status = StubOf(connection)->UpdateInstruction(&context, *request, &response);
  if (!status.ok()) return session.Fail(status);
  return ShowChange(response, session);
}

CommandInfo PromptCommand::Info() const {
  return {.name = "prompt",
          .purpose = "print the system instruction as a model is given it",
          .details =
              "The core instruction, the memory and the notes on the database, in one text. Nothing is printed when\n"
              "the core instruction is blank: then a model is to be given none (with --json: null).",
          .examples = {{"toolgate prompt", "what a model reads before the conversation"},
                       {"toolgate prompt --json", "{\"prompt\": …}, byte for byte"}},
          .exit_codes = {ExitCode::kRefused, ExitCode::kUnreachable}};
}

ExitCode PromptCommand::Run(Session& session) {
  const Connection& connection = session.connection();
  v1::BuildPromptRequest request;
  *request.mutable_caller() = connection.caller();
  grpc::ClientContext context;
  connection.Prepare(Connection::Patience::kUnary, context);
  v1::BuildPromptResponse response;
  const grpc::Status status = StubOf(connection)->BuildPrompt(&context, request, &response);
  if (!status.ok()) return session.Fail(status);
  if (session.json()) {
    session.PrintJson({{"prompt", response.has_prompt() ? Json(response.prompt()) : Json(nullptr)}});
  } else if (response.has_prompt()) {
    session.Print(absl::StrCat(PrintableText(response.prompt()), "\n"));
  } else {
    session.Note("the core instruction is blank: no system instruction is to be sent");
  }
  return ExitCode::kOk;
}

}  // namespace toolgate::cli
