#include "executors/code_graph/index/refresh.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/digest.h"
#include "common/status_macros.h"
#include "executors/code_graph/index/edge_resolver.h"
#include "executors/code_graph/index/fact_builder.h"
#include "executors/code_graph/index/graph_database.h"
#include "executors/code_graph/index/graph_writer.h"
#include "executors/code_graph/index/tree_scan.h"

namespace toolgate::executors::code_graph::index {
namespace {

using directory::Directory;
using storage::sqlite::Connection;
using storage::sqlite::Cursor;

// Files of one transaction; a refresh with no more changes is atomic.
constexpr size_t kBatchFiles = 256;
// Results that wait to be written.
constexpr size_t kMaxWaiting = 64;
// Files that are worth another process.
constexpr size_t kFilesOfProcess = 8;
// File systems round their times, to two seconds at the most.
constexpr int64_t kTimeGrain = 2'000'000'000;
constexpr size_t kLookedAtForBinary = 8000;
// Files of one reader that may be too much for ctags; the ones after them are left to the next refresh.
constexpr int kMaxFailures = 100;
constexpr absl::Duration kMinTime = absl::Milliseconds(200);

struct Known {
  FileStamp stamp;
  int64_t checked = 0;
  std::string digest;
  bool seen = false;
};
using KnownFiles = absl::flat_hash_map<std::string, Known>;

struct Job {
  const FoundFile* found = nullptr;
  const Known* known = nullptr;  // Null: the file is new.
};

struct Result {
  enum class Kind { kIndexed, kSame, kGone };
  Kind kind = Kind::kIndexed;
  IndexedFile file;
};

bool IsBinary(std::string_view content) {
  return content.substr(0, kLookedAtForBinary).find('\0') != std::string_view::npos;
}

// Reads and indexes files, one after the other. Used by one thread.
class FileReader {
 public:
  FileReader(const Directory& directory, const IndexOptions& options, const std::function<bool()>& may_go_on)
      : directory_(directory), options_(options), may_go_on_(may_go_on) {}

  Result Read(const Job& job) {
    Result result;
    IndexedFile& file = result.file;
    file.path = job.found->path;
    file.stamp = job.found->stamp;
    file.checked = absl::ToUnixNanos(absl::Now());
    absl::StatusOr<ReadFile> read = ReadFileOf(directory_, file.path, options_.max_file_bytes);
    if (absl::IsNotFound(read.status())) {
      result.kind = Result::Kind::kGone;
    } else if (absl::IsResourceExhausted(read.status())) {
      file.skipped = "too large";
    } else if (!read.ok()) {
      file.skipped = "cannot be read";
    } else {
      file.stamp = read->stamp;
      file.digest = Sha256(read->content);
      if (job.known != nullptr && job.known->digest == file.digest) {
        result.kind = Result::Kind::kSame;
      } else {
        Index(read->content, file);
      }
    }
    return result;
  }

 private:
  void Index(std::string_view content, IndexedFile& file) {
    if (IsBinary(content)) {
      file.skipped = "binary";
      return;
    }
    std::vector<Tag> tags;
    const std::string name = CtagsName(file.path, content);
    if (!WantsTags(name)) {
      file.facts = BuildFacts(file.path, content, {});
      return;
    }
    if (absl::StatusOr<std::vector<Tag>> found = Tags(name, content); found.ok()) {
      tags = *std::move(found);
    } else {
      file.skipped = absl::IsFailedPrecondition(found.status()) ? "universal-ctags cannot be started"
                                                                : "too much for universal-ctags";
      const bool was_tried = !absl::IsFailedPrecondition(found.status()) && !absl::IsUnavailable(found.status());
      if (!was_tried) ForgetReading(file);
    }
    file.facts = BuildFacts(file.path, content, std::move(tags));
  }

  // Has the next refresh read the file again.
  static void ForgetReading(IndexedFile& file) {
    file.checked = 0;
    file.digest.clear();
  }

  absl::StatusOr<std::vector<Tag>> Tags(std::string_view name, std::string_view content) {
    if (failures_ >= kMaxFailures) return absl::UnavailableError("too many files were too much before");
    if (process_ == nullptr) {
      absl::StatusOr<std::unique_ptr<CtagsProcess>> started = CtagsProcess::Start(options_.ctags, Limits());
      if (!started.ok()) return absl::FailedPreconditionError(started.status().message());
      process_ = *std::move(started);
    }
    std::string rewritten;
    absl::StatusOr<std::vector<Tag>> tags = process_->Parse(name, TextForCtags(name, content, rewritten), may_go_on_);
    if (!tags.ok()) {
      // A file that is too much for one process must not harm the files after it.
      process_ = nullptr;
      ++failures_;
    }
    return tags;
  }

