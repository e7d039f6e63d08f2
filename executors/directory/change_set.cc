#include "executors/directory/change_set.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <set>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/digest.h"
#include "common/file_names.h"
#include "common/proto_bytes.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/directory/change_runner.h"
#include "executors/directory/changes.pb.h"
#include "executors/directory/content.h"
#include "executors/directory/directories.h"
#include "executors/directory/git_index.h"
#include "executors/directory/git_objects.h"
#include "executors/directory/path.h"
#include "executors/directory/place.h"
#include "executors/directory/secure_open.h"
#include "executors/directory/staging.h"
#include "executors/directory/stored_change.h"
#include "storage/journal.h"
#include "storage/undo_bound.h"

namespace toolgate::executors::directory {
namespace {

constexpr uint32_t kModeBits = 0777;
// A longer list of changes is kept beside the contents.
constexpr size_t kMaxInlineJournal = storage::kMaxCheckpointBytes / 2;
constexpr int64_t kMaxJournalBytes = int64_t{256} << 20;
constexpr std::string_view kJournal = "journal";
// Name of the record of a complete reversal: the effect that it answered.
constexpr char kRedo[] = "redo";
// Staging folders that one call looks at, to remove them.
constexpr size_t kMaxSwept = 64;
constexpr size_t kDigestCharacters = 16;

absl::Status TooLarge(std::string_view path, std::string_view what, int64_t max_bytes) {
  return PathError(
      ErrorCode::kQuotaExceeded, path,
      absl::StrCat(ToAbsl(what), " ", storage::FormatBytes(max_bytes), ", the most that one file may have"));
}

// The most bytes of old contents that one call may leave for undo.
int64_t MaxKept(const Limits& limits) { return std::max(limits.max_inline_bytes, limits.max_image_bytes); }

int64_t AddedBytes(const std::vector<Change>& changes) {
  int64_t added = 0;
  for (const Change& change : changes) added += change.after.size - change.before.size;
  return added;
}

// The effect that takes changes back, with the old contents, which are in `staging`.
absl::StatusOr<KeptChanges> KeepOld(const Directory& directory, const Staging& staging,
                                    const std::vector<Change>& changes) {
  int64_t bytes = 0;
  for (const Change& change : changes) {
    if (LeavesOld(change)) bytes += change.before.size;
  }
  FileEffect effect;
  for (const Change& change : changes) {
    PathChange& row = *effect.add_changes();
    row = ToProto(change);
    if (change.after.kind == FileKind::kFile) row.set_index_after(IndexDigestAt(directory.root(), change.path));
  }
  ASSIGN_OR_RETURN(*effect.mutable_place(), MakePlace(directory));
  effect.set_reversible(true);
  if (bytes > MaxKept(directory.limits())) {
    effect.set_reversible(false);
  } else if (bytes > directory.limits().max_inline_bytes) {
    RETURN_IF_ERROR(staging.KeepAsImages(directory.limits().max_image_bytes));
    effect.set_image_id(staging.name());
  } else {
    for (size_t n = 0; n < changes.size(); ++n) {
      if (!LeavesOld(changes[n]) || changes[n].before.kind != FileKind::kFile) continue;
      ASSIGN_OR_RETURN(const Descriptor file, staging.OpenStaged(n));
      ASSIGN_OR_RETURN(std::string content, ReadWhole(file.get(), changes[n].path, bytes));
      effect.mutable_changes(static_cast<int>(n))->set_content_before(std::move(content));
    }
  }
  KeptChanges kept;
  kept.reversible = effect.reversible();
  kept.effect.kind = kFilesEffect;
  ASSIGN_OR_RETURN(kept.effect.payload, SerializeProto(effect));
  return kept;
}

bool IsNotBefore(const struct timespec& a, const struct timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec >= b.tv_nsec;
}

}  // namespace

struct ChangeSet::Impl {
  Impl(Directory& in, EffectSession& of, const fibers::Cancellation& by, Staging where)
      : directory(in), session(of), cancellation(by), staging(std::move(where)) {}

