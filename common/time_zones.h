// Time zones by name. The one door to absl::LoadTimeZone, which opens any path it is given ("/…", "file:…", "libc:…",
// names with "..") and keeps every name that failed for as long as the process lives.
#ifndef TOOLGATE_COMMON_TIME_ZONES_H_
#define TOOLGATE_COMMON_TIME_ZONES_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"

namespace toolgate {

// Bytes. The longest name of the zone database has 32.
inline constexpr size_t kMaxTimeZoneName = 64;

// The names that a zone database lists. Immutable, thread-safe.
class TimeZones {
 public:
  struct Named {
    std::string_view name;  // As the database spells it; lives as long as the TimeZones. Links stay links.
    absl::TimeZone zone;
  };

  // Reads the names of the database in `directory`: those of its source (tzdata.zi), or without that file those of its
  // tables of countries (zone.tab, zone1970.tab). "UTC" is known in any case.
  explicit TimeZones(const std::string& directory);

  // The names of the database that this process uses ($TZDIR, or /usr/share/zoneinfo), read at the first call.
  static const TimeZones& OfThisMachine();

  // The zone of that name, in any case. Nothing when the name is longer than kMaxTimeZoneName or not listed, without
  // handing it to the loader, and when the loader cannot read the zone's file.
  std::optional<Named> Find(std::string_view name) const;

  // NOT_FOUND says which file is missing, and what to install, when only UTC is known.
  const absl::Status& status() const { return status_; }

 private:
  // False when the directory has no such file, or no name in it.
  bool AddSource(const std::string& file);
  bool AddTable(const std::string& file);
  void Add(std::string_view name);

  absl::flat_hash_map<std::string, std::string> names_;  // Spelling by lower-case name.
  absl::Status status_;
};

// A zone of this machine.
std::optional<TimeZones::Named> FindTimeZone(std::string_view name);

// Description of a valid name, for error messages: "the IANA name of a time zone, such as Europe/Berlin".
std::string TimeZoneForm();

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_TIME_ZONES_H_
