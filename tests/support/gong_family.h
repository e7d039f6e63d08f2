// A family of one tool with settings of its own, as a folder of executors would bring it.
#ifndef TOOLGATE_TESTS_SUPPORT_GONG_FAMILY_H_
#define TOOLGATE_TESTS_SUPPORT_GONG_FAMILY_H_

#include "executors/family.h"

namespace toolgate::testing {

// "strike_gong", which answers {"strokes", "metal"} as the section "gong" of the configuration says
// (gong_settings.proto). By default 3 strokes of bronze.
executors::Family GongFamily();

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_GONG_FAMILY_H_
