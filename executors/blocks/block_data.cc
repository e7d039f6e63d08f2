#include "executors/blocks/block_data.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/dates.h"
#include "common/json_pointer.h"
#include "common/status_macros.h"
#include "common/stored_json.h"
#include "common/text/utf8.h"
#include "common/text/visible_text.h"
#include "common/time_zones.h"
#include "executors/arguments.h"
#include "executors/blocks/event_data.h"
#include "executors/blocks/recurrence.h"
#include "storage/fault.h"

namespace toolgate::executors::blocks {
namespace {

// One member on its way into the store.
class MemberChecker {
 public:
  MemberChecker(const BlockType& type, const Field& field, std::string_view path, const DataContext& context,
                const Surroundings& around)
      : type_(type), field_(field), path_(path), context_(context), around_(around) {}

  absl::StatusOr<Json> Check(Json value) const {
    switch (field_.kind) {
      case FieldKind::kLine:
        return Text(std::move(value), field_.max > 0 ? field_.max : kMaxLineLength, true);
      case FieldKind::kText:
        return Text(std::move(value), field_.max > 0 ? field_.max : kMaxTextLength, false);
      case FieldKind::kInteger:
        return Integer(value);
      case FieldKind::kBoolean:
        return value.is_boolean() ? absl::StatusOr<Json>(std::move(value)) : Wrong("true or false", value);
      case FieldKind::kEnum:
        return Enum(std::move(value));
      case FieldKind::kDate:
      case FieldKind::kDay:
        return Date(value);
      case FieldKind::kClockTime:
        return ClockTime(value);
      case FieldKind::kDays:
        return Days(value);
      case FieldKind::kTimeZone:
        return TimeZone(value);
      case FieldKind::kRecurrence:
        return Rule(value);
      case FieldKind::kLines:
        return Lines(std::move(value));
      case FieldKind::kTable:
        return Table(std::move(value));
      case FieldKind::kProperties:
        return Properties(value);
      case FieldKind::kFormerProperties:
        return CheckFormerProperties(value, path_);
      case FieldKind::kValues:
        if (around_.columns == nullptr) return absl::InternalError("a row's values without its database");
        return CheckValues(*around_.columns, value, path_, context_, Present());
      case FieldKind::kSteps:
        return Steps(std::move(value));
      case FieldKind::kObject:
        return value.is_object() ? absl::StatusOr<Json>(std::move(value)) : Wrong("an object", value);
    }
    return absl::InternalError("a field of no known kind");
  }

 private:
  absl::Status Wrong(std::string_view expected, const Json& found) const { return Wrong(expected, found, path_); }
  absl::Status Wrong(std::string_view expected, const Json& found, std::string_view path) const {
    return InvalidArgument(
        path, "type",
        absl::StrCat(ToAbsl(type_.name), " field \"", ToAbsl(field_.name), "\" must be ", ToAbsl(expected)), expected,
        KindOf(found));
  }

  static bool IsText(const Json& value, int64_t max, bool one_line) {
    if (!value.is_string()) return false;
    const std::string& text = value.get_ref<const std::string&>();
    return text::CountCharacters(text) <= static_cast<size_t>(max) &&
           (!one_line || text.find_first_of("\r\n") == std::string::npos);
  }

  absl::StatusOr<Json> Text(Json value, int64_t max, bool one_line) const {
    if (IsText(value, max, one_line)) return value;
    return Wrong(absl::StrCat("a string of at most ", max, " characters", one_line ? " on one line" : ""), value);
  }

  absl::StatusOr<Json> Integer(const Json& value) const {
    const bool whole = value.is_number() && std::trunc(value.get<double>()) == value.get<double>();
    if (!whole || value.get<double>() < static_cast<double>(field_.min) ||
        value.get<double>() > static_cast<double>(field_.max)) {
      return Wrong(absl::StrCat("a whole number from ", field_.min, " to ", field_.max), value);
    }
    return Json(static_cast<int64_t>(value.get<double>()));
  }

  absl::StatusOr<Json> Enum(Json value) const {
    if (value.is_string() && std::find(field_.values.begin(), field_.values.end(),
                                       value.get_ref<const std::string&>()) != field_.values.end()) {
      return value;
    }
    return Wrong(absl::StrCat("one of ", NameList({field_.values.begin(), field_.values.end()})), value);
  }

