// Reads a call's arguments and reports their errors.
#ifndef TOOLGATE_EXECUTORS_ARGUMENTS_H_
#define TOOLGATE_EXECUTORS_ARGUMENTS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/json.h"

namespace toolgate::executors {

// The arguments have passed the tool's schema, and its defaults are filled in: a member that has a default is there,
// and every member has its type. These never fail: an absent member reads as nothing, "", 0 or false.

// nullptr when absent or null.
const Json* FindArgument(const Json& arguments, std::string_view name);
std::optional<std::string> OptionalString(const Json& arguments, std::string_view name);
// Borrowed from `arguments`.
std::string_view StringArgument(const Json& arguments, std::string_view name);
int64_t IntegerArgument(const Json& arguments, std::string_view name);
std::optional<int64_t> OptionalInteger(const Json& arguments, std::string_view name);
bool BoolArgument(const Json& arguments, std::string_view name);

// INVALID_PARAMS with one violation. `problem` completes "<path> …" and is the message for people.
absl::Status InvalidArgument(std::string_view path, std::string_view rule, std::string_view problem,
                             std::string_view expected = "", std::string_view found = "");
// MISSING_REQUIRED with one violation.
absl::Status MissingArgument(std::string_view path, std::string_view problem);

// Returns `status` with the violations that name no place ("") moved to `path`: for an argument that the store refuses.
absl::Status AtArgument(const absl::Status& status, std::string_view path);

// Unicode characters (code points) of well-formed UTF-8, as schemas count them.
size_t CountCharacters(std::string_view text);

// A value by its kind and size, never its content: "string of 12 characters", "array of 3", "number", "null".
std::string KindOf(const Json& value);

// "a page", "an image".
std::string WithArticle(std::string_view noun);

// "a, b and c" for messages; at most `limit` names, then "…".
std::string NameList(const std::vector<std::string>& names, size_t limit = 20);

// Suggestion for the unknown name `written` among the known ones: "; did you mean \"content\"?", or nothing if none is
// similar.
std::string Suggestion(std::string_view written, const std::vector<std::string>& known);

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_ARGUMENTS_H_
