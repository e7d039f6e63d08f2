// Registration of the journal tools.
#ifndef TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_TOOLS_H_
#define TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_TOOLS_H_

#include "executors/family.h"

namespace toolgate::executors::journal {

Family JournalFamily();

}  // namespace toolgate::executors::journal

#endif  // TOOLGATE_EXECUTORS_JOURNAL_JOURNAL_TOOLS_H_