  Directory& directory;
  EffectSession& session;
  const fibers::Cancellation& cancellation;
  Staging staging;
  std::set<std::string, std::less<>> paths;
  int64_t added = 0;
  std::optional<KeptChanges> kept;  // Once the changes are applied.
  bool keep = false;                // Keeps the staging folder.
};

ChangeSet::ChangeSet(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

ChangeSet::~ChangeSet() {
  // An applied change needs what is staged until the call is settled.
  if (!impl_->kept.has_value() && !impl_->keep) impl_->staging.Remove().IgnoreError();
}

absl::Status ChangeSet::RemoveLeftovers(const Directory& directory, EffectSession& session) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, ListStaged(directory));
  std::vector<std::string> others;
  for (const std::string& name : names) {
    if (others.size() < kMaxSwept && name.substr(0, name.find('.')) != session.key()) others.push_back(name);
  }
  if (others.empty()) return absl::OkStatus();
  std::vector<std::string> over;
  RETURN_IF_ERROR(session.Read([&](storage::ReadView& view) -> absl::Status {
    over.clear();
    for (const std::string& name : others) {
      ASSIGN_OR_RETURN(const std::optional<storage::Claim> claim, view.FindClaim(name.substr(0, name.find('.'))));
      if (!claim.has_value()) over.push_back(name);
    }
    return absl::OkStatus();
  }));
  for (const std::string& name : over) RETURN_IF_ERROR(RemoveStaged(directory, name));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<ChangeSet>> ChangeSet::Begin(Directory& directory, EffectSession& session,
                                                            const fibers::Cancellation& cancellation) {
  RETURN_IF_ERROR(RemoveLeftovers(directory, session));
  RETURN_IF_ERROR(RemoveStaged(directory, session.key()));
  ASSIGN_OR_RETURN(Staging staging, Staging::Open(directory, session.key()));
  directory.Step("begun");
  auto impl = std::make_unique<Impl>(directory, session, cancellation, std::move(staging));
  return std::unique_ptr<ChangeSet>(new ChangeSet(std::move(impl)));
}

absl::StatusOr<Change> ChangeSet::Start(std::string_view path, const std::optional<FileState>& expected) {
  Directory& directory = impl_->directory;
  RETURN_IF_ERROR(impl_->cancellation.Check());
  if (!IsCanonical(path)) return absl::InternalError("a change of a path that nobody has parsed");
  if (IsOutOfReach(path)) return PathError(ErrorCode::kInvalidParams, path, "lies deeper than tools reach");
  const bool is_git = allows_git_ && !directory.deny_list().FindBesideGit(path).has_value();
  if (!is_git) RETURN_IF_ERROR(directory.CheckAllowed(path));
  if (impl_->paths.find(path) != impl_->paths.end()) return absl::InternalError("a path is changed twice");
  const Descriptor at = OpenBeneath(directory.root(), path, O_PATH | O_NOFOLLOW);
  struct stat stat = {};
  if (at.valid()) {
    if (fstat(at.get(), &stat) != 0) return FileError(errno, path);
    const FileKind kind = KindOf(stat.st_mode);
    if (kind == FileKind::kOther) {
      return PathError(ErrorCode::kForbidden, path, "is a special file, which tools leave alone");
    }
    if (unchanged_since_.has_value() && kind != FileKind::kFolder && IsNotBefore(stat.st_ctim, *unchanged_since_)) {
      return PathError(ErrorCode::kConflict, path, "was changed by something else meanwhile; nothing was done");
    }
    if (kind == FileKind::kFile && stat.st_size > MaxKept(directory.limits())) {
      return PathError(ErrorCode::kQuotaExceeded, path,
                       "is so large that its content could not be kept for undo, so tools leave it alone");
    }
  }
  Change change;
  change.path = path;
  ASSIGN_OR_RETURN(change.before, directory.Look(path, impl_->cancellation));
  if (expected.has_value() && change.before != *expected) {
    return PathError(ErrorCode::kConflict, path, "was changed by something else meanwhile; nothing was done");
  }
  return change;
}

absl::Status ChangeSet::Add(Change change) {
  // The next change takes the number.
  if (change.before == change.after) return impl_->staging.Unstage(changes_.size());
  impl_->added += change.after.size - change.before.size;
  impl_->paths.insert(change.path);
  changes_.push_back(std::move(change));
  return absl::OkStatus();
}

absl::Status ChangeSet::SetContent(std::string_view path, uint32_t mode, const std::optional<FileState>& expected,
                                   absl::FunctionRef<absl::Status(Feed)> feed) {
  ASSIGN_OR_RETURN(Change change, Start(path, expected));
  const int64_t max_bytes = impl_->directory.limits().max_file_bytes;
  int64_t size = 0;
  ASSIGN_OR_RETURN(change.after, impl_->staging.PutFile(changes_.size(), mode & kModeBits, [&](Feed sink) {
    return feed([&](std::string_view piece) {
      size += static_cast<int64_t>(piece.size());
      return size > max_bytes ? TooLarge(path, "would have more than", max_bytes) : sink(piece);
    });
  }));
  RETURN_IF_ERROR(
      impl_->directory.CheckRoom(impl_->added + change.after.size - change.before.size, impl_->cancellation));
  return Add(std::move(change));
}

absl::Status ChangeSet::SetFile(std::string_view path, std::string_view content, uint32_t mode,
                                const std::optional<FileState>& expected) {
  return SetContent(path, mode, expected, [&](Feed sink) { return sink(content); });
}

absl::Status ChangeSet::SetFileFrom(std::string_view path, int file, uint32_t mode,
                                    const std::optional<FileState>& expected) {
  return SetContent(path, mode, expected, [&](Feed sink) {
    return ReadPieces(file, path, std::numeric_limits<int64_t>::max(), sink, impl_->cancellation);
  });
}

absl::Status ChangeSet::SetMode(std::string_view path, uint32_t mode) {
  ASSIGN_OR_RETURN(Change change, Start(path, std::nullopt));
  if (change.before.kind != FileKind::kFile && change.before.kind != FileKind::kFolder) {
    return PathError(ErrorCode::kNotFound, path, "is neither a file nor a folder");
  }
  change.after = change.before;
  change.after.mode = mode & kModeBits;
  return Add(std::move(change));
}

absl::Status ChangeSet::SetFolder(std::string_view path, uint32_t mode) {
  ASSIGN_OR_RETURN(Change change, Start(path, std::nullopt));
  change.after.kind = FileKind::kFolder;
  change.after.mode = mode & kModeBits;
  return Add(std::move(change));
}

absl::Status ChangeSet::SetLink(std::string_view path, std::string_view target) {
  ASSIGN_OR_RETURN(Change change, Start(path, std::nullopt));
  change.after.kind = FileKind::kLink;
  change.after.target = target;
  RETURN_IF_ERROR(impl_->staging.PutLink(changes_.size(), target));
  return Add(std::move(change));
}

absl::Status ChangeSet::Remove(std::string_view path) {
  ASSIGN_OR_RETURN(Change change, Start(path, std::nullopt));
  return Add(std::move(change));
}

absl::Status ChangeSet::MakeParents(std::string_view path, uint32_t mode) {
  std::vector<std::string> missing;
  for (std::string_view folder = ParentOf(path); !folder.empty(); folder = ParentOf(folder)) {
    if (impl_->paths.find(folder) != impl_->paths.end()) break;
    ASSIGN_OR_RETURN(const FileState state, impl_->directory.Look(folder));
    if (state.kind == FileKind::kFolder) break;
    if (state.kind != FileKind::kMissing) {
      ToolError error = FileNameError(ErrorCode::kNotFound, ShownPath(path),
                                      absl::StrCat("cannot be created, since \"", ShownPath(folder), "\" is a ",
                                                   ToAbsl(KindName(state.kind)), ", not a folder"));
      error.facts.emplace_back(kOtherFileFact, ShownPath(folder));
      return ToStatus(error);
    }
    missing.emplace_back(folder);
  }
  for (auto folder = missing.rbegin(); folder != missing.rend(); ++folder) {
    RETURN_IF_ERROR(SetFolder(*folder, mode));
  }
  return absl::OkStatus();
}

absl::Status ChangeSet::Apply(std::string_view note) {
  Directory& directory = impl_->directory;
  RETURN_IF_ERROR(directory.CheckRoom(impl_->added, impl_->cancellation));
  ChangeJournal journal;
  for (const Change& change : changes_) *journal.add_changes() = ToProto(change);
  journal.set_note(std::string(note));
  ASSIGN_OR_RETURN(const std::string list, SerializeProto(journal));
  ChangeCheckpoint checkpoint;
  if (list.size() > kMaxInlineJournal) {
    RETURN_IF_ERROR(impl_->staging.PutRecord(std::string(kJournal), list));
    checkpoint.set_journal_sha256(Sha256(list));
  } else {
    *checkpoint.mutable_journal() = std::move(journal);
  }
  ASSIGN_OR_RETURN(*checkpoint.mutable_place(), MakePlace(directory));
  directory.Step("staged");
  RETURN_IF_ERROR(impl_->staging.Sync());
  ASSIGN_OR_RETURN(std::string state, SerializeProto(checkpoint));
  directory.Step("synced the staging folder");
  RETURN_IF_ERROR(impl_->session.Checkpoint(std::move(state)));
  ChangeRunner runner(directory, impl_->staging, changes_, impl_->cancellation);
  absl::Status done = runner.Run();
  if (done.ok()) {
    absl::StatusOr<KeptChanges> kept = KeepOld(directory, impl_->staging, changes_);
    directory.Step("kept");
    if (kept.ok()) {
      impl_->kept = *std::move(kept);
    } else {
      done = runner.TakeBack(kept.status());
    }
  }
  if (!done.ok()) {
    impl_->keep = runner.partly();
    if (impl_->keep) impl_->staging.KeepAsImages(directory.limits().max_image_bytes).IgnoreError();
    return done;
  }
  directory.CountChange(AddedBytes(changes_));
  return absl::OkStatus();
}

absl::StatusOr<KeptChanges> ChangeSet::Keep() {
  if (!impl_->kept.has_value()) return absl::InternalError("changes are kept that were not applied");
  return *std::exchange(impl_->kept, KeptChanges());
}

absl::StatusOr<ChangeSet::Recovery> ChangeSet::Recover(Directory& directory, EffectSession& session) {
  Recovery recovery;
  if (session.checkpoint().empty()) {
    RETURN_IF_ERROR(RemoveStaged(directory, session.key()));
    return recovery;
  }
  ChangeCheckpoint checkpoint;
  RETURN_IF_ERROR(ParseProto(session.checkpoint(), checkpoint));
  RETURN_IF_ERROR(CheckPlaceForRecovery(directory, checkpoint.place()));
  ASSIGN_OR_RETURN(const Staging staging, Staging::Open(directory, session.key()));
  if (!checkpoint.journal_sha256().empty()) {
    ASSIGN_OR_RETURN(const std::string list, staging.ReadRecord(std::string(kJournal), kMaxJournalBytes));
    if (Sha256(list) != checkpoint.journal_sha256()) return absl::DataLossError("the list of changes is damaged");
    RETURN_IF_ERROR(ParseProto(list, *checkpoint.mutable_journal()));
  }
  for (const PathChange& row : checkpoint.journal().changes()) recovery.changes.push_back(FromProto(row));
  recovery.note = checkpoint.journal().note();
  const fibers::Cancellation none;
  ChangeRunner runner(directory, staging, recovery.changes, none);
  recovery.failure = runner.Resume(nullptr);
  recovery.partly = runner.partly();
  recovery.finished = recovery.failure.ok();
  if (recovery.finished) {
    ASSIGN_OR_RETURN(recovery.kept, KeepOld(directory, staging, recovery.changes));
    return recovery;
  }
  // Anything but a ToolError is the file system's failure: to be tried again.
  if (!GetToolError(recovery.failure).has_value()) return recovery.failure;
  if (recovery.partly) {
    RETURN_IF_ERROR(staging.KeepAsImages(directory.limits().max_image_bytes));
  } else {
    RETURN_IF_ERROR(staging.Remove());
  }
  return recovery;
}

namespace {

// Takes one effect back. An undo that was interrupted makes all its reversals again, newest first, and those of older
// effects may have changed the same files since. So a complete reversal leaves a record, by which it is recognised in
// whatever state the files are, unless all of them are as before it: then it is to be made once more.
class Reversal {
 public:
  Reversal(Directory& directory, const FileEffect& effect, const fibers::Cancellation& cancellation)
      : directory_(directory), effect_(effect), cancellation_(cancellation) {
    for (const PathChange& row : effect.changes()) {
      Change change = FromProto(row);
      std::swap(change.before, change.after);
      changes_.push_back(std::move(change));
    }
  }

