// The blob store that a configuration names.
#ifndef TOOLGATE_STORAGE_BLOBS_OPEN_BLOB_STORE_H_
#define TOOLGATE_STORAGE_BLOBS_OPEN_BLOB_STORE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "common/http/client_pool.h"
#include "common/yaml/config_rules.h"
#include "observability/blob_operation.h"
#include "storage/blobs/blob_store.h"
#include "storage/blobs/settings.pb.h"

namespace toolgate::storage::blobs {

// `settings` has a value for every field; `section` is where they stand, for messages: "images.store". Null when there
// is to be no store: the kind NONE, or LOCAL with neither a folder nor a data directory. S3 asks through `clients`.
// FAILED_PRECONDITION when it cannot be opened. `on_operation` null: nobody is told.
absl::StatusOr<std::shared_ptr<BlobStore>> OpenBlobStore(const BlobStoreSettings& settings, const std::string& data_dir,
                                                         const std::string& section,
                                                         std::shared_ptr<http::ClientPool> clients,
                                                         observability::OnBlobOperation on_operation = nullptr);

// Reports settings that can be no store.
void CheckBlobStore(const BlobStoreSettings& settings, const std::string& section, yaml::ReportProblem report);

}  // namespace toolgate::storage::blobs

#endif  // TOOLGATE_STORAGE_BLOBS_OPEN_BLOB_STORE_H_
