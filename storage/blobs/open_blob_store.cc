#include "storage/blobs/open_blob_store.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/clock.h"
#include "common/http/http_url.h"
#include "common/proto_time.h"
#include "common/status_macros.h"
#include "storage/blobs/local_blob_store.h"
#include "storage/blobs/s3_blob_store.h"
#include "storage/blobs/timed_blob_store.h"

namespace toolgate::storage::blobs {
namespace {

S3BlobStore::Options S3OptionsOf(const BlobStoreSettings& settings, const std::string& section) {
  S3BlobStore::Options options;
  options.endpoint = settings.endpoint();
  options.region = settings.region();
  options.bucket = settings.bucket();
  options.prefix = settings.prefix();
  options.public_url = settings.public_url();
  options.path_style = settings.path_style();
  options.access_key = {settings.access_key_env(), settings.access_key_file(), section + ".access_key"};
  options.secret_key = {settings.secret_key_env(), settings.secret_key_file(), section + ".secret_key"};
  options.timeout = FromProtoDuration(settings.timeout());
  options.max_attempts = settings.max_attempts();
  options.section = section;
  options.route.proxy = settings.proxy();
  options.route.ca_file = settings.ca_file();
  return options;
}

absl::StatusOr<std::unique_ptr<BlobStore>> OpenLocal(const BlobStoreSettings& settings, const std::string& data_dir,
                                                     const std::string& section) {
  if (settings.folder().empty() && data_dir.empty()) return nullptr;
  LocalBlobStore::Options options{settings.folder(), settings.public_url()};
  if (options.folder.empty()) {
    options.folder = data_dir + "/blobs";
    options.make_folder = false;  // Most services never make an image.
  }
  absl::StatusOr<std::unique_ptr<LocalBlobStore>> store = LocalBlobStore::Create(options);
  if (store.ok()) return *std::move(store);
  return absl::FailedPreconditionError(absl::StrCat(section, ".folder: ", store.status().message()));
}

absl::StatusOr<std::unique_ptr<BlobStore>> OpenS3(const BlobStoreSettings& settings, const std::string& section,
                                                  std::shared_ptr<http::ClientPool> clients) {
  absl::StatusOr<std::unique_ptr<S3BlobStore>> store =
      S3BlobStore::Create(S3OptionsOf(settings, section), std::move(clients));
  if (store.ok()) return *std::move(store);
  return absl::FailedPreconditionError(store.status().message());
}

}  // namespace

absl::StatusOr<std::shared_ptr<BlobStore>> OpenBlobStore(const BlobStoreSettings& settings, const std::string& data_dir,
                                                         const std::string& section,
                                                         std::shared_ptr<http::ClientPool> clients,
                                                         observability::OnBlobOperation on_operation) {
  if (settings.kind() == BlobStoreSettings::NONE) return nullptr;
  const bool is_local = settings.kind() == BlobStoreSettings::LOCAL;
  ASSIGN_OR_RETURN(std::unique_ptr<BlobStore> store,
                   is_local ? OpenLocal(settings, data_dir, section) : OpenS3(settings, section, std::move(clients)));
  if (store == nullptr || on_operation == nullptr) return std::shared_ptr<BlobStore>(std::move(store));
  return std::make_shared<TimedBlobStore>(std::move(store), Clock::Real(), std::move(on_operation));
}

void CheckBlobStore(const BlobStoreSettings& settings, const std::string& section, yaml::ReportProblem report) {
  const std::string& url = settings.public_url();
  if (!url.empty() && !http::HasHttpScheme(url) && !absl::StartsWith(url, "/")) {
    report(section + ".public_url", "must be a URL, or a path that begins with \"/\"");
  }
  if (settings.kind() != BlobStoreSettings::S3) return;
  const absl::Status checked = S3BlobStore::Check(S3OptionsOf(settings, section));
  if (checked.ok()) return;
  const std::string_view message = FromAbsl(checked.message());
  const size_t colon = message.find(": ");
  report(message.substr(0, colon), message.substr(colon + 2));
}

}  // namespace toolgate::storage::blobs
