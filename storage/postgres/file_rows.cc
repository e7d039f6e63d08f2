#include "storage/postgres/file_rows.h"

#include "common/status_macros.h"

namespace toolgate::storage::postgres {
namespace {

constexpr char kFindFile[] = "SELECT pages, change_id FROM toolgate.files WHERE workspace = $1 AND name = $2";
constexpr char kReadFilePages[] =
    "SELECT number, bytes FROM toolgate.file_pages WHERE workspace = $1 AND name = $2 AND number = ANY($3::bigint[])";
constexpr char kPutFileHead[] =
    "INSERT INTO toolgate.files (workspace, name, pages, change_id) VALUES ($1,$2,$3,$4) ON CONFLICT (workspace, name) "
    "DO UPDATE SET pages = excluded.pages, change_id = excluded.change_id";
constexpr char kEraseFile[] = "DELETE FROM toolgate.files WHERE workspace = $1 AND name = $2";
constexpr char kPutFilePages[] =
    "INSERT INTO toolgate.file_pages (workspace, name, number, bytes) SELECT $1, $2, * FROM unnest($3::bigint[], "
    "$4::bytea[]) ON CONFLICT (workspace, name, number) DO UPDATE SET bytes = excluded.bytes";
constexpr char kEraseFilePages[] =
    "DELETE FROM toolgate.file_pages WHERE workspace = $1 AND name = $2 AND number >= $3";

}  // namespace

absl::StatusOr<std::optional<FileHead>> PostgresFileRows::Find(std::string_view name) {
  ASSIGN_OR_RETURN(const Result found, session_.Query(kFindFile, Params::Of(session_.workspace(), name)));
  if (found.empty()) return std::nullopt;
  return FileHead{found[0].Int(0), found[0].String(1)};
}

absl::StatusOr<std::map<int64_t, std::string>> PostgresFileRows::ReadPages(std::string_view name,
                                                                           absl::Span<const int64_t> numbers) {
  std::map<int64_t, std::string> pages;
  RETURN_IF_ERROR(session_.Stream(kReadFilePages, Params::Of(session_.workspace(), name, numbers), [&](const Row& row) {
    pages.emplace(row.Int(0), row.String(1));
    return absl::OkStatus();
  }));
  return pages;
}

absl::Status PostgresFileRows::Write(std::string_view name, const FileHead& head,
                                     const std::map<int64_t, std::string>& pages) {
  const int64_t workspace = session_.workspace();
  if (head.page_count > 0) {
    RETURN_IF_ERROR(session_.Write(kPutFileHead, Params::Of(workspace, name, head.page_count, head.change_id)));
  } else {
    RETURN_IF_ERROR(session_.Write(kEraseFile, Params::Of(workspace, name)));
  }
  RETURN_IF_ERROR(session_.Write(kEraseFilePages, Params::Of(workspace, name, head.page_count)));
  if (pages.empty()) return absl::OkStatus();
  std::vector<int64_t> numbers;
  std::vector<std::string_view> bytes;
  for (const auto& [number, page] : pages) {
    numbers.push_back(number);
    bytes.emplace_back(page);
  }
  return session_.Write(kPutFilePages, Params::Of(workspace, name, numbers, bytes));
}

}  // namespace toolgate::storage::postgres
