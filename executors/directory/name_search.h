// Finds the names that callers meant by those that do not exist.
#ifndef TOOLGATE_EXECUTORS_DIRECTORY_NAME_SEARCH_H_
#define TOOLGATE_EXECUTORS_DIRECTORY_NAME_SEARCH_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/directory/directory.h"

namespace toolgate::executors::directory {

// `path`, a canonical one, with each name that does not exist replaced by the one in its folder that looks the same
// (common/text/look_alike.h); names that are on the deny list are not looked at. The rest of a path that leads nowhere
// stays as it is. CONFLICT, quoting them, when several look the same. For a path that exists this is one look at it.
absl::StatusOr<std::string> FindAlike(const Directory& directory, std::string_view path);

// For what is about to be written: CONFLICT when FindAlike finds another name, which tells how to write that one. Two
// names that look the same would be two files that no one can tell apart.
absl::Status RefuseAlike(const Directory& directory, std::string_view path);

// `failed`, and when it is a NOT_FOUND for `path`, the name in its folder that is nearest to the first that does not
// exist. The name is untrusted text, and the error says so (executors/outside_quote.h).
absl::Status WithNearest(const Directory& directory, std::string_view path, const absl::Status& failed);

}  // namespace toolgate::executors::directory

#endif  // TOOLGATE_EXECUTORS_DIRECTORY_NAME_SEARCH_H_
