#ifndef TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_UPDATE_H_
#define TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_UPDATE_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::journal {

absl::StatusOr<ToolOutput> JournalUpdate(ToolContext& context, storage::Transaction& transaction);

}  // namespace toolgate::executors::journal

#endif  // TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_UPDATE_H_
