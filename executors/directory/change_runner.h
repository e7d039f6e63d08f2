// Makes the changes of a set, one rename after the other.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_CHANGE_RUNNER_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_CHANGE_RUNNER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "executors/directory/directory.h"
#include "executors/directory/file_state.h"
#include "executors/directory/staging.h"

namespace toolgate::executors::directory {

// Whether the change leaves the old file in the staging folder.
bool LeavesOld(const Change& change);
// Whether it takes the new file from there.
bool TakesNew(const Change& change);
// Removals from the bottom up, then all others from the top down, then modes of folders that are filled by now.
std::vector<size_t> OrderOf(const std::vector<Change>& changes);

// Makes a list of changes, all or nothing. Borrows everything; used by one thread.
class ChangeRunner {
 public:
  // Stages the new content of change `n` once more.
  using Restage = std::function<absl::Status(size_t n)>;

  ChangeRunner(Directory& directory, const Staging& staging, const std::vector<Change>& changes,
               const fibers::Cancellation& cancellation)
      : directory_(directory),
        staging_(staging),
        changes_(changes),
        cancellation_(cancellation),
        order_(OrderOf(changes)) {}

  // Nothing of the changes is made yet.
  absl::Status Run();

  // Some may be made already.
  absl::Status Resume(const Restage& restage);

  // After Run or Resume: takes all changes back, and answers `reason`, or what is left of them.
  absl::Status TakeBack(absl::Status reason) { return RollBack(std::move(reason)); }

  // Whether a failure left something that could not be taken back.
  bool partly() const { return !left_.empty(); }

 private:
  absl::Status ResumeOne(size_t n, const Restage& restage);

  // A change that was made has left what it found. Anything else was written by another process, and this one ended
  // before it could put that back.
  absl::Status CheckOld(const Change& change, size_t n) const;

  // A new folder gets its mode when it is filled.
  absl::Status Finish();

  absl::Status RollBack(absl::Status reason);

  static absl::Status Changed(std::string_view path);

  Directory& directory_;
  const Staging& staging_;
  const std::vector<Change>& changes_;
  const fibers::Cancellation& cancellation_;
  const std::vector<size_t> order_;
  std::vector<size_t> done_;
  std::vector<std::string> left_;
};

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_CHANGE_RUNNER_H_
