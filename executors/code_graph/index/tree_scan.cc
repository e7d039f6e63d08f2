#include "executors/code_graph/index/tree_scan.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/fibers/cancellation.h"
#include "common/status_macros.h"
#include "executors/code_graph/index/gitignore.h"
#include "executors/directory/path.h"

namespace toolgate::executors::code_graph::index {
namespace {

using directory::Directory;
using directory::FileKind;
using directory::WalkEntry;
using directory::WalkStep;

// A longer .gitignore counts as if it were not there.
constexpr int64_t kMaxIgnoreBytes = int64_t{1} << 20;
// Paths that are looked at, folders and ignored files included, for each file that the index may have. A directory with
// more is left at that.
constexpr size_t kMaxEntriesPerFile = 20;
constexpr size_t kMinEntries = 10'000;

// The patterns that hold in a folder: its own, then those of the folders around it.
struct IgnoreRules {
  Gitignore own;
  size_t prefix = 0;  // Bytes of a path below the folder that name the folder, its slash included.
  std::shared_ptr<const IgnoreRules> outer;
};

bool IsIgnored(const IgnoreRules* rules, std::string_view path, bool is_directory) {
  for (; rules != nullptr; rules = rules->outer.get()) {
    const Gitignore::Verdict verdict = rules->own.Match(path.substr(rules->prefix), is_directory);
    if (verdict != Gitignore::Verdict::kNone) return verdict == Gitignore::Verdict::kIgnored;
  }
  return false;
}

class TreeWalk {
  // Cancels a walk.
  class Stop final : public fibers::CancellationSource {
   public:
    explicit Stop(const std::function<bool()>& may_go_on) : may_go_on_(may_go_on) {}
    bool Cancelled() const override { return !may_go_on_(); }

   private:
    const std::function<bool()>& may_go_on_;
  };

 public:
  TreeWalk(const Directory& directory, int64_t max_files, const std::function<bool()>& may_go_on)
      : directory_(directory), max_files_(static_cast<size_t>(max_files)), may_go_on_(may_go_on) {}

  absl::StatusOr<TreeScan> Run() {
    rules_[""] = RulesOf("", nullptr);
    fibers::Cancellation cancellation;
    const Stop stop(may_go_on_);
    cancellation.Watch(stop);
    const absl::Status walked = directory_.Walk("", directory::WalkDenied::kSkip, cancellation,
                                                [this](const WalkEntry& entry) { return Visit(entry); });
    if (cancellation.cancelled()) return absl::CancelledError("the service is stopping");
    RETURN_IF_ERROR(walked);
    // The walk's order is not the paths': the bound must always leave out the same files.
    LeaveOutBeyond(max_files_);
    std::sort(result_.files.begin(), result_.files.end(), IsBefore);
    return std::move(result_);
  }

 private:
  static bool IsBefore(const FoundFile& a, const FoundFile& b) { return a.path < b.path; }

  void LeaveOutBeyond(size_t most) {
    std::vector<FoundFile>& files = result_.files;
    if (files.size() <= most) return;
    std::nth_element(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(most), files.end(), IsBefore);
    files.resize(most);
    result_.truncated = true;
  }

  WalkStep Visit(const WalkEntry& entry) {
    if (++visited_ > max_files_ * kMaxEntriesPerFile + kMinEntries) {
      result_.truncated = true;
      return WalkStep::kStop;
    }
    if (entry.is_out_of_reach) {
      result_.truncated = true;
      return WalkStep::kSkipFolder;
    }
    const bool is_folder = entry.kind == FileKind::kFolder;
    if (!is_folder && entry.kind != FileKind::kFile) return WalkStep::kSkipFolder;
    const std::shared_ptr<const IgnoreRules>& rules = rules_[ToAbsl(directory::ParentOf(entry.path))];
    if (IsIgnored(rules.get(), entry.path, is_folder)) return WalkStep::kSkipFolder;
    if (is_folder) {
      std::shared_ptr<const IgnoreRules> inner = RulesOf(entry.path, rules);
      rules_[entry.path] = std::move(inner);
    } else {
      result_.files.push_back({entry.path, StampOf(entry.stat)});
      if (result_.files.size() >= 2 * max_files_) LeaveOutBeyond(max_files_);
    }
    return WalkStep::kContinue;
  }

  std::shared_ptr<const IgnoreRules> RulesOf(std::string_view folder, std::shared_ptr<const IgnoreRules> outer) const {
    const std::string path = directory::JoinPath(folder, ".gitignore");
    // Few folders have one, and to open a file takes a look at each folder above it.
    if (!directory_.MayHave(path)) return outer;
    const absl::StatusOr<ReadFile> file = ReadFileOf(directory_, path, kMaxIgnoreBytes);
    if (!file.ok()) return outer;
    auto rules = std::make_shared<IgnoreRules>();
    rules->own = Gitignore::Parse(file->content);
    rules->prefix = folder.empty() ? 0 : folder.size() + 1;
    rules->outer = std::move(outer);
    return rules;
  }

  const Directory& directory_;
  const size_t max_files_;
  const std::function<bool()>& may_go_on_;
  absl::flat_hash_map<std::string, std::shared_ptr<const IgnoreRules>> rules_;  // By folder.
  TreeScan result_;
  size_t visited_ = 0;
};

int64_t Nanoseconds(const timespec& time) { return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

}  // namespace

FileStamp StampOf(const struct stat& stat) {
  return {static_cast<int64_t>(stat.st_size), Nanoseconds(stat.st_mtim), Nanoseconds(stat.st_ctim),
          static_cast<int64_t>(stat.st_ino)};
}

absl::StatusOr<TreeScan> ScanTree(const Directory& directory, int64_t max_files,
                                  const std::function<bool()>& may_go_on) {
  return TreeWalk(directory, max_files, may_go_on).Run();
}

absl::StatusOr<ReadFile> ReadFileOf(const Directory& directory, std::string_view path, int64_t max_bytes) {
  ASSIGN_OR_RETURN(const directory::OpenFile open, directory.OpenToRead(path));
  ReadFile file;
  file.stamp = StampOf(open.stat);
  if (file.stamp.size > max_bytes) return absl::ResourceExhaustedError("the file is too long");
  // One byte more than it had, to see whether it grows meanwhile.
  file.content.resize(static_cast<size_t>(file.stamp.size) + 1);
  size_t have = 0;
  while (have < file.content.size()) {
    const ssize_t got = read(open.file.get(), file.content.data() + have, file.content.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return absl::UnavailableError(absl::StrCat("reading a file: ", std::strerror(errno)));
    if (got == 0) break;
    have += static_cast<size_t>(got);
  }
  file.content.resize(std::min(have, static_cast<size_t>(file.stamp.size)));
  return file;
}

}  // namespace toolgate::executors::code_graph::index
