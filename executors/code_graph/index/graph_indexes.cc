#include "executors/code_graph/index/graph_indexes.h"

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "executors/code_graph/index/graph_database.h"
#include "executors/directory/directories.h"

namespace toolgate::executors::code_graph::index {
namespace {

// Workspaces that are refreshed at a time. Each has processes of its own.
constexpr size_t kMaxThreads = 2;
// Workspaces that wait for a refresh. Each holds its directory open, also when no one waits for it any more.
constexpr size_t kMaxQueued = 256;

absl::Status QueueIsFull() {
  ToolError error;
  error.code = ErrorCode::kOverloaded;
  error.message = "too many code graphs are being brought up to date; try again later";
  error.retryable = true;
  return ToStatus(error);
}

std::string TemporaryFolder() {
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / "toolgate-code-graph-XXXXXX").string();
  return mkdtemp(path.data()) == nullptr ? std::string() : path;
}

}  // namespace

GraphIndexes::GraphIndexes(std::string folder, IndexOptions options)
    : is_temporary_(folder.empty()), options_(std::move(options)), folder_(std::move(folder)) {}

GraphIndexes::~GraphIndexes() {
  stop_ = true;
  std::vector<std::thread> threads;
  std::string folder;
  {
    const absl::MutexLock lock(&mutex_);
    stopping_ = true;
    threads.swap(threads_);
    folder = folder_;
  }
  for (std::thread& thread : threads) thread.join();
  FailWaiting();
  std::error_code ignored;
  if (is_temporary_ && !folder.empty()) std::filesystem::remove_all(folder, ignored);
}

void GraphIndexes::FailWaiting() {
  const absl::MutexLock lock(&mutex_);
  for (const auto& [id, workspace] : workspaces_) {
    for (const std::shared_ptr<RefreshTicket>& ticket : workspace->waiting) {
      ticket->report = absl::CancelledError("the service is stopping");
      ticket->done.Set();
    }
  }
}

std::string GraphIndexes::PathOf(std::string_view workspace_id) const {
  const absl::MutexLock lock(&mutex_);
  if (folder_.empty()) folder_ = TemporaryFolder();
  return absl::StrCat(folder_, "/", directory::FolderOfWorkspace(workspace_id), ".db");
}

std::shared_ptr<RefreshTicket> GraphIndexes::Refresh(std::string_view workspace_id,
                                                     std::shared_ptr<directory::Directory> directory) {
  auto ticket = std::make_shared<RefreshTicket>();
  const absl::MutexLock lock(&mutex_);
  if (queue_.size() >= kMaxQueued && !workspaces_.contains(ToAbsl(workspace_id))) {
    ticket->report = QueueIsFull();
    ticket->done.Set();
    return ticket;
  }
  std::unique_ptr<Workspace>& workspace = workspaces_[ToAbsl(workspace_id)];
  if (workspace == nullptr) {
    workspace = std::make_unique<Workspace>();
    workspace->id = workspace_id;
  }
  workspace->directory = std::move(directory);
  workspace->waiting.push_back(ticket);
  if (!workspace->running && !workspace->queued) Enqueue(*workspace);
  return ticket;
}

void GraphIndexes::Enqueue(Workspace& workspace) {
  workspace.queued = true;
  queue_.push_back(&workspace);
  if (static_cast<int>(queue_.size()) > idle_ && threads_.size() < kMaxThreads) {
    threads_.emplace_back([this] { Work(); });
  }
}

void GraphIndexes::GoOn(Workspace& workspace) {
  workspace.running = false;
  if (workspace.waiting.empty()) {
    workspaces_.erase(std::string(workspace.id));
  } else if (!stopping_) {
    Enqueue(workspace);
  }
}

GraphIndexes::Progress GraphIndexes::ProgressOf(std::string_view workspace_id) const {
  const absl::MutexLock lock(&mutex_);
  const auto found = workspaces_.find(ToAbsl(workspace_id));
  if (found == workspaces_.end() || !found->second->running) return {};
  return {found->second->progress.done, found->second->progress.total};
}

GraphIndexes::Load GraphIndexes::load() const {
  const absl::MutexLock lock(&mutex_);
  Load load = load_;
  load.waiting = static_cast<int64_t>(queue_.size());
  return load;
}

void GraphIndexes::Work() {
  while (true) {
    Workspace* workspace = nullptr;
    std::shared_ptr<directory::Directory> directory;
    std::vector<std::shared_ptr<RefreshTicket>> tickets;
    {
      const absl::MutexLock lock(&mutex_);
      ++idle_;
      mutex_.Await(absl::Condition(this, &GraphIndexes::HasWork));
      --idle_;
      if (stopping_) return;
      workspace = queue_.front();
      queue_.pop_front();
      workspace->queued = false;
      workspace->running = true;
      ++load_.running;
      tickets.swap(workspace->waiting);
      directory = workspace->directory;
    }
    const absl::StatusOr<RefreshReport> report = Run(workspace->id, *directory, workspace->progress);
    {
      const absl::MutexLock lock(&mutex_);
      --load_.running;
      ++(report.ok() ? load_.succeeded : load_.failed);
      GoOn(*workspace);
    }
    for (const std::shared_ptr<RefreshTicket>& ticket : tickets) {
      ticket->report = report;
      ticket->done.Set();
    }
  }
}

absl::StatusOr<RefreshReport> GraphIndexes::Run(const std::string& id, const directory::Directory& directory,
                                                RefreshProgress& progress) const {
  const std::string path = PathOf(id);
  absl::StatusOr<RefreshReport> report = RunOnce(path, directory, progress);
  if (!absl::IsDataLoss(report.status())) return report;
  ASSIGN_OR_RETURN(const std::unique_ptr<GraphDatabase> damaged, GraphDatabase::Open(path));
  RETURN_IF_ERROR(damaged->Reset());
  return RunOnce(path, directory, progress);
}

absl::StatusOr<RefreshReport> GraphIndexes::RunOnce(const std::string& path, const directory::Directory& directory,
                                                    RefreshProgress& progress) const {
  ASSIGN_OR_RETURN(const std::unique_ptr<GraphDatabase> database, GraphDatabase::Open(path));
  ASSIGN_OR_RETURN(const std::unique_ptr<storage::sqlite::Connection> connection, database->OpenToWrite());
  return index::Refresh(
      directory, *connection, options_, [this] { return !stop_; }, progress);
}

absl::StatusOr<std::unique_ptr<StoredGraph>> GraphIndexes::Open(std::string_view workspace_id) const {
  ASSIGN_OR_RETURN(const std::unique_ptr<GraphDatabase> database, GraphDatabase::Open(PathOf(workspace_id)));
  return StoredGraph::Open(*database);
}

}  // namespace toolgate::executors::code_graph::index
