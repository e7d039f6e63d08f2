// Endings of names of files.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_FILE_TYPES_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_FILE_TYPES_H_

#include <string_view>

namespace toolgate::security::safe_errors {

// Whether `name` ends in a common type of file that is no top-level domain, in either case: "logo@2x.png" and
// "lodash@4.17.21.tgz" are no addresses.
bool HasFileType(std::string_view name);

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_FILE_TYPES_H_
