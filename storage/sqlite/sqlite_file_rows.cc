#include "storage/sqlite/sqlite_file_rows.h"

#include "common/status_macros.h"
#include "storage/fault.h"

namespace toolgate::storage::sqlite {
namespace {

constexpr char kFindFile[] = "SELECT pages, change_id FROM files WHERE workspace = ? AND name = ?";
constexpr char kReadFilePage[] =
    "SELECT p.bytes FROM files f JOIN file_pages p ON p.file = f.key WHERE f.workspace = ? AND f.name = ? AND p.number "
    "= ?";
constexpr char kPutFileHead[] =
    "INSERT INTO files (workspace, name, pages, change_id) VALUES (?,?,?,?) ON CONFLICT (workspace, name) DO UPDATE "
    "SET pages = excluded.pages, change_id = excluded.change_id RETURNING key";
constexpr char kEraseFile[] = "DELETE FROM files WHERE key = ?";
constexpr char kPutFilePage[] =
    "INSERT INTO file_pages (file, number, bytes) VALUES (?,?,?) ON CONFLICT (file, number) DO UPDATE SET bytes = "
    "excluded.bytes";
constexpr char kEraseFilePages[] = "DELETE FROM file_pages WHERE file = ? AND number >= ?";

}  // namespace

absl::StatusOr<std::optional<FileHead>> SqliteFileRows::Find(std::string_view name) {
  Cursor cursor = access_.connection().Use(kFindFile);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(access_.workspace(), name).Step());
  if (!found) return std::nullopt;
  return FileHead{cursor.Int(0), std::string(cursor.Text(1))};
}

absl::StatusOr<std::map<int64_t, std::string>> SqliteFileRows::ReadPages(std::string_view name,
                                                                         absl::Span<const int64_t> numbers) {
  std::map<int64_t, std::string> pages;
  for (const int64_t number : numbers) {
    Cursor cursor = access_.connection().Use(kReadFilePage);
    ASSIGN_OR_RETURN(const bool found, cursor.Bind(access_.workspace(), name, number).Step());
    if (found) pages.emplace(number, cursor.Blob(0));
  }
  return pages;
}

absl::StatusOr<int64_t> SqliteFileRows::PutHead(std::string_view name, const FileHead& head) {
  Cursor cursor = access_.connection().Use(kPutFileHead);
  ASSIGN_OR_RETURN(const bool found, cursor.Bind(access_.workspace(), name, head.page_count, head.change_id).Step());
  if (!found) return MarkFault(absl::InternalError("a file's head was not written"));
  const int64_t key = cursor.Int(0);
  // The row is written when the statement has run to its end.
  RETURN_IF_ERROR(cursor.Step().status());
  return key;
}

absl::Status SqliteFileRows::Write(std::string_view name, const FileHead& head,
                                   const std::map<int64_t, std::string>& pages) {
  RETURN_IF_ERROR(access_.BeforeChange());
  Connection& connection = access_.connection();
  ASSIGN_OR_RETURN(const int64_t key, PutHead(name, head));
  RETURN_IF_ERROR(connection.Use(kEraseFilePages).Bind(key, head.page_count).Run());
  for (const auto& [number, bytes] : pages) {
    RETURN_IF_ERROR(connection.Use(kPutFilePage).Bind(key, number).BindBlob(bytes).Run());
  }
  return head.page_count > 0 ? absl::OkStatus() : connection.Use(kEraseFile).Bind(key).Run();
}

}  // namespace toolgate::storage::sqlite
