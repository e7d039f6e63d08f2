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

// The service accepts 100,000 characters of at most four bytes each. One byte more, to notice longer texts.
constexpr size_t kMaxTextBytes = 400'000;

std::unique_ptr<v1::InstructionService::Stub> StubOf(const Connection& connection) {
  return v1::InstructionService::NewStub(connection.channel());
}

// A part under its name, indented so that its own headings stand out from those of the command.
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

// Reads a whole file, or the standard input for "-". NOT_FOUND if it cannot be read, INVALID_ARGUMENT if it is too
// long.
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
  return absl::InvalidArgumentError(absl::StrCat(name, " is longer than 100,000 characters, the maximum"));
}

ExitCode ShowQuestion(const v1::ConfirmationRequest& request, const Session& session) {
  if (session.json()) {
    session.PrintJson({{"confirmationRequest", ToJson(request)}});
    return ExitCode::kConfirmationNeeded;
  }
  session.NoteQuestion(request.summary());
  if (request.needs_decision()) {
    session.Note(absl::StrCat(
        "A person with the permission confirmation:decide must approve it first: toolgate confirmations approve ",
        request.confirmation_id()));
  }
  session.Note(absl::StrCat("Until ", session.ShowTime(FromProtoTime(request.expires_at())),
                            " you can run the same command again with --confirmation-token and this token:"));
  session.Print(absl::StrCat(PrintableLine(request.token()), "\n"));
  return ExitCode::kConfirmationNeeded;
}

ExitCode ShowChange(const v1::UpdateInstructionResponse& response, const Session& session) {
  if (response.has_confirmation_request()) return ShowQuestion(response.confirmation_request(), session);
  if (session.json()) {
    session.PrintJson({{"instruction", ToJson(response.instruction())},
                       {"undoEntryId", response.undo_entry_id()},
                       {"replayed", response.replayed()},
                       {"replayOfAnotherRequest", response.replay_of_another_request()}});
    return ExitCode::kOk;
  }
  session.Print("saved\n");
  if (response.replayed()) session.Note("stored outcome of this idempotency key; nothing was changed again");
  if (!response.undo_entry_id().empty()) {
    session.Note(absl::StrCat("undo with: toolgate undo ", response.undo_entry_id()));
  }
  return ExitCode::kOk;
}

}  // namespace

CommandInfo InstructionCommand::Info() const {
  return {.name = "instruction",
          .purpose = "show your system instruction: your own text and the model's memory",
          .details =
              "It has four parts: the core instruction, which you write; the memory and the notes on the model's\n"
              "database, which the model writes with save_memory and update_db_schema; and the switch that turns\n"
              "these tools and db_query on or off. `toolgate prompt` shows the resulting system prompt.",
          .examples = {{"toolgate instruction", "shows all parts"},
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
              "Parts that are not given stay unchanged. `toolgate undo` undoes the change.\n"
              "With a blank core instruction, models get no system prompt.",
          .examples = {{"toolgate instruction set --core instruction.md", "reads your text from a file"},
                       {"toolgate instruction set --memory ''", "empties the model's memory"},
                       {"toolgate instruction set --memory-enabled=false",
                        "turns save_memory, db_query and update_db_schema off"}},
          .exit_codes = {ExitCode::kRefused, ExitCode::kConfirmationNeeded, ExitCode::kUnreachable, ExitCode::kTimedOut,
                         ExitCode::kLocalFile}};
}

void InstructionSetCommand::Declare(FlagSet& flags) {
  flags.Value("--core", "FILE", &core_file_, "file with the core instruction; - is the standard input");
  flags.Value("--memory", "TEXT", &memory_, "the complete new memory, at most 4,000 characters");
  flags.Value("--db-schema", "FILE", &db_schema_file_,
              "file with the complete new notes on the database; - is the standard input");
  flags.Value("--memory-enabled", "BOOL", &memory_enabled_, "turn the memory tools on or off").choices = {"true",
                                                                                                          "false"};
  flags.Value("--confirmation-token", "TOKEN", &confirmation_token_, "proof that a person approved exactly this change")
      .not_empty = true;
  flags.Value("--idempotency-key", "KEY", &idempotency_key_, "a repeat with the same key changes nothing again")
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
    return session.Fail(ExitCode::kUsage, FromAbsl(status.message()),
                        "`toolgate help instruction set` explains the flags");
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
  return {
      .name = "prompt",
      .purpose = "print the system prompt that models get",
      .details =
          "Prints the core instruction, the memory and the notes on the database as one text. Prints nothing (with\n"
          "--json: null) if the core instruction is blank, because models then get no system prompt.",
      .examples = {{"toolgate prompt", "prints the system prompt"},
                   {"toolgate prompt --json", "prints {\"prompt\": …} with the exact bytes"}},
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
    session.Note("the core instruction is blank: models get no system prompt");
  }
  return ExitCode::kOk;
}

}  // namespace toolgate::cli