  absl::StatusOr<Json> Date(const Json& value) const {
    const absl::StatusOr<DateOrTime> date =
        value.is_string() ? ParseDate(value.get_ref<const std::string&>(), context_.now, context_.zone)
                          : absl::InvalidArgumentError("");
    if (!date.ok()) return Wrong(absl::StrCat("a date: ", ToAbsl(kDateForms)), value);
    if (field_.kind == FieldKind::kDay && date->is_instant)
      return Json(FormatDay(absl::ToCivilDay(date->instant, context_.zone)));
    return Json(FormatDate(*date));
  }

  absl::StatusOr<Json> ClockTime(const Json& value) const {
    const absl::StatusOr<std::string> time =
        value.is_string() ? ParseClockTime(value.get_ref<const std::string&>()) : absl::InvalidArgumentError("");
    return time.ok() ? absl::StatusOr<Json>(*time) : Wrong("a time of day as HH:MM", value);
  }

  absl::StatusOr<Json> Days(const Json& value) const {
    const std::string wanted = absl::StrCat("an array of at most ", MaxElements(), " days");
    if (!value.is_array() || value.size() > MaxElements()) return Wrong(wanted, value);
    std::set<std::string> days;
    for (const Json& item : value) {
      const absl::StatusOr<DateOrTime> day =
          item.is_string() ? ParseDate(item.get_ref<const std::string&>(), context_.now, context_.zone)
                           : absl::InvalidArgumentError("");
      if (!day.ok()) return Wrong(absl::StrCat(wanted, ", each as ", ToAbsl(kDateForms)), item);
      days.insert(FormatDay(day->is_instant ? absl::ToCivilDay(day->instant, context_.zone) : day->day));
    }
    return Json(days);
  }

  // Stored as the zone database spells it.
  absl::StatusOr<Json> TimeZone(const Json& value) const {
    const auto found = value.is_string() ? FindTimeZone(value.get_ref<const std::string&>()) : std::nullopt;
    return found.has_value() ? absl::StatusOr<Json>(found->name) : Wrong(TimeZoneForm(), value);
  }

  absl::StatusOr<Json> Rule(const Json& value) const {
    if (!value.is_string()) return Wrong("an RFC 5545 rule such as FREQ=WEEKLY;BYDAY=MO", value);
    const absl::StatusOr<Recurrence> rule = Recurrence::Parse(value.get_ref<const std::string&>());
    if (rule.ok()) return Json(rule->ToString());
    return InvalidArgument(path_, "format", absl::StrCat("the recurrence ", rule.status().message()),
                           "an RFC 5545 rule such as FREQ=WEEKLY;BYDAY=MO", KindOf(value));
  }

  size_t MaxElements() const { return static_cast<size_t>(field_.max > 0 ? field_.max : kMaxListLength); }

  absl::StatusOr<Json> Lines(Json value) const {
    const bool right =
        value.is_array() && value.size() <= MaxElements() &&
        std::all_of(value.begin(), value.end(), [](const Json& item) { return IsText(item, kMaxLineLength, true); });
    if (right) return value;
    return Wrong(absl::StrCat("an array of at most ", MaxElements(), " strings of one line"), value);
  }

  absl::StatusOr<Json> Table(Json value) const {
    const auto is_cell = [](const Json& cell) { return IsText(cell, kMaxTextLength, false); };
    const auto is_row = [&](const Json& row) { return row.is_array() && std::all_of(row.begin(), row.end(), is_cell); };
    if (value.is_array() && value.size() <= MaxElements() && std::all_of(value.begin(), value.end(), is_row)) {
      return value;
    }
    return Wrong(absl::StrCat("an array of at most ", MaxElements(), " rows, each an array of strings"), value);
  }

  // Value that the block holds under the field's name.
  const Json* Present() const {
    return around_.present == nullptr ? nullptr : FindArgument(*around_.present, field_.name);
  }

  absl::StatusOr<Json> Properties(const Json& value) const {
    Columns present;
    if (around_.present != nullptr) {
      ASSIGN_OR_RETURN(present, ReadColumns(*around_.present));
    }
    return CheckProperties(value, path_, context_, present);
  }

