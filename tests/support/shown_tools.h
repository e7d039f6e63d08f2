// Tools for tests whose results become events.
#ifndef TOOLGATE_TESTS_SUPPORT_SHOWN_TOOLS_H_
#define TOOLGATE_TESTS_SUPPORT_SHOWN_TOOLS_H_

#include "executors/family.h"

namespace toolgate::testing {

// Three reads, each with another event for its result: "show_artifact", "show_image" and "show_search". Each answers
// its argument "data", an object.
executors::Family ShownFamily();

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_SHOWN_TOOLS_H_
