#include "executors/calendar/agenda.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/dates.h"
#include "common/status_macros.h"
#include "common/time_zones.h"
#include "executors/arguments.h"
#include "executors/blocks/block_data.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/declared_fields.h"
#include "executors/blocks/event_data.h"
#include "executors/blocks/recurrence.h"
#include "simdjson.h"
#include "storage/fault.h"

namespace toolgate::executors::calendar {
namespace {

using blocks::Recurrence;
using storage::Block;
using storage::Filter;

// The calendar days of one instant in the easternmost and the westernmost zone may differ by two days.
constexpr int kZoneDays = 2;
// Range in which an open-ended query looks for the next occurrence of a series.
constexpr int kNextOccurrenceDays = 4 * 366;
constexpr int kMinutesOfDay = 24 * 60;

// ---- Candidates -----------------------------------------------------------------------------------------------------

// Filter of the store, which does not know recurrence: selects everything that may be in the window, and some more.
Filter MayShow(const AgendaQuery& query) {
  const auto number = [](absl::CivilDay day) { return day - absl::CivilDay(1970, 1, 1); };
  const absl::CivilDay last = query.open_ended ? absl::CivilDay(9999, 12, 31) : query.last + kZoneDays;
  return blocks::OnDays({number(query.first - kZoneDays), number(last)});
}

// ---- Words ----------------------------------------------------------------------------------------------------------

// Folds case and composes `text`; ill-formed text stays unchanged.
std::string Folded(std::string_view text) {
  utf8proc_uint8_t* folded = nullptr;
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE);
  const utf8proc_ssize_t length = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                               static_cast<utf8proc_ssize_t>(text.size()), &folded, options);
  if (length < 0) return std::string(text);
  std::string out(reinterpret_cast<const char*>(folded), static_cast<size_t>(length));
  std::free(folded);
  return out;
}

