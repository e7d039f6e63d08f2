// Registration of the notes tools.
#ifndef TOOLGATE_EXECUTORS_NOTES_NOTES_TOOLS_H_
#define TOOLGATE_EXECUTORS_NOTES_NOTES_TOOLS_H_

#include "executors/family.h"

namespace toolgate::executors::notes {

Family NotesFamily();

}  // namespace toolgate::executors::notes

#endif  // TOOLGATE_EXECUTORS_NOTES_NOTES_TOOLS_H_
