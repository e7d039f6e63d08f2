#include "services/api/data_api.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/json.h"
#include "common/message_bounds.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "services/api/message_spool.h"

namespace toolgate::services::api {
namespace {

constexpr int kBlocksPerMessage = 500;
constexpr size_t kBackupChunk = size_t{1} << 20;
constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

v1::PortableLink ToPortable(const storage::Link& link) {
  v1::PortableLink portable;
  portable.set_from_id(link.from_id);
  portable.set_to_id(link.to_id);
  portable.set_relation(link.relation);
  return portable;
}

// Walks a forest depth first and hands it out in messages.
class Exporter {
 public:
  Exporter(storage::ReadView& view, const fibers::Cancellation& cancellation, MessageSpool& out)
      : view_(view), cancellation_(cancellation), out_(out) {}

  absl::Status Run(const std::string& root_id) {
    if (root_id.empty()) {
      RETURN_IF_ERROR(AwaitChildrenOf(root_id));
    } else {
      ASSIGN_OR_RETURN(storage::Block root, view_.GetBlock(root_id));
      // Out of its place it is a root itself.
      root.parent_id.clear();
      waiting_.push_back(std::move(root));
    }
    while (!waiting_.empty()) {
      storage::Block block = std::move(waiting_.back());
      waiting_.pop_back();
      RETURN_IF_ERROR(AwaitChildrenOf(block.id));
      RETURN_IF_ERROR(Add(std::move(block)));
    }
    return message_.blocks().empty() ? absl::OkStatus() : Send();
  }

 private:
  // They come next, before whatever waits already.
  absl::Status AwaitChildrenOf(const std::string& id) {
    ASSIGN_OR_RETURN(std::vector<storage::Block> children, view_.ListChildren(id, kNoLimit));
    std::move(children.rbegin(), children.rend(), std::back_inserter(waiting_));
    return absl::OkStatus();
  }

  // With the links with blocks that have been handed out already: whoever reads them in order then knows both ends.
  absl::Status Add(storage::Block block) {
    sent_.insert(block.id);
    ASSIGN_OR_RETURN(const std::vector<storage::Link> links, view_.ListLinks(block.id, kNoLimit));
    v1::PortableBlock row;
    row.set_id(block.id);
    row.set_type(std::move(block.type));
    row.set_parent_id(std::move(block.parent_id));
    row.set_data_json(std::move(block.data));
    size_t links_bytes = 0;
    for (const storage::Link& link : links) {
      if (!sent_.contains(link.from_id) || !sent_.contains(link.to_id)) continue;
      // Imports once made such links. They say nothing, and none takes them now.
      if (link.from_id == link.to_id) continue;
      v1::PortableLink portable = ToPortable(link);
      links_bytes += portable.ByteSizeLong();
      if (links_bytes > kMaxRowLinksBytes) {
        RETURN_IF_ERROR(Put(std::exchange(row, {})));
        row.set_id(block.id);
        links_bytes = portable.ByteSizeLong();
      }
      *row.add_links() = std::move(portable);
    }
    return Put(std::move(row));
  }

  absl::Status Put(v1::PortableBlock row) {
    const size_t bytes = row.ByteSizeLong();
    const bool full = message_.blocks_size() == kBlocksPerMessage || bytes_ + bytes > kExportMessageBytes;
    if (full && !message_.blocks().empty()) RETURN_IF_ERROR(Send());
    bytes_ += bytes;
    *message_.add_blocks() = std::move(row);
    return absl::OkStatus();
  }

  absl::Status Send() {
    RETURN_IF_ERROR(cancellation_.Check());
    RETURN_IF_ERROR(out_.Add(message_));
    message_.Clear();
    bytes_ = 0;
    return absl::OkStatus();
  }