  absl::StatusOr<storage::Effect> Run(EffectSession& session, std::string_view payload) {
    RETURN_IF_ERROR(ChangeSet::RemoveLeftovers(directory_, session));
    const std::string digest = HexEncode(Sha256(payload)).substr(0, kDigestCharacters);
    ASSIGN_OR_RETURN(const Staging staging,
                     Staging::Open(directory_, absl::StrCat(ToAbsl(session.key()), ".", digest)));
    RETURN_IF_ERROR(TakeIndexesAsTheyAre());
    RETURN_IF_ERROR(LeaveObjects(directory_, changes_));
    ASSIGN_OR_RETURN(const bool untouched, AllAreAsBefore());
    if (absl::StatusOr<std::string> redo = staging.ReadRecord(kRedo, kMaxJournalBytes); redo.ok() && !untouched) {
      return storage::Effect{std::string(kFilesEffect), *std::move(redo)};
    }
    RETURN_IF_ERROR(staging.DropRecord(kRedo));
    RETURN_IF_ERROR(LeaveFilledFolders());
    directory_.Step("begun");
    for (size_t n = 0; n < changes_.size(); ++n) RETURN_IF_ERROR(StageWhereNeeded(staging, n));
    RETURN_IF_ERROR(staging.Sync());
    directory_.Step("staged");
    ChangeRunner runner(directory_, staging, changes_, cancellation_);
    RETURN_IF_ERROR(runner.Resume([&](size_t n) { return Stage(staging, n); }));
    absl::StatusOr<KeptChanges> kept = KeepOld(directory_, staging, changes_);
    directory_.Step("kept");
    if (!kept.ok()) return runner.TakeBack(kept.status());
    RETURN_IF_ERROR(staging.PutRecord(kRedo, kept->effect.payload));
    directory_.Step("recorded");
    directory_.CountChange(AddedBytes(changes_));
    return std::move(kept->effect);
  }