  // Each failure halves the time that a file may take, so that files made to take long do not add up.
  CtagsLimits Limits() const {
    CtagsLimits limits = options_.ctags_limits;
    const absl::Duration halved = limits.max_time / (1 << std::min(failures_, 20));
    limits.max_time = std::min(limits.max_time, std::max(halved, kMinTime));
    return limits;
  }

  const Directory& directory_;
  const IndexOptions& options_;
  const std::function<bool()>& may_go_on_;
  std::unique_ptr<CtagsProcess> process_;
  int failures_ = 0;
};

// Threads that read files, and the queue of what they found.
class ReaderPool {
 public:
  ReaderPool(const Directory& directory, const IndexOptions& options, const std::function<bool()>& may_go_on,
             const std::vector<Job>& jobs)
      : jobs_(jobs) {
    const size_t useful = jobs.size() / kFilesOfProcess + 1;
    const size_t count = std::min(useful, static_cast<size_t>(std::max(options.processes, 1)));
    running_ = count;
    for (size_t i = 0; i < count; ++i) {
      threads_.emplace_back([this, &directory, &options, &may_go_on] {
        FileReader reader(directory, options, may_go_on);
        Work(reader);
      });
    }
  }
  ~ReaderPool() {
    {
      const absl::MutexLock lock(&mutex_);
      stopping_ = true;
    }
    for (std::thread& thread : threads_) thread.join();
  }

  // The next result, in no order; false when there are no more.
  bool Next(Result& result) ABSL_LOCKS_EXCLUDED(mutex_) {
    const absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(this, &ReaderPool::HasResultOrEnd));
    if (results_.empty()) return false;
    result = std::move(results_.front());
    results_.pop_front();
    return true;
  }

 private:
  bool HasResultOrEnd() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return !results_.empty() || running_ == 0; }
  bool HasRoom() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return stopping_ || results_.size() < kMaxWaiting; }

  void Work(FileReader& reader) ABSL_LOCKS_EXCLUDED(mutex_) {
    for (size_t i; (i = next_.fetch_add(1)) < jobs_.size();) {
      Result result = reader.Read(jobs_[i]);
      const absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(this, &ReaderPool::HasRoom));
      if (stopping_) break;
      results_.push_back(std::move(result));
    }
    const absl::MutexLock lock(&mutex_);
    --running_;
  }

  const std::vector<Job>& jobs_;
  std::atomic<size_t> next_{0};
  absl::Mutex mutex_;
  std::deque<Result> results_ ABSL_GUARDED_BY(mutex_);
  size_t running_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

class Refresher {
 public:
  Refresher(const Directory& directory, Connection& connection, const IndexOptions& options,
            const std::function<bool()>& may_go_on, RefreshProgress& progress)
      : directory_(directory),
        connection_(connection),
        options_(options),
        may_go_on_(may_go_on),
        progress_(progress),
        writer_(connection) {}

  absl::StatusOr<RefreshReport> Run() {
    ASSIGN_OR_RETURN(const TreeScan scan, ScanTree(directory_, options_.max_files, may_go_on_));
    report_.files = static_cast<int64_t>(scan.files.size());
    report_.truncated = scan.truncated;
    RETURN_IF_ERROR(LoadKnown());
    const std::vector<Job> jobs = Compare(scan.files);
    progress_.done = 0;
    progress_.total = static_cast<int64_t>(jobs.size());
    ASSIGN_OR_RETURN(const bool was_complete, IsComplete(connection_));
    const bool has_removals = known_.size() != seen_;
    if (jobs.empty() && !has_removals && was_complete) return report_;
    in_steps_ = jobs.size() > kBatchFiles || !was_complete;
    RETURN_IF_ERROR(connection_.Execute("BEGIN IMMEDIATE"));
    const absl::Status written = Write(jobs);
    if (written.ok()) return report_;
    // The steps before are kept, and this one as far as it is; the graph stays incomplete.
    const bool keep = in_steps_ && absl::IsCancelled(written);
    if (!connection_.autocommit()) connection_.Execute(keep ? "COMMIT" : "ROLLBACK").IgnoreError();
    return written;
  }

