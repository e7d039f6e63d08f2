// Counts of a JSON text's parts, before anything is built of it.
#ifndef TOOLGATE_COMMON_JSON_COUNT_H_
#define TOOLGATE_COMMON_JSON_COUNT_H_

#include <cstddef>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"

namespace toolgate {

struct JsonCounts {
  size_t keys = 0;
  size_t values = 0;
};

// Counts what a parser would make of `text`, in one pass and in no memory, and stops at the first part beyond the
// bounds: INVALID_ARGUMENT names the bound, its limit and the byte (from 0). A text that is not well-formed has as many
// parts as it has tokens; whether it is well-formed is the parser's to say.
absl::StatusOr<JsonCounts> CountJson(std::string_view text, const JsonLimits& limits);

// Whether a text of `bytes` is long enough to have more keys or values than `limits` allows; it may be too deep even if
// it is not. Short texts need no count.
bool MayExceedCounts(size_t bytes, const JsonLimits& limits);

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_JSON_COUNT_H_