 private:
  // An index that git has written anew, and that lists what it did, is as the change left it.
  absl::Status TakeIndexesAsTheyAre() {
    for (size_t n = 0; n < changes_.size(); ++n) {
      const std::string& digest = effect_.changes(static_cast<int>(n)).index_after();
      if (digest.empty() || IndexDigestAt(directory_.root(), changes_[n].path) != digest) continue;
      ASSIGN_OR_RETURN(FileState found, directory_.Look(changes_[n].path, cancellation_));
      if (found.kind == FileKind::kFile && !Matches(found, changes_[n].after)) changes_[n].before = std::move(found);
    }
    return absl::OkStatus();
  }

  absl::StatusOr<bool> AllAreAsBefore() const {
    for (const Change& change : changes_) {
      RETURN_IF_ERROR(cancellation_.Check());
      ASSIGN_OR_RETURN(const FileState found, directory_.Look(change.path, cancellation_));
      if (!Matches(found, change.before)) return false;
    }
    return true;
  }

  // A folder that the change made and that others use by now stays.
  absl::Status LeaveFilledFolders() {
    std::set<std::string> removed;
    for (const Change& change : changes_) {
      if (change.after.kind == FileKind::kMissing) removed.insert(change.path);
    }
    for (const size_t n : OrderOf(changes_)) {
      Change& change = changes_[n];
      if (change.after.kind != FileKind::kMissing || change.before.kind != FileKind::kFolder) continue;
      bool filled = false;
      RETURN_IF_ERROR(directory_.Walk(change.path, WalkDenied::kIgnore, cancellation_, [&](const WalkEntry& entry) {
        filled = filled || removed.count(entry.path) == 0;
        return filled ? WalkStep::kStop : WalkStep::kSkipFolder;
      }));
      if (!filled) continue;
      change.after = change.before;
      removed.erase(change.path);
    }
    return absl::OkStatus();
  }

