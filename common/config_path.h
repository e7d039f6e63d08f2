// Path of the configuration value that an error is about.
#ifndef TOOLGATE_COMMON_CONFIG_PATH_H_
#define TOOLGATE_COMMON_CONFIG_PATH_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace toolgate {

// `status` as one about the value at `path` ("server.listen"), so that whoever knows where that was written can say the
// line. The path also stands before the message. One that is OK, or names a path already, stays as it is.
absl::Status AtConfigPath(std::string_view path, const absl::Status& status);

// The path; "" when the error names none.
std::string ConfigPathOf(const absl::Status& status);

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_CONFIG_PATH_H_
