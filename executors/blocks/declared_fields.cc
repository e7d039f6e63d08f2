#include "executors/blocks/declared_fields.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/time/civil_time.h"
#include "common/dates.h"
#include "common/json.h"
#include "common/json_parser.h"
#include "executors/blocks/block_types.h"
#include "executors/blocks/event_data.h"

namespace toolgate::executors::blocks {
namespace {

using storage::DaySpan;
using storage::DeclaredField;
using storage::DeclaredType;
using Kind = storage::DeclaredField::Kind;

constexpr char kDaysField[] = "days";
constexpr char kOpenDueField[] = "openDue";
// Of days and instants, as they are stored.
constexpr size_t kDayBytes = 10;
constexpr size_t kInstantBytes = 20;
// Of EventDays and OpenDue.
constexpr int kRevision = 1;
constexpr int64_t kLastDay = (absl::CivilDay(9999, 12, 31) - absl::CivilDay(1970, 1, 1));

DeclaredField Value(std::string name) { return {.kind = Kind::kValue, .path = {std::move(name)}, .spans = nullptr}; }
DeclaredField Labels(std::string name) { return {.kind = Kind::kLabels, .path = {std::move(name)}, .spans = nullptr}; }

DeclaredType Task(std::string_view type) {
  return {.type = std::string(type),
          .scope = "task",
          .fields = {Value("dueDate"),
                     Value("status"),
                     Value("priority"),
                     Value("assignedTo"),
                     {.kind = Kind::kDerived, .path = {kOpenDueField}, .spans = nullptr, .derived = OpenDue}}};
}

DeclaredType Alone(std::string_view type, std::vector<DeclaredField> fields) {
  return {.type = std::string(type), .scope = std::string(type), .fields = std::move(fields)};
}

std::vector<DeclaredType> Types() {
  const DeclaredField days{.kind = Kind::kSpans, .path = {kDaysField}, .spans = EventDays};
  const DeclaredField properties{.kind = Kind::kMembers, .path = {"properties"}, .spans = nullptr};
  return {Task(kTodo),
          Task(kCard),
          Alone(kBoard, {}),
          Alone(kEvent, {days}),
          Alone(kNote, {Labels("tags")}),
          Alone(kJournalEntry, {Value("date"), Labels("tags")}),
          {.type = std::string(kRow), .scope = "", .fields = {properties}}};
}

std::optional<int64_t> DayAt(const simdjson::dom::object& data, std::string_view name) {
  std::string_view text;
  if (data.at_key(name).get_string().get(text) != simdjson::SUCCESS) return std::nullopt;
  const absl::StatusOr<DateOrTime> day = ParseStoredDate(text);
  if (!day.ok() || day->is_instant) return std::nullopt;
  return day->day - absl::CivilDay(1970, 1, 1);
}

bool HasText(const simdjson::dom::object& data, std::string_view name) {
  std::string_view text;
  return data.at_key(name).get_string().get(text) == simdjson::SUCCESS && !text.empty();
}

}  // namespace

const storage::DeclaredFields& BlockFields() {
  static const auto* const fields = new storage::DeclaredFields(Types(), kRevision);
  return *fields;
}

void EventDays(std::string_view data, std::vector<DaySpan>& spans) {
  thread_local simdjson::dom::parser kept;
  std::optional<simdjson::dom::parser> passing;
  simdjson::dom::object event;
  if (ParserFor(data, kept, passing).parse(data.data(), data.size()).get_object().get(event) != simdjson::SUCCESS) {
    return;
  }
  if (const std::optional<int64_t> first = DayAt(event, "date"); first.has_value()) {
    // An occurrence may last beyond the rule's end.
    const int64_t length = std::max<int64_t>(DayAt(event, "endDate").value_or(*first) - *first, 0);
    const int64_t last = HasText(event, "recurrence") ? DayAt(event, "recurrenceEnd").value_or(kLastDay) : *first;
    spans.push_back({*first, std::max(last, *first) + length});
  }
  // The occurrence that it replaces may have lasted as long as those of any series.
  if (const std::optional<int64_t> original = DayAt(event, "recurrenceId"); original.has_value()) {
    spans.push_back({*original, *original + kMaxSeriesSpanDays});
  }
}

std::string OpenDue(std::string_view data) {
  thread_local simdjson::dom::parser kept;
  std::optional<simdjson::dom::parser> passing;
  simdjson::dom::object task;
  std::string_view text;
  if (ParserFor(data, kept, passing).parse(data.data(), data.size()).get_object().get(task) != simdjson::SUCCESS ||
      task.at_key("dueDate").get_string().get(text) != simdjson::SUCCESS) {
    return "";
  }
  std::string_view status;
  if (task.at_key("status").get_string().get(status) == simdjson::SUCCESS && status == "done") return "";
  if (text.size() == kDayBytes) return std::string("d").append(text);
  return text.size() == kInstantBytes ? std::string("i").append(text) : "";
}

storage::Filter OpenAndDueBefore(absl::CivilDay day, absl::Time instant) {
  Json days = Json::array({"d", "d" + FormatDay(day)});
  Json instants = Json::array({"i", "i" + FormatInstant(instant)});
  return storage::Filter::Compare(storage::Field::Derived(kOpenDueField, OpenDue), storage::Filter::Op::kInRanges,
                                  Json::array({std::move(days), std::move(instants)}));
}

storage::Filter OnDays(const DaySpan& days) {
  return storage::Filter::Compare(storage::Field::Spans(kDaysField, EventDays), storage::Filter::Op::kOverlaps,
                                  Json::array({days.first, days.last}));
}

}  // namespace toolgate::executors::blocks
