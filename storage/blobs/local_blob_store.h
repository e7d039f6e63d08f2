// Blobs as files of a folder.
#ifndef TOOLGATE_STORAGE_BLOBS_LOCAL_BLOB_STORE_H_
#define TOOLGATE_STORAGE_BLOBS_LOCAL_BLOB_STORE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/blobs/blob_store.h"

namespace toolgate::storage::blobs {

// A key is a path below the folder. A blob appears whole or not at all, also when the process is killed or the disk is
// full: it is written beside its place, synchronised, and renamed. Folders and files are the owner's alone (0700,
// 0600); a web server that hands them out runs as the same user, or in a group of an ACL of the operator's. Calls block
// on the disk; nothing waits through the scope, and each is a span. Several processes may share a folder.
class LocalBlobStore final : public BlobStore {
 public:
  struct Options {
    std::string folder;
    // URL that the folder is served at, with or without "/" at its end. Empty: "/blobs".
    std::string public_url;
    bool make_folder = true;  // False: it is made with the first blob.
  };

  // Removes what writes of more than an hour ago left unfinished. FAILED_PRECONDITION when the folder cannot be made.
  static absl::StatusOr<std::unique_ptr<LocalBlobStore>> Create(const Options& options);

  absl::Status Configured() const override { return absl::OkStatus(); }
  absl::Status Put(std::string_view key, std::string_view media_type, std::string_view bytes,
                   const Scope& scope) override;
  absl::StatusOr<std::string> Get(std::string_view key, int64_t max_bytes, const Scope& scope) override;
  absl::StatusOr<bool> Has(std::string_view key, const Scope& scope) override;
  absl::Status Delete(std::string_view key, const Scope& scope) override;
  std::string UrlOf(std::string_view key) const override;
  std::optional<std::string> KeyOf(std::string_view url) const override;

 private:
  LocalBlobStore(std::string folder, std::string base) : folder_(std::move(folder)), base_(std::move(base)) {}

  std::string PathOf(std::string_view key) const;

  const std::string folder_;  // Without "/" at its end.
  const std::string base_;    // With it.
};

}  // namespace toolgate::storage::blobs

#endif  // TOOLGATE_STORAGE_BLOBS_LOCAL_BLOB_STORE_H_
