#include "executors/cypher/functions/failure.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/cypher/syntax/cypher_error.h"

namespace toolgate::executors::cypher::functions {

absl::Status Failure(std::string_view kind, std::string_view detail, std::string_view message) {
  return syntax::ToStatus({.phase = syntax::ErrorPhase::kRuntime,
                           .kind = std::string(kind),
                           .detail = std::string(detail),
                           .message = std::string(message)});
}

absl::Status WrongType(std::string_view what, std::string_view needed, const values::Value& got) {
  return TypeFailure("InvalidArgumentType", absl::StrCat(ToAbsl(what), " needs ", ToAbsl(needed),
                                                         ", not a value of type ", ToAbsl(values::TypeName(got)), "."));
}

absl::Status TooLarge(std::string_view what) {
  return Failure("ResourceError", "MemoryLimitExceeded",
                 absl::StrCat(ToAbsl(what), " would exceed the query's memory limit."));
}

absl::Status TooDeep() {
  return Failure("ResourceError", "NestingTooDeep",
                 absl::StrCat("Lists and maps are nested more than ", kMaxValueDepth, " levels deep."));
}

}  // namespace toolgate::executors::cypher::functions
