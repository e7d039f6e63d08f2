// Keeps files that are too large for the database, such as images, where browsers can fetch them.
#ifndef TOOLGATE_STORAGE_BLOBS_BLOB_STORE_H_
#define TOOLGATE_STORAGE_BLOBS_BLOB_STORE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/fibers/wait.h"
#include "observability/tracing/call_span.h"

namespace toolgate::storage::blobs {

// The call on whose behalf blobs are read or written. Borrowed for the length of the operation.
struct Scope {
  fibers::Wait wait;
  observability::tracing::CallSpan span = {};
  // Told when an attempt failed and another one follows. Null: nobody asks.
  int* retries = nullptr;
};

// Thread-safe. Keys are as IsBlobKey has them.
//
// Errors: INVALID_ARGUMENT, no key; NOT_FOUND; FAILED_PRECONDITION, not configured; PERMISSION_DENIED, the store lets
// nobody do that with these rights or keys; RESOURCE_EXHAUSTED, it is full; OUT_OF_RANGE, the blob is larger than asked
// for; UNAVAILABLE, it failed or could not be reached, also after repeats; and those of the wait, unchanged. Messages
// complete "the blob store …", and name no address, path or key.
class BlobStore {
 public:
  virtual ~BlobStore() = default;

  // OK when blobs can be stored as far as settings go, else FAILED_PRECONDITION with the setting. Cheap.
  virtual absl::Status Configured() const = 0;

  // Stores a blob, durably before it returns, and in place of one of the same name: a reader meets the old bytes or the
  // new ones. Repeats what failed by chance. After an error the blob is stored or is not; putting it again does no
  // harm.
  virtual absl::Status Put(std::string_view key, std::string_view media_type, std::string_view bytes,
                           const Scope& scope) = 0;
  virtual absl::StatusOr<std::string> Get(std::string_view key, int64_t max_bytes, const Scope& scope) = 0;
  // Whether there is such a blob.
  virtual absl::StatusOr<bool> Has(std::string_view key, const Scope& scope) = 0;
  // OK when there is none.
  virtual absl::Status Delete(std::string_view key, const Scope& scope) = 0;

  // Address of a blob for browsers, and the reverse: nothing for a URL that is not of this store.
  virtual std::string UrlOf(std::string_view key) const = 0;
  virtual std::optional<std::string> KeyOf(std::string_view url) const = 0;
};

// INVALID_ARGUMENT unless IsBlobKey holds.
absl::Status CheckBlobKey(std::string_view key);

// The key in `url`, if it begins with `base`, which ends in "/".
std::optional<std::string> KeyBelow(std::string_view base, std::string_view url);

}  // namespace toolgate::storage::blobs

#endif  // TOOLGATE_STORAGE_BLOBS_BLOB_STORE_H_