  absl::StatusOr<Json> Steps(Json value) const {
    if (!value.is_array() || value.empty() || value.size() > MaxElements()) {
      return Wrong(absl::StrCat("an array of 1 to ", MaxElements(), " steps {tool, arguments}"), value);
    }
    for (size_t i = 0; i < value.size(); ++i) {
      Json& step = value[i];
      const std::string place = absl::StrCat(ToAbsl(path_), "/", i);
      const Json* tool = FindArgument(step, "tool");
      const Json* arguments = FindArgument(step, "arguments");
      if (tool == nullptr || !IsText(*tool, 128, true) || tool->get_ref<const std::string&>().empty()) {
        return Wrong("steps that each name a tool", step, place);
      }
      if (arguments != nullptr && !arguments->is_object()) {
        return Wrong("steps whose arguments are objects", *arguments, JoinPointer(place, "arguments"));
      }
      if (step.size() > (arguments == nullptr ? 1u : 2u)) {
        return Wrong("steps with only the members tool and arguments", step, place);
      }
      if (arguments == nullptr) step["arguments"] = Json::object();
    }
    return value;
  }

  const BlockType& type_;
  const Field& field_;
  std::string_view path_;
  const DataContext& context_;
  const Surroundings& around_;
};

absl::Status UnknownField(const BlockType& type, std::string_view path, std::string_view name) {
  std::vector<std::string> known;
  for (const Field& field : type.fields) known.emplace_back(field.name);
  known.emplace_back("meta");
  const std::string_view quoted = name.substr(0, 64);
  return InvalidArgument(
      JoinPointer(path, quoted), "additionalProperties",
      absl::StrCat(WithArticle(type.name), " has no field \"", ToAbsl(quoted), "\"", Suggestion(quoted, known),
                   "; it has ", NameList(known), "; anything else goes into \"meta\""),
      NameList(known), "unknown field");
}

absl::Status SettleTodo(const Json& given, std::string_view path, Json& data) {
  const Json* completed = FindArgument(given, "completed");
  const Json* status = FindArgument(given, "status");
  if (completed != nullptr && status != nullptr && completed->get<bool>() != (*status == "done")) {
    return InvalidArgument(
        JoinPointer(path, "status"), "consistency",
        "todo fields \"completed\" and \"status\" contradict each other: completed is true exactly when "
        "status is \"done\"",
        "completed true with status \"done\", or false with another");
  }
  if (status != nullptr) {
    data["completed"] = *status == "done";
  } else if (completed != nullptr) {
    const bool was_done = StringArgument(data, "status") == "done";
    if (completed->get<bool>()) {
      data["status"] = "done";
    } else if (was_done || FindArgument(data, "status") == nullptr) {
      data["status"] = "todo";
    }
  } else {
    // Neither was given, but a patch may have removed one of them.
    if (FindArgument(data, "status") == nullptr) data["status"] = BoolArgument(data, "completed") ? "done" : "todo";
    data["completed"] = data["status"] == "done";
  }
  return absl::OkStatus();
}

std::string Folded(std::string_view name) {
  std::string folded;
  for (const char c : name) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c))) {
      folded += absl::ascii_tolower(static_cast<unsigned char>(c));
    } else if (!folded.empty() && folded.back() != ' ') {
      folded += ' ';
    }
  }
  while (!folded.empty() && folded.back() == ' ') folded.pop_back();
  return folded;
}

std::string Shortened(std::string_view text, size_t max_characters) {
  size_t characters = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xC0) != 0x80 && characters++ == max_characters) {
      return absl::StrCat(ToAbsl(text.substr(0, i)), "…");
    }
  }
  return std::string(text);
}

bool IsDeeperThan(const Json& value, int depth) {
  if (!value.is_structured()) return false;
  return depth == 0 ||
         std::any_of(value.begin(), value.end(), [depth](const Json& item) { return IsDeeperThan(item, depth - 1); });
}

}  // namespace

