#include "executors/files/file_change.h"

#include <fstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/status_macros.h"
#include "common/text/visible_text.h"
#include "common/tool_error.h"
#include "executors/directory/change_set.h"
#include "executors/directory/path.h"
#include "executors/files/file_text.h"
#include "storage/undo_bound.h"

namespace toolgate::executors::files {
namespace {

using directory::ChangeSet;

constexpr char kData[] = "data";
constexpr char kDescription[] = "description";

// The umask cannot be asked for without changing it, but for /proc.
uint32_t Umask() {
  static const uint32_t mask = [] {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("Umask:", 0) != 0) continue;
      return static_cast<uint32_t>(std::strtoul(line.c_str() + 6, nullptr, 8)) & 0777;
    }
    return uint32_t{022};
  }();
  return mask;
}

Acted ActedBy(const Json& data, std::string description, directory::KeptChanges kept) {
  Acted acted;
  acted.output.data_json = DumpJson(data);
  acted.output.description = std::move(description);
  acted.output.reversible = kept.reversible;
  acted.settle = [effect = std::move(kept.effect)](storage::Transaction& tx) { return tx.RecordEffect(effect); };
  return acted;
}

ShownDiff Diff(const FileChange& change, size_t max_bytes) {
  if (change.was_binary) return {"", "replaces a binary file"};
  return DiffOf(change.path, change.text_before, change.text_after, change.existed, max_bytes);
}

// Whether the file runs as a program, so that any of its lines may be a command.
bool IsScript(const FileChange& change) { return (change.mode & 0111) != 0 || change.text_after.rfind("#!", 0) == 0; }

// The difference, or the new content where nothing can be told apart.
TextChange TextChangeOf(const FileChange& change, ShownDiff diff) {
  TextChange shown;
  shown.is_difference = !change.was_binary;
  shown.text = change.was_binary ? change.text_after : std::move(diff.text);
  shown.is_cut = diff.cut;
  shown.may_be_cut = !IsScript(change);
  shown.whole = absl::StrCat(change.content.size(), " bytes of new content (", diff.counts, "), SHA-256 ",
                             HexEncode(Sha256(change.content)));
  return shown;
}

}  // namespace

uint32_t NewFileMode() { return 0666 & ~Umask() & ~uint32_t{022}; }
uint32_t NewFolderMode() { return 0777 & ~Umask() & ~uint32_t{022}; }

absl::StatusOr<Acted> MakeChange(directory::Directory& directory, FileChange change, const ToolContext& context,
                                 EffectSession& session) {
  ASSIGN_OR_RETURN(const std::unique_ptr<ChangeSet> changes,
                   ChangeSet::Begin(directory, session, context.cancellation));
  RETURN_IF_ERROR(changes->MakeParents(change.path, NewFolderMode()));
  RETURN_IF_ERROR(changes->SetFile(change.path, change.content, change.mode, change.before));
  if (changes->empty()) {
    Acted acted;
    acted.output.data_json = DumpJson(change.data);
    return acted;
  }
  RETURN_IF_ERROR(changes->Apply(DumpJson(Json{{kData, change.data}, {kDescription, change.description}})));
  ASSIGN_OR_RETURN(directory::KeptChanges kept, changes->Keep());
  return ActedBy(change.data, std::move(change.description), std::move(kept));
}

Acted ShowChange(FileChange change) {
  ShownDiff diff = Diff(change, kMaxAnswerDiff);
  change.data["diff"] = diff.text.empty() ? diff.counts : std::move(diff.text);
  Acted acted;
  acted.output.data_json = DumpJson(change.data);
  acted.output.description = std::move(change.description);
  acted.output.untrusted = true;
  return acted;
}

Preview PreviewChange(const FileChange& change, std::string state_digest, std::string_view verb) {
  ShownDiff diff = Diff(change, kMaxQuestionDiff);
  Preview preview;
  preview.summary = absl::StrCat(ToAbsl(verb), change.existed ? " " : " the new file ", text::Quoted(change.path), " (",
                                 diff.counts, ")");
  preview.change = TextChangeOf(change, std::move(diff));
  preview.digested_arguments = {"content", "oldText", "newText"};
  preview.undo_summary = change.existed ? "Undo brings the old content back." : "Undo removes the file.";
  preview.state_digest = std::move(state_digest);
  return preview;
}

absl::StatusOr<Recovered> RecoverChange(directory::Directories& directories, ToolContext& context,
                                        EffectSession& session) {
  ASSIGN_OR_RETURN(const std::shared_ptr<directory::Directory> directory, directories.Of(context.caller.workspace_id));
  ASSIGN_OR_RETURN(const directory::DirectoryLock lock, directory->Lock(session));
  ASSIGN_OR_RETURN(ChangeSet::Recovery recovery, ChangeSet::Recover(*directory, session));
  Recovered recovered;
  recovered.failure = recovery.failure;
  if (!recovery.finished) {
    recovered.outcome = recovery.partly ? Recovered::Outcome::kPartlyRolledBack : Recovered::Outcome::kRolledBack;
    return recovered;
  }
  ASSIGN_OR_RETURN(const Json note, ParseJson(recovery.note));
  recovered.outcome = Recovered::Outcome::kFinished;
  recovered.acted = ActedBy(note.at(kData), note.at(kDescription).get<std::string>(), std::move(recovery.kept));
  return recovered;
}

}  // namespace toolgate::executors::files
