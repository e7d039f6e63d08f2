// The checks of a block's data.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_BLOCK_DATA_H_
#define TOOLGATE_EXECUTORS_BLOCKS_BLOCK_DATA_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/data_context.h"
#include "executors/blocks/database_properties.h"
#include "storage/block.h"

namespace toolgate::executors::blocks {

// The most bytes of one block's data as compact JSON.
inline constexpr size_t kMaxDataBytes = size_t{1} << 20;

// Context of the members that are checked. Borrowed.
struct Surroundings {
  const Columns* columns = nullptr;  // Of the row's database; needed for a database_row.
  const Json* present = nullptr;     // The block's whole data until now; null: it is new.
};

// Brings the members of `data`, an object, into their stored form, one by one: dates normalised, a database's
// properties given ids, a row's values checked against its database. Members that are null stay as they are, since a
// patch removes with them. INVALID_PARAMS naming the type, the field and what would be right; `path` is the prefix of
// the place, for example "/data".
absl::StatusOr<Json> CheckMembers(const BlockType& type, Json data, std::string_view path, const DataContext& context,
                                  const Surroundings& around = {});

// MISSING_REQUIRED when `data` lacks a required field.
absl::Status CheckWhole(const BlockType& type, const Json& data, std::string_view path);

// Fields that follow from others. `given` is the caller's input: the whole data of a new block, or the patch.
//  todo: completed is true exactly when status is "done"; INVALID_PARAMS when `given` says both and they disagree.
//  kanban_column: a missing status is judged from the title.
//  calendar_event: see event_data.h.
absl::Status SettleFields(const BlockType& type, const Json& given, std::string_view path, Json& data);

// "todo", "in_progress" or "done" for a column title or a status in everyday words; "todo" if no other applies.
std::string_view StatusFromName(std::string_view name);
// The same, but nothing if the name is not one of the usual words.
std::string_view KnownStatusFromName(std::string_view name);

// Data as the text that is stored, which can always be read again. INVALID_PARAMS at `path` if the data, which may come
// from arguments and templates, is nested deeper than kMaxGivenDepth or longer than kMaxDataBytes.
absl::StatusOr<std::string> DumpData(const Json& data, std::string_view path);
// A stored block's data. DATA_LOSS (for the operator) when it is not a JSON object.
absl::StatusOr<Json> ParseData(const storage::Block& block);

// One line that identifies the block: its title or the beginning of its content, at most `max_characters`.
std::string TitleOf(std::string_view type, const Json& data, size_t max_characters = 80);
// `todo "Buy milk"`, for descriptions of changes.
std::string Describe(std::string_view type, const Json& data);
// The same for a stored block; its type alone when its data cannot be read.
std::string Describe(const storage::Block& block);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_BLOCK_DATA_H_