absl::StatusOr<Json> CheckMembers(const BlockType& type, Json data, std::string_view path, const DataContext& context,
                                  const Surroundings& around) {
  if (!data.is_object()) return InvalidArgument(path, "type", "data must be an object", "object", KindOf(data));
  for (auto& member : data.get_ref<Json::object_t&>()) {
    const Field* field = type.FindField(member.first);
    if (field == nullptr) return UnknownField(type, path, member.first);
    if (member.second.is_null()) continue;
    const std::string place = JoinPointer(path, member.first);
    ASSIGN_OR_RETURN(member.second,
                     MemberChecker(type, *field, place, context, around).Check(std::move(member.second)));
  }
  return data;
}

absl::Status CheckWhole(const BlockType& type, const Json& data, std::string_view path) {
  for (const Field& field : type.fields) {
    if (!field.required || FindArgument(data, field.name) != nullptr) continue;
    return MissingArgument(JoinPointer(path, field.name),
                           absl::StrCat(WithArticle(type.name), " needs the field \"", ToAbsl(field.name), "\""));
  }
  return absl::OkStatus();
}

absl::Status SettleFields(const BlockType& type, const Json& given, std::string_view path, Json& data) {
  if (type.name == kTodo) return SettleTodo(given, path, data);
  if (type.name == kEvent) return SettleEvent(path, data);
  if (type.name == kColumn && FindArgument(data, "status") == nullptr) {
    data["status"] = std::string(StatusFromName(StringArgument(data, "title")));
  }
  return absl::OkStatus();
}

std::string_view KnownStatusFromName(std::string_view name) {
  constexpr std::array<std::string_view, 9> kDoneNames = {"done",    "completed", "complete", "finished", "closed",
                                                          "shipped", "resolved",  "released", "archived"};
  constexpr std::array<std::string_view, 9> kInProgressNames = {
      "in progress", "inprogress", "doing", "started", "wip", "active", "working on", "in review", "review"};
  constexpr std::array<std::string_view, 9> kTodoNames = {"todo", "to do",   "backlog", "open",   "new",
                                                          "next", "planned", "inbox",   "pending"};
  const std::string folded = Folded(name);
  const auto is_in = [&](const auto& words) { return std::find(words.begin(), words.end(), folded) != words.end(); };
  if (is_in(kDoneNames)) return "done";
  if (is_in(kInProgressNames)) return "in_progress";
  if (is_in(kTodoNames)) return "todo";
  return "";
}

std::string_view StatusFromName(std::string_view name) {
  const std::string_view known = KnownStatusFromName(name);
  return known.empty() ? "todo" : known;
}

absl::StatusOr<std::string> DumpData(const Json& data, std::string_view path) {
  if (IsDeeperThan(data, kMaxGivenDepth)) {
    const std::string expected = absl::StrCat("at most ", kMaxGivenDepth, " levels");
    return InvalidArgument(path, "maxDepth", absl::StrCat("a block's data is nested ", expected), expected,
                           "more levels");
  }
  std::string text = DumpJson(data);
  if (text.size() <= kMaxDataBytes) return text;
  return InvalidArgument(path, "maxLength", "a block's data is at most 1 MiB of JSON", "at most 1 MiB",
                         absl::StrCat(text.size(), " bytes"));
}

absl::StatusOr<Json> ParseData(const storage::Block& block) {
  absl::StatusOr<Json> data = ParseJson(block.data, kStoredJson);
  if (!data.ok() || !data->is_object()) {
    return storage::MarkFault(
        absl::DataLossError(absl::StrCat("block ", block.id, " holds data that is not a JSON object")));
  }
  return data;
}

std::string TitleOf(std::string_view type, const Json& data, size_t max_characters) {
  const BlockType* known = FindBlockType(type);
  if (known == nullptr || known->title_field.empty()) return "";
  std::string_view text = StringArgument(data, known->title_field);
  text = text.substr(0, text.find('\n'));
  return Shortened(text, max_characters);
}

std::string Describe(std::string_view type, const Json& data) {
  const std::string title = TitleOf(type, data);
  return title.empty() ? std::string(type) : absl::StrCat(ToAbsl(type), " ", text::Quoted(title));
}

std::string Describe(const storage::Block& block) {
  const absl::StatusOr<Json> data = ParseData(block);
  return data.ok() ? Describe(block.type, *data) : block.type;
}

}  // namespace toolgate::executors::blocks
