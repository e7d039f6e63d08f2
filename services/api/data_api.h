// RPCs of toolgate.v1.DataService that hand data out; block_import.h has the one that takes it in.
#ifndef TOOLGATE_SERVICES_API_DATA_API_H_
#define TOOLGATE_SERVICES_API_DATA_API_H_

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "services/api/known_call.h"
#include "toolgate/v1/data_service.pb.h"

namespace toolgate::services::api {

// Bulk work for operators, which does not go through the layers around tools. May block; a status is safe to show.
// Thread-safe.

// Takes a message of a stream and waits while the client is slow. False when the client is gone: then the work ends.
using ExportWriter = absl::FunctionRef<bool(const v1::ExportBlocksResponse&)>;
using BackupWriter = absl::FunctionRef<bool(const v1::BackupResponse&)>;

// Hands out a forest of blocks with their links, as one snapshot holds them.
absl::Status ExportBlocks(const KnownCall& call, const v1::ExportBlocksRequest& request,
                          fibers::Cancellation& cancellation, ExportWriter write);

// Hands out a copy of the whole store.
absl::Status Backup(const KnownCall& call, const v1::BackupRequest& request, fibers::Cancellation& cancellation,
                    BackupWriter write);

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_DATA_API_H_
