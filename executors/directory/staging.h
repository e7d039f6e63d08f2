// Folder in which the new contents of a call wait before they are moved into place, and the old ones afterwards.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_STAGING_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_STAGING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/descriptor.h"
#include "executors/directory/directory.h"
#include "executors/directory/file_state.h"

namespace toolgate::executors::directory {

// Whether a path is as a change left it or found it. A new folder may still have the owner's rights that it is filled
// with.
bool Matches(const FileState& found, const FileState& wanted);
// Whether only the mode differs.
bool OnlyModeDiffers(const FileState& a, const FileState& b);

// A folder .toolgate/staging/<name>, in which the content of change number n is named n. When the old contents are kept
// beside the store, the same folder is .toolgate/images/<name>. Borrows the directory, whose lock the caller holds.
class Staging {
 public:
  // `name` has letters, digits, "-", "_" and ".". Opens the folder of that name, or makes it.
  static absl::StatusOr<Staging> Open(const Directory& directory, std::string_view name);

  const std::string& name() const { return name_; }

  // Each replaces what is staged under `n`. `feed` is given a function that takes the content, piece by piece; the
  // answer is its state. The owner of what is replaced is kept where the service may.
  using Sink = absl::FunctionRef<absl::Status(std::string_view piece)>;
  absl::StatusOr<FileState> PutFile(size_t n, uint32_t mode, absl::FunctionRef<absl::Status(Sink)> feed) const;
  absl::Status PutLink(size_t n, std::string_view target) const;
  absl::Status PutFolder(size_t n, uint32_t mode) const;
  // Removes what is staged under `n`, if anything is.
  absl::Status Unstage(size_t n) const;
  // A file of the folder's own, made durable.
  absl::Status PutRecord(const std::string& name, std::string_view content) const;
  absl::StatusOr<std::string> ReadRecord(const std::string& name, int64_t max_bytes) const;
  // Durably. OK when there is none.
  absl::Status DropRecord(const std::string& name) const;

  absl::StatusOr<FileState> Look(size_t n) const;
  absl::StatusOr<Descriptor> OpenStaged(size_t n) const;
  // Makes all that is staged durable.
  absl::Status Sync() const;

  // Turns the path from one state into the other by one rename, which leaves the old file staged under `n`. CONFLICT
  // when the path is in another state; it is then as it was. What is new belongs to the owner of what it replaces, or
  // of the folder that it is in, if this process may give it away.
  absl::Status Move(std::string_view path, const FileState& from, const FileState& to, size_t n) const;

  absl::Status Remove() const;
  // Moves the folder to the images, and drops the oldest of them beyond `max_bytes`.
  absl::Status KeepAsImages(int64_t max_bytes) const;

 private:
  Staging(const Directory& directory, std::string name, Descriptor folder)
      : directory_(&directory), name_(std::move(name)), folder_(std::move(folder)) {}

  absl::Status Exchange(int parent, std::string_view path, const FileState& from, size_t n) const;
  absl::Status TakeOut(int parent, std::string_view path, const FileState& from, size_t n) const;
  absl::Status ChangeMode(std::string_view path, const FileState& from, uint32_t mode) const;
  void GiveAway(int parent, std::string_view path, const FileState& to, size_t n) const;

  const Directory* directory_;
  std::string name_;
  Descriptor folder_;  // O_PATH.
};

// Names of the staging folders that exist.
absl::StatusOr<std::vector<std::string>> ListStaged(const Directory& directory);
// Removes the staging folder of that name, but no images.
absl::Status RemoveStaged(const Directory& directory, std::string_view name);
// Opens an old content that is kept among the images. NOT_FOUND.
absl::StatusOr<Descriptor> OpenImage(const Directory& directory, std::string_view name, size_t n);

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_STAGING_H_
