#include "common/build_info/build_info.h"

#ifndef TOOLGATE_VERSION
#error "the build must define TOOLGATE_VERSION"
#endif

// Builds other than CMake's name no revision.
#ifndef TOOLGATE_REVISION
#define TOOLGATE_REVISION ""
#endif

namespace toolgate::build_info {

const char* Version() { return TOOLGATE_VERSION; }
const char* Revision() { return TOOLGATE_REVISION; }

}  // namespace toolgate::build_info
