// The arguments of planner tools as data of blocks.
//
// A planner tool takes a block's fields as its own arguments: kanban_create_card(title, dueDate), notes_update(noteId,
// body). Here they become the data that BlockWriter checks, and what BlockWriter finds wrong with the data becomes an
// error about the arguments.
#ifndef TOOLGATE_EXECUTORS_PLANNER_ITEM_DATA_H_
#define TOOLGATE_EXECUTORS_PLANNER_ITEM_DATA_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/json.h"

namespace toolgate::executors::planner {

// Trimmed, without empty ones, and without those that another one before differs from in case only.
Json NormalisedTags(const Json& tags);

// The arguments of these names as a merge patch (RFC 7396): null, "" and an array of tags without a tag remove the
// field. Arguments that are not there are not in it.
Json PatchOf(const Json& arguments, const std::vector<std::string>& names);

// The same as the data of a new block: without what a patch would remove.
Json DataOf(const Json& arguments, const std::vector<std::string>& names);

// MISSING_REQUIRED, naming them, when the call gives none of the arguments `names`; null counts as given.
absl::Status CheckChanges(const Json& arguments, const std::vector<std::string>& names);

// `status` with the paths of its violations as the caller wrote them: "/dueDate" for "/data/dueDate".
absl::Status OfArguments(const absl::Status& status);

}  // namespace toolgate::executors::planner

#endif  // TOOLGATE_EXECUTORS_PLANNER_ITEM_DATA_H_
