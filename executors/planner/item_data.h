// Conversion of planner tools' arguments to data of blocks.
//
// A planner tool takes a block's fields as its own arguments: kanban_create_card(title, dueDate), notes_update(noteId,
// body). Here they become the data that BlockWriter checks, and BlockWriter's errors about the data become errors about
// the arguments.
#ifndef TOOLGATE_EXECUTORS_PLANNER_ITEM_DATA_H_
#define TOOLGATE_EXECUTORS_PLANNER_ITEM_DATA_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/json.h"

namespace toolgate::executors::planner {

// Trims tags, and removes empty ones and those that equal an earlier tag except for case.
Json NormalisedTags(const Json& tags);

// Merge patch (RFC 7396) of the arguments with these names. null, "" and an array of tags without a tag remove the
// field. The patch does not contain missing arguments.
Json PatchOf(const Json& arguments, const std::vector<std::string>& names);

// Data of a new block from the arguments, without the fields that a patch would remove.
Json DataOf(const Json& arguments, const std::vector<std::string>& names);

// MISSING_REQUIRED, which names them, if the call gives none of the arguments `names`; null counts as given.
absl::Status CheckChanges(const Json& arguments, const std::vector<std::string>& names);

// Replaces the paths of violations in `status` with those of the arguments: "/dueDate" for "/data/dueDate".
absl::Status OfArguments(const absl::Status& status);

}  // namespace toolgate::executors::planner

#endif  // TOOLGATE_EXECUTORS_PLANNER_ITEM_DATA_H_
