// Identifiers and randomness, injected so that tests can repeat them.
#ifndef TOOLGATE_COMMON_IDS_H_
#define TOOLGATE_COMMON_IDS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace toolgate {

// Thread-safe.
class IdSource {
 public:
  virtual ~IdSource() = default;

  // A new id: 26 characters of Crockford's base 32 in lower case, 48 bits of milliseconds since the Unix epoch and 80
  // random bits (the ULID layout, github.com/ulid/spec). Ids of different milliseconds sort by time.
  virtual std::string NewId(absl::Time now) = 0;

  // `count` bytes from a cryptographically strong source.
  virtual std::string RandomBytes(size_t count) = 0;

  // Seeded from the operating system.
  static IdSource& Real();
};

// The millisecond inside an id of IdSource::NewId, or nothing when `id` is not one.
std::optional<absl::Time> TimeOfId(std::string_view id);

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_IDS_H_
