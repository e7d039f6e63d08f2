#include "cli/data_commands.h"

#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/bulk_import.h"
#include "cli/document_folder.h"
#include "cli/output_folder.h"
#include "cli/printable.h"
#include "cli/progress_bar.h"
#include "cli/session.h"
#include "common/absl_bridge.h"
#include "common/output_file.h"
#include "common/portable_block.h"
#include "common/status_macros.h"
#include "common/text/visible_text.h"
#include "interchange/icalendar/export.h"
#include "interchange/icalendar/import.h"
#include "interchange/icalendar/text.h"
#include "interchange/jsonl/block_lines.h"
#include "interchange/markdown/export.h"
#include "interchange/markdown/import.h"
#include "toolgate/v1/data_service.grpc.pb.h"

namespace toolgate::cli {
namespace {

namespace fs = std::filesystem;
namespace markdown = interchange::markdown;
using interchange::icalendar::IcalExport;
using interchange::icalendar::IcalImport;
using interchange::icalendar::IsIcalName;
using interchange::jsonl::BlockLines;
using interchange::jsonl::FormatBlockLine;

bool IsFolder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

ExitCode FailLocally(const absl::Status& status, const Session& session) {
  return session.Fail(ExitCode::kLocalFile, FromAbsl(status.message()));
}

// Reads the stream to its end.
absl::StatusOr<std::string> ReadBounded(std::istream& in, size_t max_bytes) {
  std::string text;
  std::vector<char> buffer(size_t{1} << 16);
  while (in.read(buffer.data(), static_cast<std::streamsize>(buffer.size())), in.gcount() > 0) {
    text.append(buffer.data(), static_cast<size_t>(in.gcount()));
    if (text.size() > max_bytes) {
      return absl::ResourceExhaustedError(absl::StrCat("the file is larger than ", max_bytes >> 20, " MiB"));
    }
  }
  if (in.bad()) return absl::DataLossError("the file cannot be read");
  return text;
}

// Reads a server stream to its end and passes each message to `use`. Stops at the first failure of either; `local` is
// that of `use`.
template <typename Response>
grpc::Status Drain(grpc::ClientContext& context, grpc::ClientReader<Response>& reader,
                   const std::function<absl::Status(const Response&)>& use, absl::Status& local) {
  Response response;
  while (local.ok() && reader.Read(&response)) {
    local = use(response);
    if (!local.ok()) context.TryCancel();
  }
  return reader.Finish();
}

}  // namespace

CommandInfo ImportCommand::Info() const {
  return {
      .name = "import",
      .purpose = "import blocks, Markdown documents or a calendar into a workspace",
      .details =
          "A folder, or a file named *.md, is read as Markdown: each document and each folder becomes a page; its\n"
          "headings, lists, tasks, quotes, tables and code become blocks. A file named *.ics is read as iCalendar:\n"
          "its events and dated tasks become calendar events. Any other file, or \"-\" for the standard input, is "
          "read\n"
          "as JSON Lines: {\"id\"?, \"type\", \"parentId\"?, \"data\", \"links\"?} on each line, parents before "
          "children,\n"
          "or {\"id\"?, \"links\"} with further links of an earlier block.\n"
          "Importing an export of a whole workspace into an empty one recreates the same blocks.\n"
          "Blocks are committed in batches of up to 1,000. When a line is refused, earlier batches stay.",
      .examples = {{"toolgate import docs/", "imports a folder of Markdown as one page with pages below it"},
                   {"toolgate import calendar.ics", "imports the export of another calendar program"},
                   {"toolgate import blocks.jsonl --under 01jq8zs2m4x7k9v3b5n6p8r0tw",
                    "imports below an existing block"},
                   {"toolgate export - --workspace a | toolgate import - --workspace b", "copies a workspace"}},
      .exit_codes = {ExitCode::kRefused, ExitCode::kUnreachable, ExitCode::kLocalFile, ExitCode::kServiceFault}};
}

void ImportCommand::Declare(FlagSet& flags) {
  flags.Argument("SOURCE", &source_, "a folder, a Markdown or iCalendar file, a file of JSON Lines, or \"-\"");
  flags.Switch("--ics", &ics_, "read iCalendar, whatever the file's name");
  flags.Value("--under", "BLOCK", &under_, "put everything without a parent under this block");
}

ExitCode ImportCommand::Run(Session& session) {
  if (ics_ || (IsIcalName(source_) && !IsFolder(source_))) return RunIcal(session);
  const bool is_markdown = source_ != "-" && (IsFolder(source_) || markdown::IsMarkdownName(source_));
  return is_markdown ? RunMarkdown(session) : RunLines(session);
}

ExitCode ImportCommand::RunMarkdown(Session& session) const {
  const absl::StatusOr<std::unique_ptr<DocumentFolder>> documents = DocumentFolder::Open(source_);
  if (!documents.ok()) return FailLocally(documents.status(), session);
  markdown::Import source(**documents, session.terminal().clock.Now(), session.ids());
  return RunFrom(source, session);
}

ExitCode ImportCommand::RunIcal(Session& session) const {
  std::ifstream file;
  if (source_ != "-") {
    file.open(source_, std::ios::binary);
    if (!file) return session.Fail(ExitCode::kLocalFile, absl::StrCat("cannot read the file ", source_));
  }
  const absl::StatusOr<std::string> text =
      ReadBounded(source_ == "-" ? session.terminal().in : file, interchange::icalendar::kMaxIcalBytes);
  if (!text.ok()) return FailLocally(text.status(), session);
  const absl::StatusOr<std::unique_ptr<IcalImport>> source =
      IcalImport::Parse(*text, session.terminal().clock.Now(), session.ids());
  if (!source.ok()) return FailLocally(source.status(), session);
  return RunFrom(**source, session);
}

ExitCode ImportCommand::RunLines(Session& session) const {
  if (source_ == "-") {
    BlockLines lines(session.terminal().in, 0);
    return RunFrom(lines, session);
  }
  std::ifstream file(source_, std::ios::binary);
  if (!file) return session.Fail(ExitCode::kLocalFile, absl::StrCat("cannot read the file ", source_));
  std::error_code error;
  const auto size = fs::file_size(source_, error);
  BlockLines lines(file, error ? 0 : static_cast<int64_t>(size));
  return RunFrom(lines, session);
}

ExitCode ImportCommand::RunFrom(interchange::BlockSource& source, Session& session) const {
  BulkImport::Outcome outcome;
  const absl::Duration start = session.terminal().clock.Monotonic();
  {
    ProgressBar progress(session.terminal(), !session.json(), "importing", "blocks");
    outcome = BulkImport(session.connection(), source, progress).Run(under_);
  }
  const double seconds = absl::ToDoubleSeconds(session.terminal().clock.Monotonic() - start);
  const std::vector<std::string> warnings = source.Warnings();
  const bool complete = outcome.source.ok() && outcome.rpc.ok();
  if (session.json()) {
    session.PrintJson({{"imported", outcome.imported},
                       {"complete", complete},
                       {"lastPlace", outcome.last_place},
                       {"skipped", warnings},
                       {"seconds", seconds}});
  } else {
    for (const std::string& warning : warnings) session.Warn(absl::StrCat("skipped ", warning));
    session.Print(absl::StrCat("imported ", Counted(outcome.imported, "block"), "\n"));
    if (!complete && outcome.imported > 0) {
      session.Note(absl::StrCat("everything up to ", outcome.last_place, " was imported; the rest was not"));
    }
  }
  if (!outcome.rpc.ok()) return session.Fail(outcome.rpc, outcome.failed_place);
  return outcome.source.ok() ? ExitCode::kOk : FailLocally(outcome.source, session);
}

CommandInfo ExportCommand::Info() const {
  return {
      .name = "export",
      .purpose = "write a workspace's blocks to a file, as a folder of Markdown or as iCalendar",
      .details =
          "Writes JSON Lines that `toolgate import` reads without loss: parents before children, siblings in order.\n"
          "With --markdown, TARGET is a folder: each page, board, database, note, journal entry, event and automation\n"
          "becomes a file, with the documents below it in a folder of the same name. `toolgate import` reads it back\n"
          "as pages. Content that Markdown cannot express is left out (ids, the order of documents, meta) or written\n"
          "in words (a task's due date, priority and person), so use JSON Lines to restore.\n"
          "With --ics, or for a file named *.ics, TARGET is an iCalendar file with only the calendar's events.",
      .examples = {{"toolgate export blocks.jsonl", "every block of the workspace"},
                   {"toolgate export notes/ --markdown", "the same as Markdown, to read and edit"},
                   {"toolgate export calendar.ics", "the calendar, for other calendar programs"},
                   {"toolgate export - --under 01jq8zs2m4x7k9v3b5n6p8r0tw", "one page and what is below it"}},
      .exit_codes = {ExitCode::kRefused, ExitCode::kUnreachable, ExitCode::kLocalFile, ExitCode::kServiceFault}};
}

void ExportCommand::Declare(FlagSet& flags) {
  flags.Argument("TARGET", &target_, "file, or with --markdown folder, to write; \"-\" is the standard output");
  flags.Switch("--markdown", &markdown_, "write a folder of Markdown");
  flags.Switch("--ics", &ics_, "write iCalendar, whatever the file's name");
  flags.Value("--under", "BLOCK", &under_, "only this block and what is below it");
  flags.Switch("--force", &force_, "replace the file if it exists; write into a folder that is not empty");
}

ExitCode ExportCommand::Run(Session& session) {
  if (markdown_ && ics_) return session.Fail(ExitCode::kUsage, "--markdown and --ics cannot be combined");
  if (markdown_) return RunMarkdown(session);
  return ics_ || IsIcalName(target_) ? RunIcal(session) : RunLines(session);
}

ExitCode ExportCommand::RunLines(Session& session) const {
  std::unique_ptr<OutputFile> file;
  if (target_ != "-") {
    absl::StatusOr<std::unique_ptr<OutputFile>> created = OutputFile::Create(target_, force_);
    if (!created.ok()) return FailLocally(created.status(), session);
    file = *std::move(created);
  }
  const Outcome outcome = Receive(session, file != nullptr, [&](const v1::PortableBlock& block) -> absl::Status {
    const std::string line = text::VisibleJson(FormatBlockLine(block));
    if (file != nullptr) return file->Write(line);
    if (!(session.terminal().out << line)) return absl::DataLossError("the standard output cannot be written");
    return absl::OkStatus();
  });
  if (!outcome.local.ok()) return FailLocally(outcome.local, session);
  if (!outcome.rpc.ok()) return session.Fail(outcome.rpc);
  if (file == nullptr) return ExitCode::kOk;
  if (const absl::Status done = file->Commit(); !done.ok()) return FailLocally(done, session);
  if (session.json()) {
    session.PrintJson({{"exported", outcome.exported}, {"file", target_}});
  } else {
    session.Print(absl::StrCat("exported ", Counted(outcome.exported, "block"), "\n"));
  }
  return ExitCode::kOk;
}

ExitCode ExportCommand::RunMarkdown(Session& session) const {
  if (target_ == "-") {
    return session.Fail(ExitCode::kUsage, "Markdown is written into a folder, not to the standard output");
  }
  const absl::StatusOr<std::unique_ptr<OutputFolder>> folder = OutputFolder::Create(target_, force_);
  if (!folder.ok()) return FailLocally(folder.status(), session);
  markdown::Export documents(
      [&](const std::string& path, std::string_view text) { return (*folder)->Write(path, text); });
  Outcome outcome = Receive(session, true, [&](const v1::PortableBlock& row) -> absl::Status {
    // Markdown cannot express links.
    return IsMoreLinks(row) ? absl::OkStatus() : documents.Add(row);
  });
  const bool received = outcome.local.ok() && outcome.rpc.ok();
  if (received) outcome.local = documents.Finish();
  const bool complete = received && outcome.local.ok();
  if (session.json()) {
    session.PrintJson({{"exported", outcome.exported},
                       {"complete", complete},
                       {"files", documents.files()},
                       {"latestFile", documents.latest_file()},
                       {"folder", target_},
                       {"warnings", documents.warnings()}});
  } else {
    for (const std::string& warning : documents.warnings()) session.Warn(warning);
    if (complete) {
      session.Print(absl::StrCat("exported ", Counted(outcome.exported, "block"), " to ",
                                 Counted(documents.files(), "file"), "\n"));
    } else if (documents.files() > 0) {
      session.Note(absl::StrCat("the export is not complete; files written: ", documents.files(), ", the last is ",
                                documents.latest_file()));
    }
  }
  if (!outcome.local.ok()) return FailLocally(outcome.local, session);
  return outcome.rpc.ok() ? ExitCode::kOk : session.Fail(outcome.rpc);
}

ExitCode ExportCommand::RunIcal(Session& session) const {
  std::unique_ptr<OutputFile> file;
  if (target_ != "-") {
    absl::StatusOr<std::unique_ptr<OutputFile>> created = OutputFile::Create(target_, force_);
    if (!created.ok()) return FailLocally(created.status(), session);
    file = *std::move(created);
  }
  IcalExport calendar(session.terminal().clock.Now());
  Outcome outcome =
      Receive(session, file != nullptr, [&](const v1::PortableBlock& block) { return calendar.Add(block); });
  if (!outcome.local.ok()) return FailLocally(outcome.local, session);
  if (!outcome.rpc.ok()) return session.Fail(outcome.rpc);
  if (file == nullptr) {
    if (session.terminal().out << calendar.Finish()) return ExitCode::kOk;
    return FailLocally(absl::DataLossError("the standard output cannot be written"), session);
  }
  absl::Status done = file->Write(calendar.Finish());
  if (done.ok()) done = file->Commit();
  if (!done.ok()) return FailLocally(done, session);
  if (session.json()) {
    session.PrintJson({{"exported", calendar.events()}, {"file", target_}});
  } else {
    session.Print(absl::StrCat("exported ", Counted(calendar.events(), "event"), "\n"));
  }
  return ExitCode::kOk;
}

ExportCommand::Outcome ExportCommand::Receive(Session& session, bool progress_wanted, const Use& use) const {
  v1::ExportBlocksRequest request;
  *request.mutable_caller() = session.connection().caller();
  request.set_root_id(under_);
  grpc::ClientContext context;
  session.connection().Prepare(Connection::Patience::kBulk, context);
  const auto stub = v1::DataService::NewStub(session.connection().channel());
  const auto reader = stub->ExportBlocks(&context, request);
  ProgressBar progress(session.terminal(), !session.json() && progress_wanted, "exporting", "blocks");
  Outcome outcome;
  const auto use_all = [&](const v1::ExportBlocksResponse& response) -> absl::Status {
    for (const v1::PortableBlock& row : response.blocks()) {
      RETURN_IF_ERROR(use(row));
      if (!IsMoreLinks(row)) ++outcome.exported;
    }
    progress.Update(outcome.exported, -1);
    return absl::OkStatus();
  };
  outcome.rpc = Drain<v1::ExportBlocksResponse>(context, *reader, use_all, outcome.local);
  return outcome;
}

CommandInfo BackupCommand::Info() const {
  return {.name = "backup",
          .purpose = "save a consistent copy of the whole store while the service runs",
          .details = "The copy holds all workspaces, undo stacks and the audit log. `toolgate restore` restores it.",
          .examples = {{"toolgate backup /var/backups/toolgate.db", "saves a copy from the running service"}},
          .exit_codes = {ExitCode::kRefused, ExitCode::kUnreachable, ExitCode::kLocalFile, ExitCode::kServiceFault}};
}

void BackupCommand::Declare(FlagSet& flags) {
  flags.Argument("FILE", &file_, "file to write");
  flags.Switch("--force", &force_, "replace the file if it exists");
}

ExitCode BackupCommand::Run(Session& session) {
  absl::StatusOr<std::unique_ptr<OutputFile>> file = OutputFile::Create(file_, force_);
  if (!file.ok()) return FailLocally(file.status(), session);
  v1::BackupRequest request;
  *request.mutable_caller() = session.connection().caller();
  grpc::ClientContext context;
  session.connection().Prepare(Connection::Patience::kBulk, context);
  const auto stub = v1::DataService::NewStub(session.connection().channel());
  const auto reader = stub->Backup(&context, request);
  int64_t total = 0;
  int64_t bytes = 0;
  absl::Status local;
  grpc::Status status;
  {
    ProgressBar progress(session.terminal(), !session.json(), "saving", "bytes");
    const auto use = [&](const v1::BackupResponse& response) -> absl::Status {
      RETURN_IF_ERROR((*file)->Write(response.chunk()));
      if (response.total_bytes() > 0) total = response.total_bytes();
      bytes += static_cast<int64_t>(response.chunk().size());
      progress.Update(bytes, total > 0 ? static_cast<double>(bytes) / static_cast<double>(total) : -1);
      return absl::OkStatus();
    };
    status = Drain<v1::BackupResponse>(context, *reader, use, local);
  }
  if (local.ok() && status.ok() && bytes != total) {
    local = absl::DataLossError(absl::StrCat("the copy ended early, after ", bytes, " of ", total, " bytes"));
  }
  if (!local.ok()) return FailLocally(local, session);
  if (!status.ok()) return session.Fail(status);
  if (const absl::Status done = (*file)->Commit(); !done.ok()) return FailLocally(done, session);
  if (session.json()) {
    session.PrintJson({{"bytes", bytes}, {"file", file_}});
  } else {
    session.Print(absl::StrCat("saved ", bytes, " bytes\n"));
  }
  return ExitCode::kOk;
}

}  // namespace toolgate::cli
