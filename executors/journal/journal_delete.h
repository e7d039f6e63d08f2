#ifndef TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_DELETE_H_
#define TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_DELETE_H_

#include <optional>

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::journal {

absl::StatusOr<ToolOutput> JournalDelete(ToolContext& context, storage::Transaction& transaction);

absl::StatusOr<Preview> PreviewJournalDelete(ToolContext& context, storage::ReadView& view);
absl::StatusOr<std::optional<Rehearsal>> RehearseJournalDelete(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::journal

#endif  // TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_DELETE_H_
