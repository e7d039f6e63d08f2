// A store of blobs that tells how long its operations take.
#ifndef TOOLGATE_STORAGE_BLOBS_TIMED_BLOB_STORE_H_
#define TOOLGATE_STORAGE_BLOBS_TIMED_BLOB_STORE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/time/time.h"
#include "common/clock.h"
#include "observability/blob_operation.h"
#include "storage/blobs/blob_store.h"

namespace toolgate::storage::blobs {

// Passes everything on to another store. Reads are Get and Has, writes Put and Delete. Thread-safe.
class TimedBlobStore final : public BlobStore {
 public:
  // Borrows `clock`.
  TimedBlobStore(std::unique_ptr<BlobStore> store, const Clock& clock, observability::OnBlobOperation on_operation)
      : store_(std::move(store)), clock_(clock), on_operation_(std::move(on_operation)) {}

  absl::Status Configured() const override { return store_->Configured(); }
  absl::Status Put(std::string_view key, std::string_view media_type, std::string_view bytes,
                   const Scope& scope) override {
    const Timing timing(*this, observability::BlobOperation::kWrite);
    return store_->Put(key, media_type, bytes, scope);
  }
  absl::StatusOr<std::string> Get(std::string_view key, int64_t max_bytes, const Scope& scope) override {
    const Timing timing(*this, observability::BlobOperation::kRead);
    return store_->Get(key, max_bytes, scope);
  }
  absl::StatusOr<bool> Has(std::string_view key, const Scope& scope) override {
    const Timing timing(*this, observability::BlobOperation::kRead);
    return store_->Has(key, scope);
  }
  absl::Status Delete(std::string_view key, const Scope& scope) override {
    const Timing timing(*this, observability::BlobOperation::kWrite);
    return store_->Delete(key, scope);
  }
  std::string UrlOf(std::string_view key) const override { return store_->UrlOf(key); }
  std::optional<std::string> KeyOf(std::string_view url) const override { return store_->KeyOf(url); }

 private:
  // From its construction to its destruction.
  class Timing {
   public:
    Timing(const TimedBlobStore& store, observability::BlobOperation operation)
        : store_(store), operation_(operation), started_(store.clock_.Monotonic()) {}
    ~Timing() { store_.on_operation_(operation_, store_.clock_.Monotonic() - started_); }
    Timing(const Timing&) = delete;
    Timing& operator=(const Timing&) = delete;

   private:
    const TimedBlobStore& store_;
    const observability::BlobOperation operation_;
    const absl::Duration started_;
  };

  const std::unique_ptr<BlobStore> store_;
  const Clock& clock_;
  const observability::OnBlobOperation on_operation_;
};

}  // namespace toolgate::storage::blobs

#endif  // TOOLGATE_STORAGE_BLOBS_TIMED_BLOB_STORE_H_
