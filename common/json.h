// JSON values and strict parsing.
//
// `Json` keeps the order in which an object's keys were written, because people and models read what we answer.
// Include <nlohmann/json_fwd.hpp> instead where a forward declaration is enough.
#ifndef TOOLGATE_COMMON_JSON_H_
#define TOOLGATE_COMMON_JSON_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

// Half of what this header costs a source is what nobody here uses: std::filesystem, <ranges>, and the literals'
// bodies, which instantiate the whole parser. As templates, the bodies are never instantiated.
#define JSON_HAS_FILESYSTEM 0
#define JSON_HAS_RANGES 0
// NOLINTNEXTLINE(bugprone-reserved-identifier)
#define _json(...)             \
  _json(__VA_ARGS__) = delete; \
  template <typename T>        \
  T UnusedLiteral(__VA_ARGS__)
#include "nlohmann/json.hpp"
#undef _json

namespace toolgate {

using Json = nlohmann::ordered_json;

// Bounds that a text must satisfy before it is read as JSON. The defaults are those for tool arguments.
struct JsonLimits {
  size_t max_bytes = size_t{1} << 20;
  int max_depth = 64;           // Nested arrays and objects; a scalar has depth 0.
  size_t max_keys = 10'000;     // Object members, over the whole text.
  size_t max_values = 100'000;  // Values of any kind, over the whole text.
};

// Reads exactly one JSON value (RFC 8259): strict UTF-8 without lone surrogates, no comments, no trailing commas, no
// duplicate keys, nothing but white space after the value, numbers within the range of a double. Integers beyond 64
// bits become doubles. INVALID_ARGUMENT otherwise; the message says what was wrong and at which path or byte, and
// quotes keys (at most 64 characters of one) but never values.
absl::StatusOr<Json> ParseJson(std::string_view text, const JsonLimits& limits = {});

// The compact form. `value` must hold only well-formed UTF-8, as everything that ParseJson made does; ill-formed bytes
// become U+FFFD.
std::string DumpJson(const Json& value);

// Canonical text for digests: keys sorted by bytes, no blanks, so that equal values give equal text whatever the order
// of their keys. Integral numbers print alike however they were written (1, 1.0 and 1e0 are the same value).
std::string CanonicalJson(const Json& value);

// Appends `text` as a JSON string, quotes and all; ill-formed UTF-8 becomes U+FFFD.
void AppendJsonString(std::string_view text, std::string& out);

// `token` as one segment of a JSON pointer (RFC 6901): "~" and "/" escaped.
std::string EscapePointerToken(std::string_view token);

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_JSON_H_