std::vector<std::string> FoldedWords(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : Folded(text)) {
    if (!absl::ascii_isspace(static_cast<unsigned char>(c))) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

// ---- One block ------------------------------------------------------------------------------------------------------

// The part of a block that is needed to place it on days.
struct Entry {
  const Block* block = nullptr;
  EventTimes times;
  std::optional<absl::TimeZone> zone;      // Set for timed events whose zone differs from the caller's.
  const Recurrence* rule = nullptr;        // Of a series.
  std::optional<absl::CivilDay> rule_end;  // The last day of the rule.
  std::vector<absl::CivilDay> exceptions;  // In order.
  std::optional<absl::CivilDay> original;  // Of a changed occurrence.
  bool matches = true;                     // Type, status and words match the query.
};

// Reads blocks into entries. Each rule and zone is parsed only once, even if many events share it.
class EntryReader {
 public:
  explicit EntryReader(const AgendaQuery& query) : query_(query), words_(FoldedWords(query.text)) {}

  absl::StatusOr<Entry> Read(const Block& block) {
    simdjson::dom::object data;
    if (parser_.parse(block.data).get_object().get(data) != simdjson::SUCCESS) return Unreadable(block);
    Entry entry;
    entry.block = &block;
    Texts texts;
    for (const auto [key, value] : data) {
      if (!Take(key, value, entry, texts)) return Unreadable(block);
    }
    if (!has_date_) return Unreadable(block);
    has_date_ = false;
    if (!entry.times.minute.has_value()) {
      entry.zone.reset();
      entry.times.end_minute.reset();
    }
    entry.matches = Matches(texts);
    return entry;
  }

 private:
  struct Texts {
    std::string_view title, description, location, type = "event", status = "pending";
  };

  static absl::Status Unreadable(const Block& block) {
    return storage::MarkFault(
        absl::DataLossError(absl::StrCat("calendar event ", block.id, " holds data that is not that of an event")));
  }

  static std::optional<absl::CivilDay> ReadDay(const simdjson::dom::element& value) {
    std::string_view text;
    if (value.get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
    const absl::StatusOr<DateOrTime> day = ParseStoredDate(text);
    if (!day.ok() || day->is_instant) return std::nullopt;
    return day->day;
  }

  // False if the member does not have the form that every writer stores.
  bool Take(std::string_view key, const simdjson::dom::element& value, Entry& entry, Texts& texts) {
    if (key == "exceptions") {
      simdjson::dom::array days;
      if (value.get_array().get(days) != simdjson::SUCCESS) return false;
      for (const simdjson::dom::element item : days) {
        if (const auto day = ReadDay(item); day.has_value()) entry.exceptions.push_back(*day);
      }
      return true;
    }
    std::string_view text;
    if (value.get_string().get(text) != simdjson::SUCCESS) return true;
    if (key == "date") {
      const auto day = ReadDay(value);
      if (day.has_value()) entry.times.date = *day;
      return has_date_ = day.has_value();
    }
    if (key == "endDate") return (entry.times.end = ReadDay(value)).has_value();
    if (key == "recurrenceEnd") return (entry.rule_end = ReadDay(value)).has_value();
    if (key == "recurrenceId") return (entry.original = ReadDay(value)).has_value();
    if (key == "time") return (entry.times.minute = MinuteOfDay(text)).has_value();
    if (key == "endTime") return (entry.times.end_minute = MinuteOfDay(text)).has_value();
    if (key == "timeZone") entry.zone = ZoneNamed(text);
    if (key == "recurrence") return (entry.rule = RuleOf(text)) != nullptr;
    if (key == "title") texts.title = text;
    if (key == "description") texts.description = text;
    if (key == "location") texts.location = text;
    if (key == "type") texts.type = text;
    if (key == "status") texts.status = text;
    return true;
  }

  const Recurrence* RuleOf(std::string_view text) {
    const auto [place, added] = rules_.try_emplace(ToAbsl(text));
    if (added) {
      absl::StatusOr<Recurrence> rule = Recurrence::Parse(text);
      if (rule.ok()) place->second = std::make_unique<Recurrence>(*std::move(rule));
    }
    return place->second.get();
  }

  std::optional<absl::TimeZone> ZoneNamed(std::string_view name) {
    const auto [place, added] = zones_.try_emplace(ToAbsl(name));
    if (added) {
      const auto found = FindTimeZone(name);
      if (found.has_value() && found->zone != query_.zone) place->second = found->zone;
    }
    return place->second;
  }

  bool Matches(const Texts& texts) const {
    if (!query_.type.empty() && texts.type != query_.type) return false;
    if (!query_.status.empty() && texts.status != query_.status) return false;
    if (words_.empty()) return true;
    const std::string folded =
        Folded(absl::StrCat(ToAbsl(texts.title), "\n", ToAbsl(texts.description), "\n", ToAbsl(texts.location)));
    return std::all_of(words_.begin(), words_.end(),
                       [&](const std::string& word) { return folded.find(word) != std::string::npos; });
  }

  const AgendaQuery& query_;
  const std::vector<std::string> words_;
  simdjson::dom::parser parser_;
  bool has_date_ = false;
  absl::flat_hash_map<std::string, std::unique_ptr<const Recurrence>> rules_;
  absl::flat_hash_map<std::string, std::optional<absl::TimeZone>> zones_;
};

// ---- Placing --------------------------------------------------------------------------------------------------------

// An occurrence that is sorted and counted, but whose data is not read yet.
struct Place {
  int64_t key = 0;  // Sorts by the caller's day and time, all-day ones first.
  uint32_t entry = 0;
  absl::CivilDay day;  // First day, in its own zone.
};

int64_t KeyOf(absl::CivilDay day, std::optional<int> minute) {
  return (day - absl::CivilDay()) * (kMinutesOfDay + 1) + (minute.has_value() ? *minute + 1 : 0);
}

// Days of an occurrence that begins on `day` in the caller's calendar, and its sort key.
struct Shown {
  absl::CivilDay first;
  absl::CivilDay last;
  int64_t key = 0;
};

Shown ShownOn(const Entry& entry, absl::CivilDay day, absl::TimeZone zone) {
  const EventTimes& times = entry.times;
  const int64_t span = times.last_day() - times.date;
  // An event that ends at midnight does not extend into the next day.
  const bool ends_at_midnight = times.end_minute == 0 && span > 0;
  if (!entry.zone.has_value()) {
    return {day, day + span - (ends_at_midnight ? 1 : 0), KeyOf(day, times.minute)};
  }
  const absl::CivilSecond start = absl::ToCivilSecond(InstantOf(day, *times.minute, *entry.zone), zone);
  absl::CivilDay last(start);
  if (times.end_minute.has_value() || span > 0) {
    // Without an end time, the event lasts until the end of its last day.
    const int end_minute = times.end_minute.value_or(kMinutesOfDay);
    const absl::Time end = InstantOf(day + span, end_minute, *entry.zone);
    last = std::max(last, absl::CivilDay(absl::ToCivilSecond(end - absl::Seconds(1), zone)));
  }
  return {absl::CivilDay(start), last, KeyOf(absl::CivilDay(start), start.hour() * 60 + start.minute())};
}

class AgendaBuilder {
 public:
  AgendaBuilder(storage::ReadView& view, const AgendaQuery& query, const fibers::Cancellation& cancellation)
      : view_(view), query_(query), cancellation_(cancellation) {}

  absl::StatusOr<Agenda> Build() {
    RETURN_IF_ERROR(ReadEntries());
    for (size_t i = 0; i < entries_.size(); ++i) {
      // Checked often, because an entry may stand for thousands of occurrences.
      if ((i & 15) == 0) RETURN_IF_ERROR(cancellation_.Check());
      if (!entries_[i].matches) continue;
      if (entries_[i].rule == nullptr) {
        Add(i, entries_[i].times.date);
      } else {
        AddSeries(i);
      }
      if (places_.size() > static_cast<size_t>(kMaxOccurrences)) return TooMany();
    }
    return Render();
  }

 private:
  static absl::Status TooMany() {
    return InvalidArgument("/dateTo", "maximum",
                           absl::StrCat("more than ", kMaxOccurrences, " occurrences lie in these days; ask for fewer"),
                           "fewer days", "");
  }

  absl::Status ReadEntries() {
    storage::BlockQuery query;
    query.types = {std::string(blocks::kEvent)};
    query.filter = MayShow(query_);
    query.limit = kMaxOccurrences;
    ASSIGN_OR_RETURN(page_, view_.FindBlocks(query));
    entries_.reserve(page_.blocks.size());
    EntryReader& reader = *reader_;
    for (size_t i = 0; i < page_.blocks.size(); ++i) {
      if ((i & 255) == 0) RETURN_IF_ERROR(cancellation_.Check());
      ASSIGN_OR_RETURN(Entry entry, reader.Read(page_.blocks[i]));
      if (entry.original.has_value()) changed_[page_.blocks[i].parent_id].push_back(*entry.original);
      entries_.push_back(std::move(entry));
    }
    return absl::OkStatus();
  }

  // True if the occurrence is in the window.
  bool Add(size_t index, absl::CivilDay day) {
    const Shown shown = ShownOn(entries_[index], day, query_.zone);
    const bool is_single = entries_[index].rule == nullptr;
    if (shown.last < query_.first) return false;
    if (shown.first > query_.last && !(query_.open_ended && is_single)) return false;
    places_.push_back({shown.key, static_cast<uint32_t>(index), day});
    return true;
  }

  void AddSeries(size_t index) {
    const Entry& entry = entries_[index];
    const auto found = changed_.find(entry.block->id);
    const std::vector<absl::CivilDay>* changed = found == changed_.end() ? nullptr : &found->second;
    const int zone_days = entry.zone.has_value() ? kZoneDays : 0;
    const int64_t span = entry.times.last_day() - entry.times.date;
    const absl::CivilDay rule_end = entry.rule_end.value_or((absl::CivilDay::max)());
    const auto stands = [&](absl::CivilDay day) {
      return !std::binary_search(entry.exceptions.begin(), entry.exceptions.end(), day) &&
             (changed == nullptr || std::find(changed->begin(), changed->end(), day) == changed->end());
    };
    const absl::CivilDay last = std::min(rule_end, query_.last + zone_days);
    bool any = false;
    entry.rule->Visit(entry.times.date, query_.first - zone_days - span, last, [&](absl::CivilDay day) {
      if (stands(day)) any |= Add(index, day);
      return places_.size() <= static_cast<size_t>(kMaxOccurrences);
    });
    if (any || !query_.open_ended) return;
    entry.rule->Visit(entry.times.date, query_.last + 1, std::min(rule_end, query_.last + kNextOccurrenceDays),
                      [&](absl::CivilDay day) {
                        if (!stands(day)) return true;
                        const Shown shown = ShownOn(entry, day, query_.zone);
                        places_.push_back({shown.key, static_cast<uint32_t>(index), day});
                        return false;
                      });
  }

  absl::StatusOr<Agenda> Render() {
    Agenda agenda;
    agenda.total = static_cast<int64_t>(places_.size());
    const size_t count = std::min(places_.size(), query_.limit);
    std::partial_sort(
        places_.begin(), places_.begin() + static_cast<ptrdiff_t>(count), places_.end(),
        [](const Place& a, const Place& b) { return std::pair(a.key, a.entry) < std::pair(b.key, b.entry); });
    agenda.occurrences.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      ASSIGN_OR_RETURN(Occurrence occurrence, OccurrenceAt(places_[i]));
      agenda.occurrences.push_back(std::move(occurrence));
    }
    return agenda;
  }

  absl::StatusOr<Occurrence> OccurrenceAt(const Place& place) {
    const Entry& entry = entries_[place.entry];
    const Block& block = *entry.block;
    Occurrence occurrence;
    occurrence.event_id = block.id;
    if (entry.rule != nullptr || entry.original.has_value()) {
      occurrence.series_id = entry.original.has_value() ? block.parent_id : block.id;
      occurrence.event_id = OccurrenceId(occurrence.series_id, entry.original.value_or(place.day));
      if (entry.rule != nullptr) occurrence.recurrence = entry.rule->ToString();
    }
    occurrence.times = entry.times.MovedTo(place.day);
    const Shown shown = ShownOn(entry, place.day, query_.zone);
    occurrence.day = shown.first;
    occurrence.last_day = shown.last;
    if (entry.times.minute.has_value()) {
      occurrence.start = InstantOf(place.day, *entry.times.minute, entry.zone.value_or(query_.zone));
    }
    ASSIGN_OR_RETURN(occurrence.data, blocks::ParseData(block));
    occurrence.revision = block.version;
    if (!entry.original.has_value()) return occurrence;
    ASSIGN_OR_RETURN(const SeriesFacts* series, FactsOf(occurrence.series_id));
    occurrence.recurrence = series->recurrence;
    occurrence.revision += series->version;
    return occurrence;
  }

  // Properties of the series that a changed occurrence does not contain.
  struct SeriesFacts {
    std::string recurrence;
    int64_t version = 0;
  };

  absl::StatusOr<const SeriesFacts*> FactsOf(const std::string& series_id) {
    const auto [place, added] = facts_of_series_.try_emplace(series_id);
    if (added) {
      ASSIGN_OR_RETURN(const std::optional<Block> series, view_.FindBlock(series_id));
      if (series.has_value()) {
        ASSIGN_OR_RETURN(const Json data, blocks::ParseData(*series));
        place->second = {std::string(StringArgument(data, "recurrence")), series->version};
      }
    }
    return &place->second;
  }

  storage::ReadView& view_;
  const AgendaQuery& query_;
  const fibers::Cancellation& cancellation_;
  const std::unique_ptr<EntryReader> reader_ = std::make_unique<EntryReader>(query_);
  storage::BlockPage page_;
  std::vector<Entry> entries_;
  absl::flat_hash_map<std::string, std::vector<absl::CivilDay>> changed_;  // Original days by series.
  std::vector<Place> places_;
  absl::flat_hash_map<std::string, SeriesFacts> facts_of_series_;
};

}  // namespace

absl::StatusOr<Agenda> ReadAgenda(storage::ReadView& view, const AgendaQuery& query,
                                  const fibers::Cancellation& cancellation) {
  return AgendaBuilder(view, query, cancellation).Build();
}

Json ToJson(const Occurrence& occurrence, absl::TimeZone zone) {
  return ToJson(EventView{occurrence.event_id, occurrence.series_id, occurrence.recurrence, occurrence.data,
                          occurrence.times, occurrence.revision},
                zone);
}

}  // namespace toolgate::executors::calendar
