#include "common/time_zones.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"

namespace toolgate {
namespace {

constexpr char kUtc[] = "UTC";
constexpr size_t kMaxNames = 10'000;  // Of the operator's own files; the database has about 600.

// Folder in which the loader looks for the files of zones.
std::string Directory() {
  const char* const chosen = std::getenv("TZDIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/usr/share/zoneinfo";
}

// A relative path without "." and "..", as zic makes files of.
bool IsName(std::string_view name) {
  const bool clean = std::all_of(name.begin(), name.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '/' || c == '_' || c == '+' || c == '-';
  });
  return clean && !name.empty() && name.size() <= kMaxTimeZoneName &&
         absl::ascii_isalpha(static_cast<unsigned char>(name.front()));
}

// The words of each line, comments left out.
std::vector<std::vector<std::string>> ReadLines(const std::string& file, char separator) {
  std::vector<std::vector<std::string>> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.front() != '#') lines.push_back(absl::StrSplit(line, separator));
  }
  return lines;
}

}  // namespace

TimeZones::TimeZones(const std::string& directory) {
  Add(kUtc);
  if (AddSource(directory + "/tzdata.zi")) return;
  const bool has_countries = AddTable(directory + "/zone.tab");
  if (AddTable(directory + "/zone1970.tab") || has_countries) return;
  status_ = absl::NotFoundError(absl::StrCat("no time zone but UTC is known: ", directory,
                                             " has none of tzdata.zi, zone.tab and zone1970.tab, which list the "
                                             "names; install the package tzdata, or set TZDIR to its directory"));
}

const TimeZones& TimeZones::OfThisMachine() {
  static const TimeZones* const kZones = new TimeZones(Directory());
  return *kZones;
}

bool TimeZones::AddSource(const std::string& file) {
  const size_t before = names_.size();
  for (const std::vector<std::string>& words : ReadLines(file, ' ')) {
    // "Z NAME OFFSET …" and "L TARGET NAME".
    if (words.size() >= 2 && words[0] == "Z") Add(words[1]);
    if (words.size() >= 3 && words[0] == "L") Add(words[2]);
  }
  return names_.size() > before;
}

bool TimeZones::AddTable(const std::string& file) {
  const size_t before = names_.size();
  for (const std::vector<std::string>& columns : ReadLines(file, '\t')) {
    // "COUNTRIES COORDINATES NAME [COMMENT]".
    if (columns.size() >= 3) Add(columns[2]);
  }
  return names_.size() > before;
}

void TimeZones::Add(std::string_view name) {
  if (IsName(name) && names_.size() < kMaxNames) names_.try_emplace(absl::AsciiStrToLower(ToAbsl(name)), name);
}

std::optional<TimeZones::Named> TimeZones::Find(std::string_view name) const {
  if (name.size() > kMaxTimeZoneName) return std::nullopt;
  const auto found = names_.find(absl::AsciiStrToLower(ToAbsl(name)));
  Named named;
  if (found == names_.end() || !absl::LoadTimeZone(found->second, &named.zone)) return std::nullopt;
  named.name = found->second;
  return named;
}

std::optional<TimeZones::Named> FindTimeZone(std::string_view name) { return TimeZones::OfThisMachine().Find(name); }

std::string TimeZoneForm() {
  if (TimeZones::OfThisMachine().status().ok()) return "the IANA name of a time zone, such as Europe/Berlin";
  return "UTC, the only time zone known to a machine without the zone database (package tzdata)";
}

}  // namespace toolgate
