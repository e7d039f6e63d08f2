// The table of links.
#ifndef TOOLGATE_STORAGE_SQLITE_SQLITE_LINK_ROWS_H_
#define TOOLGATE_STORAGE_SQLITE_SQLITE_LINK_ROWS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/rows.h"
#include "storage/sqlite/row_access.h"

namespace toolgate::storage::sqlite {

class SqliteLinkRows final : public LinkRows {
 public:
  explicit SqliteLinkRows(RowAccess& access) : access_(access) {}

  absl::StatusOr<std::vector<Link>> Find(absl::Span<const LinkKey> keys) override;
  absl::StatusOr<std::vector<Link>> List(std::string_view block_id, int64_t limit) override;
  absl::StatusOr<std::vector<Link>> FindOfBlocks(Ids block_ids) override;
  absl::Status Erase(absl::Span<const Link> links) override;
  absl::Status Insert(absl::Span<const Link> links) override;

 private:
  RowAccess& access_;
};

}  // namespace toolgate::storage::sqlite

#endif  // TOOLGATE_STORAGE_SQLITE_SQLITE_LINK_ROWS_H_
