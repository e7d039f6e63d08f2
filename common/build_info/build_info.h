// Version and revision of this program. Both are constants of the build. Thread-safe.
#ifndef TOOLGATE_COMMON_BUILD_INFO_BUILD_INFO_H_
#define TOOLGATE_COMMON_BUILD_INFO_BUILD_INFO_H_

namespace toolgate::build_info {

// Version of the CMake project: "0.1.0".
const char* Version();

// Commit of the sources, as the CMake variable TOOLGATE_REVISION names it; empty where the build was not told.
const char* Revision();

}  // namespace toolgate::build_info

#endif  // TOOLGATE_COMMON_BUILD_INFO_BUILD_INFO_H_
