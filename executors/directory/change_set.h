// The changes of one call in a workspace's directory: all of them or none, also when the process is killed.
//
//   1. stage     the new contents are written to .toolgate/staging/<key>/, on the same file system, and made durable
//   2. record    the list of changes, with the states before and after, goes into the call's journal row; a list too
//                long for it goes into a file beside the contents, and the row has its digest
//   3. apply     one change after the other, each by one rename: an exchange leaves the old file in the staging folder,
//                so there is never half a file, and a file that somebody else wrote meanwhile is found and put back
//   4. keep      the old contents become part of the effect that undo needs; they are in the store up to a bound, and
//                beyond it in .toolgate/images/<key>/
//
// The staging folder is removed later, when the journal has no claim of that key any more. A crash after step 2 is
// finished by Recover. All of it runs under the directory's lock.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_CHANGE_SET_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_CHANGE_SET_H_

#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/directory/directory.h"
#include "executors/directory/file_state.h"
#include "executors/effect_session.h"
#include "executors/tool.h"
#include "storage/changes.h"

namespace toolgate::executors::directory {

// The kind of effect that the reverser takes back; its payload is a serialised FileEffect (changes.proto).
inline constexpr std::string_view kFilesEffect = "files";

class Directories;

// An effect for Transaction::RecordEffect.
struct KeptChanges {
  storage::Effect effect;
  bool reversible = true;  // False: the old contents were too large to keep.
};

// Used by one thread. Borrows the directory; the caller holds its lock from Begin until it has kept the changes.
class ChangeSet {
 public:
  // An empty set for the call of `session`. Removes leftovers of calls that are over. Asks `cancellation`, which
  // outlives the set, until the last change is made: one that comes before is answered like any other failure.
  static absl::StatusOr<std::unique_ptr<ChangeSet>> Begin(Directory& directory, EffectSession& session,
                                                          const fibers::Cancellation& cancellation);
  ~ChangeSet();

  // Removes what calls that are over have left staged; the caller holds the lock. Another name of a file that is
  // removed with it counts as changed at this time, so what is to be unchanged since an earlier one does this first.
  static absl::Status RemoveLeftovers(const Directory& directory, EffectSession& session);

  // A path that changed at this time or later is a CONFLICT, for changes that were worked out before the lock was
  // taken. See Directory::Stamp.
  void RequireUnchangedSince(struct timespec start) { unchanged_since_ = start; }

  // Changes below version control's folders ".git" are allowed, which the deny list covers.
  void AllowGit() { allows_git_ = true; }

  // Each adds one change of a canonical path without links, from its present state. FORBIDDEN on the deny list,
  // QUOTA_EXCEEDED beyond the bounds, CONFLICT when the present state is not `expected`. A path is changed once at
  // most. Of modes, only 0777 counts. Nothing is added when nothing would change.
  absl::Status SetFile(std::string_view path, std::string_view content, uint32_t mode,
                       const std::optional<FileState>& expected = std::nullopt);
  // As above, with the content of an open file, read from its beginning.
  absl::Status SetFileFrom(std::string_view path, int file, uint32_t mode,
                           const std::optional<FileState>& expected = std::nullopt);
  // The same content with another mode.
  absl::Status SetMode(std::string_view path, uint32_t mode);
  absl::Status SetFolder(std::string_view path, uint32_t mode);
  absl::Status SetLink(std::string_view path, std::string_view target);
  // A file, a link, or a folder that is empty when its turn comes.
  absl::Status Remove(std::string_view path);
  // The folders above a path that are missing.
  absl::Status MakeParents(std::string_view path, uint32_t mode = 0755);

  bool empty() const { return changes_.empty(); }
  const std::vector<Change>& changes() const { return changes_; }

  // Steps 2 to 4. `note` is the handler's own, for its recoverer. After an error nothing of the changes is left,
  // except where the error says so.
  absl::Status Apply(std::string_view note = "");

  // Once, after Apply: the effect to record.
  absl::StatusOr<KeptChanges> Keep();

  // Finishes or takes back the changes of a call that was interrupted, by its last checkpoint. The caller holds the
  // lock. Asks no cancellation: what a recovery leaves unfinished, no one finishes.
  struct Recovery {
    bool finished = false;  // False: nothing is left of it, but for what `failure` names.
    absl::Status failure;   // Why it was taken back, or could not be.
    bool partly = false;    // Something is left that cannot be taken back.
    std::vector<Change> changes;
    std::string note;
    KeptChanges kept;  // When finished.
  };
  static absl::StatusOr<Recovery> Recover(Directory& directory, EffectSession& session);

 private:
  struct Impl;
  using Feed = absl::FunctionRef<absl::Status(std::string_view piece)>;

  explicit ChangeSet(std::unique_ptr<Impl> impl);

  // Checks that the path may be changed, and answers its present state as `before`.
  absl::StatusOr<Change> Start(std::string_view path, const std::optional<FileState>& expected);
  absl::Status Add(Change change);
  absl::Status SetContent(std::string_view path, uint32_t mode, const std::optional<FileState>& expected,
                          absl::FunctionRef<absl::Status(Feed)> feed);

  std::optional<struct timespec> unchanged_since_;
  bool allows_git_ = false;
  std::vector<Change> changes_;
  std::unique_ptr<Impl> impl_;
};

// Takes back effects of the kind "files": for Family::reversers. CONFLICT names the path that has changed since;
// CANNOT_UNDO when the old contents are no longer kept. The redo is the same, with the sides exchanged.
OutsideReverser FilesReverser(std::shared_ptr<Directories> directories);

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_CHANGE_SET_H_
