#include "interchange/icalendar/import.h"

#include <simdjson.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/absl_bridge.h"
#include "common/dates.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "interchange/icalendar/event.h"
#include "interchange/icalendar/text.h"

namespace toolgate::interchange::icalendar {
namespace {

absl::Status CheckUtf8(std::string_view text) {
  int64_t line = 0;
  for (const absl::string_view one : absl::StrSplit(ToAbsl(text), '\n')) {
    ++line;
    if (!simdjson::validate_utf8(one.data(), one.size())) {
      return absl::InvalidArgumentError(absl::StrCat("line ", line, ": not UTF-8"));
    }
  }
  return absl::OkStatus();
}

// Collects and orders the events of a file.
class EventCollector {
 public:
  absl::Status Take(const IcalComponent& component) {
    if (component.name == "VCALENDAR") {
      for (const IcalComponent& child : component.components) RETURN_IF_ERROR(Take(child));
      return absl::OkStatus();
    }
    if (component.name != "VEVENT" && component.name != "VTODO") return absl::OkStatus();
    ASSIGN_OR_RETURN(std::optional<IcalEvent> event, ReadIcalEvent(component));
    if (!event.has_value()) {
      Warn(component.line, "a task without a date has no place in a calendar");
      return absl::OkStatus();
    }
    warnings_.insert(warnings_.end(), event->warnings.begin(), event->warnings.end());
    (event->recurrence_id.has_value() ? changed_ : events_).push_back(*std::move(event));
    return absl::OkStatus();
  }

  // Changed occurrences below their series; `give` makes one block. INVALID_ARGUMENT if more occurrences are cancelled
  // than an event can have exceptions.
  template <typename Give>
  absl::Status GiveAll(const Give& give) {
    RETURN_IF_ERROR(PlaceChanged());
    for (size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].cancelled) {
        Warn(events_[i].line, "a cancelled event");
        continue;
      }
      const std::string id = give(events_[i], "");
      for (const size_t changed : changed_of_[i]) give(changed_[changed], id);
    }
    for (const size_t alone : alone_) give(changed_[alone], "");
    return absl::OkStatus();
  }

  std::vector<std::string> TakeWarnings() { return std::move(warnings_); }

 private:
  void Warn(int64_t line, std::string_view what) {
    warnings_.push_back(absl::StrCat("line ", line, ": ", std::string(what)));
  }

  absl::Status PlaceChanged() {
    std::map<std::string, size_t> by_uid;
    for (size_t i = 0; i < events_.size(); ++i) {
      if (events_[i].data.contains("recurrence")) by_uid.emplace(events_[i].uid, i);
    }
    for (size_t i = 0; i < changed_.size(); ++i) {
      IcalEvent& changed = changed_[i];
      const auto series = by_uid.find(changed.uid);
      if (series == by_uid.end() || changed.uid.empty()) {
        if (!changed.cancelled) alone_.push_back(i);
        continue;
      }
      IcalEvent& master = events_[series->second];
      const std::string day = FormatDay(absl::CivilDay(ClockIn(*changed.recurrence_id, master.start.zone)));
      if (changed.cancelled) {
        RETURN_IF_ERROR(AddException(changed, day, master));
      } else if (taken_.emplace(series->second, day).second) {
        changed.data["recurrenceId"] = day;
        changed.data.erase("uid");
        changed_of_[series->second].push_back(i);
      } else {
        Warn(changed.line, absl::StrCat("the occurrence of ", day, " was changed before in this file"));
      }
    }
    return absl::OkStatus();
  }

  static absl::Status AddException(const IcalEvent& cancelled, const std::string& day, IcalEvent& master) {
    Json& days = master.data["exceptions"];
    if (days.is_null()) days = Json::array();
    if (std::find(days.begin(), days.end(), day) != days.end()) return absl::OkStatus();
    if (days.size() == kMaxExceptions) {
      return absl::InvalidArgumentError(absl::StrCat("line ", cancelled.line, ": the occurrence is cancelled after ",
                                                     kMaxExceptions, " exceptions, the most an event has"));
    }
    days.push_back(day);
    return absl::OkStatus();
  }

  std::vector<IcalEvent> events_;
  std::vector<IcalEvent> changed_;
  std::map<size_t, std::vector<size_t>> changed_of_;
  std::set<std::pair<size_t, std::string>> taken_;
  std::vector<size_t> alone_;  // Changed occurrences whose series is not in the file.
  std::vector<std::string> warnings_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<IcalImport>> IcalImport::Parse(std::string_view text, absl::Time now, IdSource& ids) {
  RETURN_IF_ERROR(CheckUtf8(text));
  ASSIGN_OR_RETURN(const std::vector<IcalComponent> components, ParseIcal(text));
  if (components.empty()) return absl::InvalidArgumentError("line 1: there is no BEGIN:VCALENDAR in the file");
  EventCollector events;
  for (const IcalComponent& component : components) RETURN_IF_ERROR(events.Take(component));
  std::unique_ptr<IcalImport> source(new IcalImport);
  RETURN_IF_ERROR(events.GiveAll([&](const IcalEvent& event, const std::string& parent) {
    Row row;
    row.line = event.line;
    row.block.set_id(ids.NewId(now));
    row.block.set_type("calendar_event");
    row.block.set_parent_id(parent);
    row.block.set_data_json(DumpJson(event.data));
    source->rows_.push_back(std::move(row));
    return source->rows_.back().block.id();
  }));
  source->warnings_ = events.TakeWarnings();
  return source;
}

absl::StatusOr<bool> IcalImport::Next(v1::PortableBlock& block) {
  if (next_ == rows_.size()) return false;
  block = rows_[next_++].block;
  return true;
}

std::string IcalImport::Place() const { return next_ == 0 ? "line 1" : absl::StrCat("line ", rows_[next_ - 1].line); }

double IcalImport::Fraction() const {
  return rows_.empty() ? 1 : static_cast<double>(next_) / static_cast<double>(rows_.size());
}

bool IsIcalName(const std::string& path) {
  return absl::EndsWithIgnoreCase(path, ".ics") || absl::EndsWithIgnoreCase(path, ".ical");
}

}  // namespace toolgate::interchange::icalendar
