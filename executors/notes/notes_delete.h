#ifndef TOOLGATE_EXECUTORS_NOTES_NOTES_DELETE_H_
#define TOOLGATE_EXECUTORS_NOTES_NOTES_DELETE_H_

#include <optional>

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::notes {

absl::StatusOr<ToolOutput> NotesDelete(ToolContext& context, storage::Transaction& transaction);

absl::StatusOr<Preview> PreviewNotesDelete(ToolContext& context, storage::ReadView& view);
absl::StatusOr<std::optional<Rehearsal>> RehearseNotesDelete(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::notes

#endif  // TOOLGATE_EXECUTORS_NOTES_NOTES_DELETE_H_
