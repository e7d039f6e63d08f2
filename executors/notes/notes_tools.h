// Registration of the notes tools.
#ifndef TOOLGATE_EXECUTORS_NOTES_NOTES_TOOLS_H_
#define TOOLGATE_EXECUTORS_NOTES_NOTES_TOOLS_H_

#include <vector>

#include "executors/tool.h"

namespace toolgate::executors::notes {

std::vector<ToolHandlers> NotesHandlers();

}  // namespace toolgate::executors::notes

#endif  // TOOLGATE_EXECUTORS_NOTES_NOTES_TOOLS_H_
