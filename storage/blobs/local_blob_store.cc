#include "storage/blobs/local_blob_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/grpc_status_name.h"
#include "common/status_macros.h"
#include "observability/tracing/client_span.h"
#include "storage/blobs/blob_key.h"
#include "storage/blobs/durable_file.h"

namespace toolgate::storage::blobs {
namespace {

using observability::tracing::ClientSpan;
using observability::tracing::SpanKind;

constexpr char kReadSpan[] = "read blob";
constexpr char kWriteSpan[] = "write blob";

constexpr char kDefaultBase[] = "/blobs/";
constexpr std::chrono::hours kAbandoned{1};

std::string BaseOf(std::string url) {
  if (url.empty()) return kDefaultBase;
  if (!url.ends_with('/')) url.push_back('/');
  return url;
}

// Files that cannot be looked at or removed are left for the next start.
void RemoveAbandoned(const std::string& folder) {
  namespace fs = std::filesystem;
  const auto now = fs::file_time_type::clock::now();
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (!at->path().filename().string().starts_with(kUnfinished)) continue;
    const auto written = at->last_write_time(ignored);
    if (!ignored && now - written > kAbandoned) fs::remove(at->path(), ignored);
  }
}

absl::Status Noted(absl::Status status, ClientSpan& span) {
  if (!status.ok()) span.Fail(GrpcStatusName(static_cast<int>(status.code())));
  return status;
}

// Writes a file, and the folders above it.
absl::Status WriteBelow(const std::string& path, std::string_view bytes) {
  RETURN_IF_ERROR(MakeFolders(std::filesystem::path(path).parent_path().string()));
  return WriteDurably(path, bytes);
}

// Whether there is a file that is no link.
absl::StatusOr<bool> IsFile(const std::string& path) {
  struct stat info = {};
  if (lstat(path.c_str(), &info) == 0) return S_ISREG(info.st_mode);
  if (errno == ENOENT || errno == ENOTDIR) return false;
  return FileFailure(errno, "read");
}

absl::Status Unlink(const std::string& path) {
  if (unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return absl::OkStatus();
  return FileFailure(errno, "delete");
}

}  // namespace

absl::StatusOr<std::unique_ptr<LocalBlobStore>> LocalBlobStore::Create(const Options& options) {
  std::string folder = std::filesystem::absolute(options.folder).lexically_normal().string();
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  if (options.make_folder) {
    const absl::Status made = MakeFolders(folder);
    if (!made.ok() || !std::filesystem::is_directory(folder)) {
      return absl::FailedPreconditionError(
          absl::StrCat("there can be no folder ", folder, made.ok() ? "" : ": ", made.message()));
    }
  }
  RemoveAbandoned(folder);
  return std::unique_ptr<LocalBlobStore>(new LocalBlobStore(std::move(folder), BaseOf(options.public_url)));
}

std::string LocalBlobStore::PathOf(std::string_view key) const { return absl::StrCat(folder_, "/", ToAbsl(key)); }

absl::Status LocalBlobStore::Put(std::string_view key, std::string_view /*media_type*/, std::string_view bytes,
                                 const Scope& scope) {
  RETURN_IF_ERROR(CheckBlobKey(key));
  ClientSpan span(scope.span, kWriteSpan, SpanKind::kInternal);
  return Noted(WriteBelow(PathOf(key), bytes), span);
}

absl::StatusOr<std::string> LocalBlobStore::Get(std::string_view key, int64_t max_bytes, const Scope& scope) {
  RETURN_IF_ERROR(CheckBlobKey(key));
  ClientSpan span(scope.span, kReadSpan, SpanKind::kInternal);
  absl::StatusOr<std::string> bytes = ReadWhole(PathOf(key), max_bytes);
  RETURN_IF_ERROR(Noted(bytes.status(), span));
  return bytes;
}

absl::StatusOr<bool> LocalBlobStore::Has(std::string_view key, const Scope& scope) {
  RETURN_IF_ERROR(CheckBlobKey(key));
  ClientSpan span(scope.span, kReadSpan, SpanKind::kInternal);
  absl::StatusOr<bool> found = IsFile(PathOf(key));
  RETURN_IF_ERROR(Noted(found.status(), span));
  return found;
}

absl::Status LocalBlobStore::Delete(std::string_view key, const Scope& scope) {
  RETURN_IF_ERROR(CheckBlobKey(key));
  ClientSpan span(scope.span, kWriteSpan, SpanKind::kInternal);
  return Noted(Unlink(PathOf(key)), span);
}

std::string LocalBlobStore::UrlOf(std::string_view key) const { return absl::StrCat(base_, ToAbsl(key)); }

std::optional<std::string> LocalBlobStore::KeyOf(std::string_view url) const { return KeyBelow(base_, url); }

}  // namespace toolgate::storage::blobs
