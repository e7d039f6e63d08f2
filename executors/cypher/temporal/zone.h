#ifndef TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_ZONE_H_
#define TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_ZONE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace toolgate::executors::cypher::temporal {

// A time zone: a fixed offset from UTC to the second, at most 18 hours, or a zone of the machine's zone database by
// name. A small value; the name is the database's and lives as long as the process. Immutable, thread-safe.
class Zone {
 public:
  static constexpr int32_t kMaxOffset = 18 * 3600;

  Zone() = default;  // UTC, as an offset.

  // Seconds east of UTC. InvalidValue beyond kMaxOffset.
  static absl::StatusOr<Zone> FromOffset(int64_t seconds);
  // "Z", "+01", "+0100", "+01:00", "+01:00:30", or a name in any case. InvalidValue when it is none of these.
  static absl::StatusOr<Zone> Parse(std::string_view text);

  bool is_offset() const { return name_.empty(); }
  // Empty for an offset.
  std::string_view name() const { return name_; }

  // The offset in force at an instant, in seconds since 1970 in UTC.
  int32_t OffsetAt(int64_t epoch_seconds) const;
  // The offset for a local time, in seconds since 1970 on the local clock. `preferred` wins when the clock shows that
  // time twice and it is one of the two offsets; otherwise the first of two, and for a skipped time the offset before
  // the gap.
  int32_t OffsetAtLocal(int64_t local_seconds, std::optional<int32_t> preferred) const;

  // The name, or the offset's text.
  std::string ToString() const;

  friend bool operator==(const Zone& a, const Zone& b) { return a.name_ == b.name_ && a.offset_ == b.offset_; }

 private:
  std::string_view name_;
  absl::TimeZone zone_;
  int32_t offset_ = 0;  // Of an offset zone; zero for a named one.
};

// "Z", "+HH:MM" or "+HH:MM:SS".
std::string OffsetText(int32_t seconds);

// The offset that a text is as a whole, in the forms of Zone::Parse; nothing when it is none.
std::optional<int32_t> ParseOffset(std::string_view text);

}  // namespace toolgate::executors::cypher::temporal

#endif  // TOOLGATE_EXECUTORS_CYPHER_TEMPORAL_ZONE_H_
