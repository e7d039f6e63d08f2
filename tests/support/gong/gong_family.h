// A family of one tool with a permission, a switch and settings of its own, complete in this folder, as one of
// executors would be. Only tests register it.
#ifndef TOOLGATE_TESTS_SUPPORT_GONG_GONG_FAMILY_H_
#define TOOLGATE_TESTS_SUPPORT_GONG_GONG_FAMILY_H_

#include "executors/family.h"

namespace toolgate::testing {

// "strike_gong", which answers {"strokes", "metal"} as the section "gong" of the configuration says (settings.proto).
// By default 3 strokes of bronze, for everybody with the permission "gong:strike".
executors::Family GongFamily();

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_GONG_GONG_FAMILY_H_
