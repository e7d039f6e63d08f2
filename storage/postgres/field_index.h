// The table of the index over declared fields.
#ifndef TOOLGATE_STORAGE_POSTGRES_FIELD_INDEX_H_
#define TOOLGATE_STORAGE_POSTGRES_FIELD_INDEX_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "storage/index_entries.h"
#include "storage/postgres/session.h"
#include "storage/postgres/sql_text.h"
#include "storage/query_plan.h"

namespace toolgate::storage::postgres {

// Index rows to erase and to add, of blocks of one workspace.
class FieldChanges {
 public:
  void Add(std::string_view block_id, const IndexChange& change);
  // Queues them. A row that is to be added may be there already.
  absl::Status Write(Session& session) const;

 private:
  struct Rows {
    std::vector<int64_t> fields;
    std::vector<std::string> values;
    std::vector<std::string> ties;
    std::vector<std::string> blocks;

    void Add(std::string_view block_id, const IndexEntry& entry);
    Params ParamsFor(int64_t workspace) const { return Params::Of(workspace, fields, values, ties, blocks); }
  };

  Rows erased_;
  Rows added_;
};

// Appends a condition on rows `f` of field_values: that they are in the slice's range, or in any of its ranges.
void AppendSlice(SqlText& sql, int64_t workspace, const IndexSlice& slice);

// Numbers of rows of the slices, up to `limit` each; nothing if the index does not have all blocks.
absl::StatusOr<std::vector<int64_t>> CountSlices(Session& session, absl::Span<const IndexSlice> slices, int64_t limit);

}  // namespace toolgate::storage::postgres

#endif  // TOOLGATE_STORAGE_POSTGRES_FIELD_INDEX_H_
