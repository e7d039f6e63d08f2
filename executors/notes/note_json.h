// Notes in results of the notes tools: {"id", "title", "body", "parentId", "tags", "eventLinks", "createdAt",
// "updatedAt"}.
#ifndef TOOLGATE_EXECUTORS_NOTES_NOTE_JSON_H_
#define TOOLGATE_EXECUTORS_NOTES_NOTE_JSON_H_

#include <cstddef>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/tool.h"
#include "storage/block.h"

namespace toolgate::executors::notes {

// Contains at most `max_body` characters of the body; "bodyTruncated" is true if that is not all.
absl::StatusOr<Json> NoteJson(const storage::Block& note, size_t max_body);

// Result of a tool that has written a note: {"noteId", "note"}. The change is described as "<verb> note "<title>"".
absl::StatusOr<ToolOutput> WrittenNote(const storage::Block& note, std::string_view verb);

}  // namespace toolgate::executors::notes

#endif  // TOOLGATE_EXECUTORS_NOTES_NOTE_JSON_H_
