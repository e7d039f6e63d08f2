#include "executors/cypher/temporal/zone.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/civil_time.h"
#include "common/absl_bridge.h"
#include "common/time_zones.h"
#include "executors/cypher/temporal/error.h"

namespace toolgate::executors::cypher::temporal {
namespace {

// Takes two digits from the front.
std::optional<int32_t> TakeTwoDigits(std::string_view* text) {
  if (text->size() < 2) return std::nullopt;
  const char tens = (*text)[0], ones = (*text)[1];
  if (!absl::ascii_isdigit(static_cast<unsigned char>(tens)) ||
      !absl::ascii_isdigit(static_cast<unsigned char>(ones))) {
    return std::nullopt;
  }
  text->remove_prefix(2);
  return (tens - '0') * 10 + (ones - '0');
}

// Minutes or seconds after the hours: a colon if the text is in the extended form, then two digits below 60.
std::optional<int32_t> TakeSixtieth(std::string_view* text, bool extended) {
  if (extended) {
    if (text->empty() || text->front() != ':') return std::nullopt;
    text->remove_prefix(1);
  }
  const std::optional<int32_t> number = TakeTwoDigits(text);
  return number.has_value() && *number < 60 ? number : std::nullopt;
}

// HH, HHMM, HHMMSS, HH:MM or HH:MM:SS, in seconds.
std::optional<int32_t> ParseOffsetDigits(std::string_view text) {
  const std::optional<int32_t> hours = TakeTwoDigits(&text);
  if (!hours.has_value()) return std::nullopt;
  const bool extended = !text.empty() && text.front() == ':';
  int32_t total = *hours * 3600;
  for (const int32_t unit : {60, 1}) {
    if (text.empty()) break;
    const std::optional<int32_t> number = TakeSixtieth(&text, extended);
    if (!number.has_value()) return std::nullopt;
    total += *number * unit;
  }
  return text.empty() ? std::optional<int32_t>(total) : std::nullopt;
}

}  // namespace

std::optional<int32_t> ParseOffset(std::string_view text) {
  if (text == "Z") return 0;
  if (text.empty() || (text.front() != '+' && text.front() != '-')) return std::nullopt;
  const std::optional<int32_t> magnitude = ParseOffsetDigits(text.substr(1));
  if (!magnitude.has_value() || *magnitude > Zone::kMaxOffset) return std::nullopt;
  return text.front() == '-' ? -*magnitude : *magnitude;
}

std::string OffsetText(int32_t seconds) {
  if (seconds == 0) return "Z";
  const int32_t magnitude = seconds < 0 ? -seconds : seconds;
  std::string text = absl::StrFormat("%s%02d:%02d", seconds < 0 ? "-" : "+", magnitude / 3600, magnitude / 60 % 60);
  if (magnitude % 60 != 0) absl::StrAppendFormat(&text, ":%02d", magnitude % 60);
  return text;
}

absl::StatusOr<Zone> Zone::FromOffset(int64_t seconds) {
  if (seconds < -kMaxOffset || seconds > kMaxOffset) {
    return InvalidValue(absl::StrCat("the offset is ", seconds, " seconds; it must be within 18 hours"));
  }
  Zone zone;
  zone.offset_ = static_cast<int32_t>(seconds);
  return zone;
}

absl::StatusOr<Zone> Zone::Parse(std::string_view text) {
  if (const std::optional<int32_t> offset = ParseOffset(text); offset.has_value()) return FromOffset(*offset);
  const std::optional<TimeZones::Named> named = FindTimeZone(text);
  if (!named.has_value()) {
    return InvalidValue(absl::StrCat("'", ToAbsl(text.substr(0, kMaxTimeZoneName)),
                                     "' is no time zone; it must be an offset within 18 hours, such as +01:00, or ",
                                     TimeZoneForm()));
  }
  Zone zone;
  zone.name_ = named->name;
  zone.zone_ = named->zone;
  return zone;
}

int32_t Zone::OffsetAt(int64_t epoch_seconds) const {
  return is_offset() ? offset_ : zone_.At(absl::FromUnixSeconds(epoch_seconds)).offset;
}

int32_t Zone::OffsetAtLocal(int64_t local_seconds, std::optional<int32_t> preferred) const {
  if (is_offset()) return offset_;
  const absl::TimeZone::TimeInfo info = zone_.At(absl::CivilSecond() + local_seconds);
  const auto offset = [&](absl::Time instant) {
    return static_cast<int32_t>(local_seconds - absl::ToUnixSeconds(instant));
  };
  const bool twice = info.kind == absl::TimeZone::TimeInfo::REPEATED;
  return twice && preferred == offset(info.post) ? *preferred : offset(info.pre);
}

std::string Zone::ToString() const { return is_offset() ? OffsetText(offset_) : std::string(name_); }

}  // namespace toolgate::executors::cypher::temporal
