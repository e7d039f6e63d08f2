#include "storage/backends/restore.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/output_file.h"
#include "common/status_macros.h"

namespace toolgate::storage::backends {
namespace {

namespace fs = std::filesystem;

// The names that the embedded store uses in its data directory, and its mark in the file's header.
constexpr std::string_view kDatabase = "toolgate.db";
constexpr std::string_view kLock = "toolgate.lock";
constexpr uint32_t kApplicationId = 0x74676174;

struct CloseDatabase {
  void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
};
using DatabasePtr = std::unique_ptr<sqlite3, CloseDatabase>;

absl::Status SystemFailure(const std::string& what) {
  return absl::UnavailableError(absl::StrCat(what, ": ", std::strerror(errno)));
}

DatabasePtr Open(const std::string& path, int flags) {
  sqlite3* database = nullptr;
  const int result = sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
  DatabasePtr owned(database);
  return result == SQLITE_OK ? std::move(owned) : nullptr;
}

// The first column of the first row as text; "" on failure.
std::string Query(sqlite3* database, const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, sql, -1, &statement, nullptr) != SQLITE_OK) return "";
  std::string text;
  if (sqlite3_step(statement) == SQLITE_ROW) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    if (bytes != nullptr) text = bytes;
  }
  sqlite3_finalize(statement);
  return text;
}

// A URI file name, in which "?", "#" and "%" have a meaning.
std::string ImmutableUri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : fs::absolute(path).string()) {
    if (c == '?' || c == '#' || c == '%') {
      constexpr std::string_view kHex = "0123456789abcdef";
      uri += '%';
      uri += kHex[static_cast<unsigned char>(c) >> 4];
      uri += kHex[c & 15];
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

// Keeps services from starting while the database is exchanged.
class DataDirectoryLock {
 public:
  static absl::StatusOr<std::unique_ptr<DataDirectoryLock>> Take(const std::string& data_dir) {
    const std::string path = absl::StrCat(data_dir, "/", ToAbsl(kLock));
    const int descriptor = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor < 0) return SystemFailure(absl::StrCat("cannot open ", path));
    std::unique_ptr<DataDirectoryLock> lock(new DataDirectoryLock(descriptor));
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0) return lock;
    if (errno != EWOULDBLOCK) return SystemFailure(absl::StrCat("cannot lock ", path));
    return absl::FailedPreconditionError(absl::StrCat("a service uses ", data_dir, "; stop it first"));
  }
  ~DataDirectoryLock() { close(descriptor_); }

 private:
  explicit DataDirectoryLock(int descriptor) : descriptor_(descriptor) {}
  const int descriptor_;
};

absl::Status CopyInto(const std::string& file, OutputFile& copy) {
  std::ifstream in(file, std::ios::binary);
  std::vector<char> buffer(1 << 20);
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    RETURN_IF_ERROR(copy.Write(std::string_view(buffer.data(), static_cast<size_t>(in.gcount()))));
  }
  return in.bad() || !in.eof() ? absl::DataLossError(absl::StrCat("cannot read ", file)) : absl::OkStatus();
}

// Moves the content of the write-ahead log into the file, so that the file alone is the database. A damaged database
// stays unchanged: its log is then kept next to it.
void FoldLog(const std::string& database) {
  const DatabasePtr opened = Open(database, SQLITE_OPEN_READWRITE);
  if (opened != nullptr) Query(opened.get(), "PRAGMA wal_checkpoint(TRUNCATE)");
}

// Moves the old database away, with its log if that could not be folded into it.
absl::Status KeepOld(const std::string& database, const std::string& kept) {
  if (rename(database.c_str(), kept.c_str()) != 0) return SystemFailure(absl::StrCat("cannot rename ", database));
  for (const char* suffix : {"-wal", "-shm"}) {
    const std::string from = absl::StrCat(database, suffix);
    if (rename(from.c_str(), absl::StrCat(kept, suffix).c_str()) != 0 && errno != ENOENT) {
      rename(kept.c_str(), database.c_str());
      return SystemFailure(absl::StrCat("cannot rename ", from));
    }
  }
  return absl::OkStatus();
}

void PutBack(const std::string& kept, const std::string& database) {
  for (const char* suffix : {"-wal", "-shm", ""}) {
    rename(absl::StrCat(kept, suffix).c_str(), absl::StrCat(database, suffix).c_str());
  }
}

}  // namespace

absl::Status CheckDatabaseFile(const std::string& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return absl::InvalidArgumentError(absl::StrCat("there is no file ", file));
  std::array<unsigned char, 72> header = {};
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(header.data()), header.size());
  if (!in || std::memcmp(header.data(), "SQLite format 3", 16) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(file, " is not a database"));
  }
  const uint32_t application = uint32_t{header[68]} << 24 | header[69] << 16 | header[70] << 8 | header[71];
  if (application != kApplicationId) {
    return absl::InvalidArgumentError(absl::StrCat(file, " is a database, but not one that toolgate made"));
  }
  const DatabasePtr database = Open(ImmutableUri(file), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
  if (database == nullptr || Query(database.get(), "PRAGMA quick_check(1)") != "ok") {
    return absl::InvalidArgumentError(absl::StrCat(file, " is a damaged database"));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> RestoreDatabase(const std::string& file, const std::string& data_dir, absl::Time now) {
  RETURN_IF_ERROR(CheckDatabaseFile(file));
  std::error_code error;
  if (!fs::exists(data_dir, error) && fs::create_directories(data_dir, error)) chmod(data_dir.c_str(), 0700);
  if (!fs::is_directory(data_dir, error)) return absl::InvalidArgumentError(absl::StrCat(data_dir, " is not a folder"));
  ASSIGN_OR_RETURN(const std::unique_ptr<DataDirectoryLock> lock, DataDirectoryLock::Take(data_dir));
  const std::string database = absl::StrCat(data_dir, "/", ToAbsl(kDatabase));
  if (fs::equivalent(file, database, error)) {
    return absl::InvalidArgumentError(absl::StrCat(file, " is the database itself"));
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> copy, OutputFile::Create(database, /*replace=*/true));
  RETURN_IF_ERROR(CopyInto(file, *copy));
  std::string kept;
  if (fs::exists(database, error)) {
    FoldLog(database);
    kept = absl::StrCat(database, ".before-restore-", absl::FormatTime("%Y%m%dT%H%M%E3SZ", now, absl::UTCTimeZone()));
    RETURN_IF_ERROR(KeepOld(database, kept));
  }
  if (const absl::Status status = copy->Commit(); !status.ok()) {
    if (!kept.empty()) PutBack(kept, database);
    return status;
  }
  return kept;
}

}  // namespace toolgate::storage::backends
