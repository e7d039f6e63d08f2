#include "services/api/data_api.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
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

// Children of a block, a part at a time. The view must not change meanwhile.
class ChildrenReader {
 public:
  explicit ChildrenReader(std::string parent_id) : parent_id_(std::move(parent_id)) {}

  // Nothing after the last one.
  absl::StatusOr<std::optional<storage::Block>> Next(storage::ReadView& view) {
    if (next_ == part_.size() && !is_last_) RETURN_IF_ERROR(Read(view));
    if (next_ == part_.size()) return std::nullopt;
    storage::Block& child = part_[next_++];
    rank_ = child.rank;
    id_ = child.id;
    bytes_ -= child.data.size();
    return std::move(child);
  }

  // Before a walk below the present child: keeps no more than a little of the others in memory.
  void Rest() {
    if (bytes_ <= kKeptBytes) return;
    part_.clear();
    next_ = bytes_ = 0;
    is_last_ = false;
  }

 private:
  static constexpr int64_t kPart = 16;
  static constexpr size_t kKeptBytes = size_t{64} << 10;

  absl::Status Read(storage::ReadView& view) {
    ASSIGN_OR_RETURN(part_, view.ListChildren(parent_id_, kPart, {rank_, id_}));
    next_ = bytes_ = 0;
    for (const storage::Block& child : part_) bytes_ += child.data.size();
    is_last_ = static_cast<int64_t>(part_.size()) < kPart;
    return absl::OkStatus();
  }

  const std::string parent_id_;
  std::string rank_;  // Of the present child, like the next.
  std::string id_;
  std::vector<storage::Block> part_;
  size_t next_ = 0;
  size_t bytes_ = 0;  // Of those that are left.
  bool is_last_ = false;
};

// Walks a forest depth first and hands it out in messages. Holds a part of the children of each block on the way down,
// and the ids of blocks that have links.
class Exporter {
 public:
  Exporter(storage::ReadView& view, const fibers::Cancellation& cancellation, MessageSpool& out)
      : view_(view), cancellation_(cancellation), out_(out) {}

  absl::Status Run(const std::string& root_id) {
    if (!root_id.empty()) {
      ASSIGN_OR_RETURN(storage::Block root, view_.GetBlock(root_id));
      // Out of its place it is a root itself.
      root.parent_id.clear();
      RETURN_IF_ERROR(Add(std::move(root)));
    }
    way_.emplace_back(root_id);
    while (!way_.empty()) {
      ASSIGN_OR_RETURN(std::optional<storage::Block> block, way_.back().Next(view_));
      if (!block.has_value()) {
        way_.pop_back();
        continue;
      }
      way_.back().Rest();
      way_.emplace_back(block->id);
      RETURN_IF_ERROR(Add(*std::move(block)));
    }
    return message_.blocks().empty() ? absl::OkStatus() : Send();
  }

 private:
  // With the links with blocks that have been handed out already: whoever reads them in order then knows both ends.
  absl::Status Add(storage::Block block) {
    ASSIGN_OR_RETURN(const std::vector<storage::Link> links, view_.ListLinks(block.id, kNoLimit));
    if (!links.empty()) sent_.insert(block.id);
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
  std::deque<ChildrenReader> way_;         // From the root down to the present block.
  absl::flat_hash_set<std::string> sent_;  // Of those with links.
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
  storage::ReadPatience patience = call.PatienceOf(caller, cancellation);
  patience.is_long = true;
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
