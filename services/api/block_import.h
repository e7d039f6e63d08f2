// The RPC ImportBlocks of toolgate.v1.DataService.
#ifndef TOOLGATE_SERVICES_API_BLOCK_IMPORT_H_
#define TOOLGATE_SERVICES_API_BLOCK_IMPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/caller.h"
#include "common/fibers/cancellation.h"
#include "common/json.h"
#include "services/api/known_call.h"
#include "storage/store.h"
#include "toolgate/v1/data_service.pb.h"

namespace toolgate::services::api {

// One import, batch by batch. It goes by the block model's rules, but not through the layers around tools: it is
// neither limited nor undoable, and each batch leaves one audit entry. Batches are handed in as they come, so that an
// import holds no thread while its client is slow. Not thread-safe; may block.
class BlockImport {
 public:
  explicit BlockImport(KnownCall known) : known_(std::move(known)) {}

  const KnownCall& known() const { return known_; }

  // Commits `batch` and reports how many blocks were imported so far. The first batch names the caller and where to.
  // A failure ends the import; the batches before stay. It is audited once the caller is known, and safe to show.
  absl::Status Take(const v1::ImportBlocksRequest& batch, v1::ImportBlocksResponse& report,
                    const fibers::Cancellation& cancellation);

  // The same for a batch that did not get as far as Take, because of `failure`; `batch` is what there is of it.
  absl::Status Fail(const v1::ImportBlocksRequest& batch, const absl::Status& failure) const;

 private:
  absl::Status Commit(const v1::ImportBlocksRequest& batch, const fibers::Cancellation& cancellation);
  absl::Status AdmitFirst(const v1::ImportBlocksRequest& batch);
  absl::Status CreateAll(const v1::ImportBlocksRequest& batch, const fibers::Cancellation& cancellation,
                         storage::Transaction& tx, absl::Time now) const;
  // Parameters of a batch for the audit log.
  Json ParamsOf(const v1::ImportBlocksRequest& batch) const;

  const KnownCall known_;
  std::optional<Caller> caller_;  // Since the first batch.
  std::string root_id_;
  int64_t taken_ = 0;     // Rows of the batches before.
  int64_t imported_ = 0;  // Those of them that are blocks.
};

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_BLOCK_IMPORT_H_
