// Journal entries in results of the journal tools: {"id", "title", "date", "body", "mood"?, "tags", "createdAt",
// "updatedAt"}.
#ifndef TOOLGATE_EXECUTORS_JOURNAL_ENTRY_JSON_H_
#define TOOLGATE_EXECUTORS_JOURNAL_ENTRY_JSON_H_

#include <cstddef>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/tool.h"
#include "storage/block.h"

namespace toolgate::executors::journal {

// Contains at most `max_body` characters of the body; "bodyTruncated" is true if that is not all.
absl::StatusOr<Json> EntryJson(const storage::Block& entry, size_t max_body);

// Result of a tool that has written an entry: {"entryId", "entry"}. The change is described as "<verb> journal entry
// "<title>" of <date>".
absl::StatusOr<ToolOutput> WrittenEntry(const storage::Block& entry, std::string_view verb);

}  // namespace toolgate::executors::journal

#endif  // TOOLGATE_EXECUTORS_JOURNAL_ENTRY_JSON_H_
