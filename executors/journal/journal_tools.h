// Registration of the journal tools.
#ifndef TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_TOOLS_H_
#define TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_TOOLS_H_

#include <vector>

#include "executors/tool.h"

namespace toolgate::executors::journal {

std::vector<ToolHandlers> JournalHandlers();

}  // namespace toolgate::executors::journal

#endif  // TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_TOOLS_H_
