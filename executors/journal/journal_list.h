#ifndef TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_LIST_H_
#define TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_LIST_H_

#include "absl/status/statusor.h"
#include "executors/tool.h"

namespace toolgate::executors::journal {

absl::StatusOr<ToolOutput> JournalList(ToolContext& context, storage::ReadView& view);

}  // namespace toolgate::executors::journal

#endif  // TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_LIST_H_