 private:
  absl::Status LoadKnown() {
    Cursor cursor = connection_.Use("SELECT path, size, mtime, ctime, inode, checked, digest FROM files");
    while (true) {
      ASSIGN_OR_RETURN(const bool row, cursor.Step());
      if (!row) return absl::OkStatus();
      Known& known = known_[std::string(cursor.Text(0))];
      known.stamp = {cursor.Int(1), cursor.Int(2), cursor.Int(3), cursor.Int(4)};
      known.checked = cursor.Int(5);
      known.digest = cursor.Blob(6);
    }
  }

  std::vector<Job> Compare(const std::vector<FoundFile>& files) {
    std::vector<Job> jobs;
    for (const FoundFile& file : files) {
      const auto known = known_.find(file.path);
      if (known == known_.end()) {
        jobs.push_back({&file, nullptr});
        continue;
      }
      known->second.seen = true;
      ++seen_;
      // Of a change's times, this one cannot be set.
      const bool may_hide_a_change = file.stamp.ctime > known->second.checked - kTimeGrain;
      if (file.stamp != known->second.stamp || may_hide_a_change) jobs.push_back({&file, &known->second});
    }
    return jobs;
  }

  absl::Status Write(const std::vector<Job>& jobs) {
    if (in_steps_) RETURN_IF_ERROR(SetComplete(connection_, false));
    for (const auto& [path, known] : known_) {
      if (known.seen) continue;
      RETURN_IF_ERROR(writer_.Remove(path));
      ++report_.removed;
    }
    RETURN_IF_ERROR(WriteFiles(jobs));
    if (in_steps_ || writer_.changed()) {
      EdgeResolver resolver(connection_, may_go_on_);
      if (in_steps_) RETURN_IF_ERROR(NextStep());
      RETURN_IF_ERROR(in_steps_ ? resolver.ResolveAll() : resolver.ResolveChanges(writer_));
      RETURN_IF_ERROR(writer_.Sweep());
      RETURN_IF_ERROR(CountNodes(connection_));
    }
    RETURN_IF_ERROR(SetComplete(connection_, true));
    return connection_.Execute("COMMIT");
  }

  absl::Status WriteFiles(const std::vector<Job>& jobs) {
    if (jobs.empty()) return absl::OkStatus();
    ReaderPool pool(directory_, options_, may_go_on_, jobs);
    size_t written = 0;
    // A result that was found after a cancellation may lack its tags: it is not written.
    for (Result result; pool.Next(result);) {
      if (!may_go_on_()) return absl::CancelledError("the service is stopping");
      RETURN_IF_ERROR(WriteResult(result));
      ++progress_.done;
      if (++written % kBatchFiles == 0 && in_steps_) RETURN_IF_ERROR(NextStep());
    }
    return absl::OkStatus();
  }

  absl::Status WriteResult(Result& result) {
    ++report_.read;
    IndexedFile& file = result.file;
    if (result.kind == Result::Kind::kGone) return writer_.Remove(file.path);
    if (result.kind == Result::Kind::kSame) return writer_.Touch(file.path, file.stamp, file.checked);
    ++report_.changed;
    if (is_full_) {
      file.skipped = "the index is full";
      file.facts.symbols.clear();
      file.facts.imports.clear();
      file.facts.mentions = {};
    }
    return writer_.Put(file);
  }

  absl::Status NextStep() {
    ASSIGN_OR_RETURN(const int64_t bytes, DatabaseBytes(connection_));
    is_full_ = bytes > options_.max_index_bytes;
    RETURN_IF_ERROR(connection_.Execute("COMMIT"));
    return connection_.Execute("BEGIN IMMEDIATE");
  }

  const Directory& directory_;
  Connection& connection_;
  const IndexOptions& options_;
  const std::function<bool()>& may_go_on_;
  RefreshProgress& progress_;
  GraphWriter writer_;
  KnownFiles known_;
  size_t seen_ = 0;  // Of the known files.
  RefreshReport report_;
  bool in_steps_ = false;
  bool is_full_ = false;
};

}  // namespace

absl::StatusOr<RefreshReport> Refresh(const Directory& directory, Connection& connection, const IndexOptions& options,
                                      const std::function<bool()>& may_go_on, RefreshProgress& progress) {
  return Refresher(directory, connection, options, may_go_on, progress).Run();
}

}  // namespace toolgate::executors::code_graph::index
