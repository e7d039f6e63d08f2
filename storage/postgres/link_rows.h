// The table of links.
#ifndef TOOLGATE_STORAGE_POSTGRES_LINK_ROWS_H_
#define TOOLGATE_STORAGE_POSTGRES_LINK_ROWS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "storage/postgres/session.h"
#include "storage/rows.h"

namespace toolgate::storage::postgres {

class PostgresLinkRows final : public LinkRows {
 public:
  explicit PostgresLinkRows(Session& session) : session_(session) {}

  absl::StatusOr<std::vector<Link>> Find(absl::Span<const LinkKey> keys) override;
  absl::StatusOr<std::vector<Link>> List(std::string_view block_id, int64_t limit) override;
  absl::StatusOr<std::vector<Link>> FindOfBlocks(Ids block_ids) override;
  absl::Status Erase(absl::Span<const Link> links) override;
  absl::Status Insert(absl::Span<const Link> links) override;

 private:
  absl::StatusOr<std::vector<Link>> Read(const char* sql, const Params& params);

  Session& session_;
};

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_LINK_ROWS_H_
