// Blobs as objects of a service that speaks the protocol of Amazon's S3.
#ifndef TOOLGATE_STORAGE_BLOBS_S3_BLOB_STORE_H_
#define TOOLGATE_STORAGE_BLOBS_S3_BLOB_STORE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/http/client.h"
#include "common/http/client_pool.h"
#include "common/http/retries.h"
#include "storage/blobs/blob_store.h"
#include "storage/blobs/s3_credentials.h"

namespace toolgate::storage::blobs {

// Signs each request, with the digest of its body (the HTTP client does, by Signature Version 4), and repeats those
// that failed by chance: no connection, a time-out, or a status of 408, 429 or 5xx, when http::Retries says so. Every
// request may be repeated, since a blob put twice is the same. Each attempt is a span, and tells the service of the
// trace. Thread-safe.
class S3BlobStore final : public BlobStore {
 public:
  struct Options {
    std::string endpoint = {};  // "https://s3.eu-central-1.amazonaws.com", with any path, without "/" at its end.
    std::string region = {};
    std::string bucket = {};
    std::string prefix = {};      // Of every object's name.
    std::string public_url = {};  // Empty: the object's own address.
    bool path_style = false;
    SecretPlace access_key = {};
    SecretPlace secret_key = {};
    absl::Duration timeout = {};  // For one attempt.
    int max_attempts = 0;         // Of one request, its first one included; at least 1.
    std::string section = {};     // Of the configuration, for messages: "images.store".
    http::Route route = {};
  };

  // INVALID_ARGUMENT, with the setting, for options that can be no store.
  static absl::Status Check(const Options& options);
  // The errors of Check. `clients` is not null.
  static absl::StatusOr<std::unique_ptr<S3BlobStore>> Create(Options options,
                                                             std::shared_ptr<http::ClientPool> clients);

  absl::Status Configured() const override;
  absl::Status Put(std::string_view key, std::string_view media_type, std::string_view bytes,
                   const Scope& scope) override;
  absl::StatusOr<std::string> Get(std::string_view key, int64_t max_bytes, const Scope& scope) override;
  absl::StatusOr<bool> Has(std::string_view key, const Scope& scope) override;
  absl::Status Delete(std::string_view key, const Scope& scope) override;
  std::string UrlOf(std::string_view key) const override;
  std::optional<std::string> KeyOf(std::string_view url) const override;

 private:
  struct Call;

  S3BlobStore(Options options, std::string object_base, std::shared_ptr<http::ClientPool> clients);

  // The response, also one of a status of 400 or more that no repeat mends.
  absl::StatusOr<http::Response> Send(const Call& call, const Scope& scope);
  // The request of one attempt, signed. FAILED_PRECONDITION without keys.
  absl::StatusOr<http::Request> RequestFor(const Call& call) const;
  // `resends`: attempts before this one.
  absl::StatusOr<http::Response> Attempt(const Call& call, const Scope& scope, int resends);

  const Options options_;
  const std::string object_base_;  // URL of the bucket, and the prefix.
  const std::string public_base_;
  const S3Key access_key_;
  const S3Key secret_key_;
  http::Retries retries_;
  const std::shared_ptr<http::ClientPool> clients_;
};

}  // namespace toolgate::storage::blobs

#endif  // TOOLGATE_STORAGE_BLOBS_S3_BLOB_STORE_H_
