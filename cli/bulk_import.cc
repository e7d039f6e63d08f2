#include "cli/bulk_import.h"

#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include <optional>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cli/rpc_error.h"
#include "common/message_bounds.h"
#include "common/status_macros.h"
#include "toolgate/v1/data_service.grpc.pb.h"

namespace toolgate::cli {
namespace {

constexpr int kBatchRows = 1'000;

// Row of the whole import that a refusal concerns, from 1; nothing if the service does not say.
std::optional<int64_t> RefusedRow(const grpc::Status& status) {
  const RpcError error = DecodeRpcError(status, "");
  const auto number = error.metadata.find("blockNumber");
  int64_t block = 0;
  if (number == error.metadata.end() || !absl::SimpleAtoi(number->second, &block)) return std::nullopt;
  return block;
}

}  // namespace

BulkImport::Outcome BulkImport::Run(const std::string& root_id) {
  grpc::ClientContext context;
  connection_.Prepare(Connection::Patience::kBulk, context);
  const auto stub = v1::DataService::NewStub(connection_.channel());
  const auto stream = stub->ImportBlocks(&context);
  std::thread answers([&] {
    v1::ImportBlocksResponse response;
    while (stream->Read(&response)) Acknowledge(response.imported());
  });
  Outcome outcome;
  bool first = true;
  while (!ended_) {
    v1::ImportBlocksRequest request;
    Batch batch;
    outcome.source = Collect(request, batch);
    if (!outcome.source.ok()) break;
    if (request.blocks().empty() && !first) break;
    if (first) {
      *request.mutable_caller() = connection_.caller();
      request.set_root_id(root_id);
      first = false;
    }
    {
      const absl::MutexLock lock(&mutex_);
      in_flight_.push_back(std::move(batch));
    }
    if (!stream->Write(request)) break;  // The service ended the stream; Finish returns the reason.
  }
  stream->WritesDone();
  answers.join();
  outcome.rpc = stream->Finish();
  if (!outcome.rpc.ok()) outcome.failed_place = FailedPlace(outcome.rpc);
  const absl::MutexLock lock(&mutex_);
  outcome.imported = imported_;
  outcome.last_place = last_place_;
  return outcome;
}

absl::Status BulkImport::Collect(v1::ImportBlocksRequest& request, Batch& batch) {
  size_t bytes = 0;
  while (request.blocks_size() < kBatchRows && bytes < kImportMessageBytes) {
    v1::PortableBlock row;
    ASSIGN_OR_RETURN(const bool more, Next(row));
    if (!more) {
      ended_ = true;
      break;
    }
    bytes += row.ByteSizeLong();
    batch.places.push_back(source_.Place());
    *request.add_blocks() = std::move(row);
  }
  batch.fraction = source_.Fraction();
  return absl::OkStatus();
}

absl::StatusOr<bool> BulkImport::Next(v1::PortableBlock& row) {
  if (!more_links_.links().empty()) {
    row = std::exchange(more_links_, {});
  } else {
    ASSIGN_OR_RETURN(const bool more, source_.Next(row));
    if (!more) return false;
  }
  int kept = 0;
  for (size_t bytes = 0; kept < row.links_size(); ++kept) {
    bytes += row.links(kept).ByteSizeLong();
    if (bytes > kMaxRowLinksBytes && kept > 0) break;
  }
  if (kept == row.links_size()) return true;
  more_links_.set_id(row.id());
  more_links_.mutable_links()->Assign(row.links().begin() + kept, row.links().end());
  row.mutable_links()->DeleteSubrange(kept, row.links_size() - kept);
  return true;
}

void BulkImport::Acknowledge(int64_t imported) {
  double fraction = -1;
  {
    const absl::MutexLock lock(&mutex_);
    if (in_flight_.empty()) return;  // More answers than requests.
    const Batch& batch = in_flight_.front();
    acknowledged_ += static_cast<int64_t>(batch.places.size());
    imported_ = imported;
    if (!batch.places.empty()) last_place_ = batch.places.back();
    fraction = batch.fraction;
    in_flight_.pop_front();
  }
  progress_.Update(imported, fraction);
}

std::string BulkImport::FailedPlace(const grpc::Status& status) {
  const absl::MutexLock lock(&mutex_);
  if (in_flight_.empty() || in_flight_.front().places.empty()) return "";
  const std::vector<std::string>& places = in_flight_.front().places;
  const int64_t index = RefusedRow(status).value_or(0) - 1 - acknowledged_;
  if (index >= 0 && index < static_cast<int64_t>(places.size())) return places[static_cast<size_t>(index)];
  return places.size() == 1 || places.front() == places.back() ? places.front()
                                                               : absl::StrCat(places.front(), " to ", places.back());
}

}  // namespace toolgate::cli