  // Stages the content of a change that is not made yet.
  absl::Status StageWhereNeeded(const Staging& staging, size_t n) const {
    const Change& change = changes_[n];
    RETURN_IF_ERROR(cancellation_.Check());
    if (!TakesNew(change)) return absl::OkStatus();
    ASSIGN_OR_RETURN(const FileState found, directory_.Look(change.path, cancellation_));
    if (!Matches(found, change.before)) return absl::OkStatus();
    ASSIGN_OR_RETURN(const FileState staged, staging.Look(n));
    return staged == change.after ? absl::OkStatus() : Stage(staging, n);
  }

  absl::Status Stage(const Staging& staging, size_t n) const {
    const FileState& wanted = changes_[n].after;
    const std::string& path = changes_[n].path;
    if (wanted.kind == FileKind::kLink) return staging.PutLink(n, wanted.target);
    FileState staged;
    if (effect_.image_id().empty()) {
      const std::string& content = effect_.changes(static_cast<int>(n)).content_before();
      ASSIGN_OR_RETURN(staged, staging.PutFile(n, wanted.mode, [&](Staging::Sink sink) { return sink(content); }));
    } else {
      const absl::StatusOr<Descriptor> image = OpenImage(directory_, effect_.image_id(), n);
      if (!image.ok()) {
        return PathError(ErrorCode::kCannotUndo, path,
                         "cannot be restored: its old content was dropped to make room for newer ones");
      }
      ASSIGN_OR_RETURN(staged, staging.PutFile(n, wanted.mode, [&](Staging::Sink sink) {
        return ReadPieces(image->get(), path, std::numeric_limits<int64_t>::max(), sink, cancellation_);
      }));
    }
    if (staged == wanted) return absl::OkStatus();
    return PathError(ErrorCode::kCannotUndo, path, "cannot be restored: its old content was altered");
  }

  Directory& directory_;
  const FileEffect& effect_;
  const fibers::Cancellation& cancellation_;
  std::vector<Change> changes_;
};

}  // namespace

OutsideReverser FilesReverser(std::shared_ptr<Directories> directories) {
  return [directories = std::move(directories)](const storage::Effect& effect, ToolContext& context,
                                                EffectSession& session) -> absl::StatusOr<storage::Effect> {
    FileEffect changes;
    RETURN_IF_ERROR(ParseProto(effect.payload, changes));
    if (!changes.reversible()) {
      return MakeError(ErrorCode::kCannotUndo, "the old contents were too large to keep");
    }
    ASSIGN_OR_RETURN(const std::shared_ptr<Directory> directory, directories->Of(context.caller.workspace_id));
    ASSIGN_OR_RETURN(const DirectoryLock lock, directory->Lock(session));
    RETURN_IF_ERROR(CheckPlaceForUndo(*directory, changes.place()));
    return Reversal(*directory, changes, context.cancellation).Run(session, effect.payload);
  };
}

}  // namespace toolgate::executors::directory