  storage::ReadView& view_;
  const fibers::Cancellation& cancellation_;
  MessageSpool& out_;
  v1::ExportBlocksResponse message_;
  size_t bytes_ = 0;
  std::vector<storage::Block> waiting_;  // The last one comes next.
  absl::flat_hash_set<std::string> sent_;
};

absl::Status SendAll(MessageSpool& spool, ExportWriter write) {
  v1::ExportBlocksResponse message;
  while (true) {
    ASSIGN_OR_RETURN(const bool found, spool.Next(message));
    if (!found) return absl::OkStatus();
    if (!write(message)) return MakeError(ErrorCode::kCancelled, "the client left during an export");
  }
}

// On one snapshot, which lasts as long as reading takes: what was read waits on the disk for the client.
absl::StatusOr<std::unique_ptr<MessageSpool>> ReadAll(const KnownCall& call, const Caller& caller,
                                                      const std::string& root_id,
                                                      const fibers::Cancellation& cancellation) {
  ASSIGN_OR_RETURN(std::unique_ptr<MessageSpool> spool, MessageSpool::Create(call.runtime().scratch_dir));
  const storage::ReadPatience patience = call.PatienceOf(caller, cancellation);
  RETURN_IF_ERROR(call.runtime().store.Read(caller.workspace_id, patience, [&](storage::ReadView& view) {
    return Exporter(view, cancellation, *spool).Run(root_id);
  }));
  return spool;
}

// A file that is gone when this goes.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string path) : path_(std::move(path)) {}
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

absl::Status SendFile(const std::string& path, BackupWriter write) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return absl::InternalError(absl::StrCat("cannot open the backup: ", std::strerror(errno)));
  v1::BackupResponse message;
  message.set_total_bytes(static_cast<int64_t>(std::filesystem::file_size(path)));
  absl::Status status;
  while (status.ok()) {
    std::string& chunk = *message.mutable_chunk();
    chunk.resize(kBackupChunk);
    const ssize_t count = read(fd, chunk.data(), chunk.size());
    if (count < 0) status = absl::InternalError(absl::StrCat("cannot read the backup: ", std::strerror(errno)));
    if (count <= 0) break;
    chunk.resize(static_cast<size_t>(count));
    if (!write(message)) status = MakeError(ErrorCode::kCancelled, "the client left during a backup");
    message.clear_total_bytes();
  }
  close(fd);
  return status;
}

}  // namespace

absl::Status ExportBlocks(const KnownCall& call, const v1::ExportBlocksRequest& request,
                          fibers::Cancellation& cancellation, ExportWriter write) {
  const Json params{{"rootId", request.root_id()}};
  ASSIGN_OR_RETURN(const Caller caller, call.AdmitTo("data.export", params, request.caller()));
  const auto slot = call.runtime().transfers->Enter(caller);
  if (!slot.ok()) return call.core().Record(caller, "data.export", params, slot.status());
  const auto spool = ReadAll(call, caller, request.root_id(), cancellation);
  // Nothing leaves before the log says so.
  RETURN_IF_ERROR(call.core().Record(caller, "data.export", params, spool.status()));
  return call.core().Safe(SendAll(**spool, write));
}

absl::Status Backup(const KnownCall& call, const v1::BackupRequest& request, fibers::Cancellation& cancellation,
                    BackupWriter write) {
  const ApiRuntime& runtime = call.runtime();
  const Json params = Json::object();
  ASSIGN_OR_RETURN(const Caller caller, call.AdmitTo("data.backup", params, request.caller()));
  const auto slot = runtime.transfers->Enter(caller);
  if (!slot.ok()) return call.core().Record(caller, "data.backup", params, slot.status());
  const TemporaryFile file(runtime.scratch_dir + "/backup-" + runtime.ids.NewId(runtime.clock.Now()));
  RETURN_IF_ERROR(call.core().Record(caller, "data.backup", params, runtime.store.Backup(file.path(), cancellation)));
  return call.core().Safe(SendFile(file.path(), write));
}

}  // namespace toolgate::services::api
