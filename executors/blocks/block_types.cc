#include "executors/blocks/block_types.h"

#include <algorithm>

namespace toolgate::executors::blocks {
namespace {

using enum FieldKind;

constexpr int64_t kMaxTitleLength = kMaxLineLength;

Field Title(std::string_view description) { return {"title", kLine, description, true, kMaxTitleLength}; }
Field Content(std::string_view description) { return {"content", kText, description, true, kMaxTextLength}; }
Field Description() { return {"description", kText, "More about it, as Markdown.", false, kMaxTextLength}; }
Field Tags() { return {"tags", kLines, "Short labels.", false, 100}; }
Field Status() { return {"status", kEnum, "How far it is.", false, 0, 0, {"todo", "in_progress", "done"}}; }
Field Priority() {
  return {"priority", kEnum, "How much it matters.", false, 0, 0, {"low", "medium", "high", "critical"}};
}
Field DueDate() { return {"dueDate", kDate, "When it is due: a day, or a day and time."}; }
Field AssignedTo() { return {"assignedTo", kLine, "Id of the user whose task it is.", false, 128}; }
Field EventLinks() { return {"eventLinks", kLines, "Ids of calendar events that belong to it.", false, 100}; }

std::vector<BlockType> TextTypes() {
  return {
      {"page",
       "A document; its content is the blocks below it.",
       "title",
       {},
       {Title("The page's name."), {"icon", kLine, "An emoji or a short name.", false, 64}, Description(), Tags()}},
      {"paragraph", "Running text.", "content", {}, {Content("The text, as Markdown.")}},
      {"heading",
       "A heading.",
       "content",
       {},
       {{"content", kLine, "The heading's text.", true, kMaxTitleLength},
        {"level", kInteger, "1 is the largest.", false, 6, 1}}},
      {"todo",
       "A task with a box to tick.",
       "content",
       {},
       {Content("What is to be done."),
        {"completed", kBoolean, "True exactly when status is \"done\"; either one sets the other."},
        Status(),
        Priority(),
        DueDate(),
        AssignedTo(),
        Tags(),
        Description()}},
      {"bulleted_list_item", "An item of a list.", "content", {}, {Content("The item's text.")}},
      {"numbered_list_item", "An item of a numbered list.", "content", {}, {Content("The item's text.")}},
      {"quote", "Quoted text.", "content", {}, {Content("The text.")}},
      {"callout",
       "Text that stands out.",
       "content",
       {},
       {Content("The text."), {"icon", kLine, "An emoji or a short name.", false, 64}}},
      {"code",
       "Program text.",
       "content",
       {},
       {Content("The code."), {"language", kLine, "Its language, for example \"cpp\".", false, 64}}},
      {"table",
       "A simple table of texts; for typed columns use a database.",
       "",
       {},
       {{"header", kLines, "The columns' names.", false, 100}, {"rows", kTable, "Rows of cells.", true, 10'000}}},
      {"divider", "A line between blocks.", "", {}, {}},
      {"image",
       "A picture.",
       "caption",
       {},
       {{"url", kLine, "Where it is.", true, 2'048},
        {"caption", kLine, "Shown below it.", false, kMaxTitleLength},
        {"alt", kLine, "What it shows, for those who cannot see it.", false, 1'000}}},
  };
}

std::vector<BlockType> StructuredTypes() {
  return {
      {"kanban_board",
       "A board; its columns are kanban_column blocks below it.",
       "title",
       {},
       {Title("The board's name."), Description()}},
      {"kanban_column",
       "A column of a board; its cards are kanban_card blocks below it.",
       "title",
       {kBoard},
       {Title("The column's name."),
        {"status",
         kEnum,
         "The status of the cards in it. Absent: judged from the title.",
         false,
         0,
         0,
         {"todo", "in_progress", "done"}},
        {"color", kLine, "A colour's name.", false, 64}}},
      {"kanban_card",
       "A task on a board.",
       "title",
       {kColumn},
       {Title("What is to be done."),
        Description(),
        {"status",
         kEnum,
         "The status of its column. Moving the card changes it.",
         false,
         0,
         0,
         {"todo", "in_progress", "done"}},
        Priority(),
        DueDate(),
        AssignedTo(),
        Tags(),
        EventLinks()}},
      {"database",
       "A table with typed properties; its rows are database_row blocks below it.",
       "title",
       {},
       {Title("The database's name."),
        Description(),
        {"properties", kProperties, "The columns: {name, type, options?, id?}.", false, 200},
        {"formerProperties", kFormerProperties,
         "Columns that were dropped, whose ids no other takes: {id, type}. Follows from properties; never needs to be "
         "given.",
         false, 1'000}}},
      {"database_row",
       "A row of a database.",
       "",
       {kDatabase},
       {{"properties", kValues, "Values by property name or id.", false, 200}}},
      {"automation",
       "A list of tool calls that trigger_automation runs.",
       "title",
       {},
       {Title("The automation's name."),
        Description(),
        {"enabled", kBoolean, "False: cannot be triggered. True when absent."},
        {"steps", kSteps,
         "Tool calls in order: {tool, arguments}. Strings may hold {{context.…}}, "
         "{{steps.0.…}} (an earlier step's result), {{now}} and {{today}}.",
         true, kMaxSteps, 1}}},
  };
}

std::vector<BlockType> PlannerTypes() {
  return {
      {"calendar_event",
       "An event or a task with a place in the calendar.",
       "title",
       {},
       {Title("What it is."),
        Description(),
        {"date", kDay, "The day, or the first of several.", true},
        {"time", kClockTime, "When it starts. Absent: it takes the whole day."},
        {"endDate", kDay, "The last day, when it ends on a later one."},
        {"endTime", kClockTime, "When it ends. Needs time."},
        {"timeZone", kTimeZone,
         "The IANA name of the zone of time and endTime. Absent: the wall clock of whoever looks."},
        {"type", kEnum, "What kind of entry. Absent: event.", false, 0, 0, {"event", "task"}},
        {"status", kEnum, "Whether it is over with. Absent: pending.", false, 0, 0, {"pending", "done"}},
        {"location", kLine, "Where.", false, kMaxTitleLength},
        {"recurrence", kRecurrence,
         "An RFC 5545 RRULE over days, for example FREQ=WEEKLY;BYDAY=MO. date becomes its first day.", false, 1'000},
        {"recurrenceEnd", kDay, "The last day on which it recurs. Follows from recurrence; never needs to be given."},
        {"exceptions", kDays, "Days on which it does not recur.", false, 1'000},
        {"recurrenceId", kDay,
         "For a changed occurrence, which lies in the event that recurs: the day on which it would have been."},
        {"uid", kLine, "Its name in the calendar that it came from.", false, 1'000},
        Tags()}},
      {"note",
       "A note.",
       "title",
       {},
       {Title("The note's name."),
        {"body", kText, "The text, as Markdown.", false, kMaxTextLength},
        Tags(),
        EventLinks()}},
      {"journal_entry",
       "An entry of the journal.",
       "title",
       {},
       {Title("What it is about."),
        {"body", kText, "The text, as Markdown.", false, kMaxTextLength},
        {"date", kDay, "The day.", true},
        {"mood", kLine, "How the day felt.", false, 64},
        Tags()}},
  };
}

const Field& MetaField() {
  static const Field* const field = new Field{"meta", kObject, "Anything that a client wants to keep with the block."};
  return *field;
}

Json StringSchema(int64_t max) {
  Json schema = {{"type", "string"}};
  if (max > 0) schema["maxLength"] = max;
  return schema;
}

Json ArraySchema(Json items, const Field& field) {
  return {{"type", "array"}, {"items", std::move(items)}, {"maxItems", field.max > 0 ? field.max : kMaxListLength}};
}

Json StepSchema() {
  return {{"type", "object"},
          {"properties", {{"tool", StringSchema(128)}, {"arguments", {{"type", "object"}}}}},
          {"required", {"tool"}},
          {"additionalProperties", false}};
}

Json PropertySchema() {
  return {{"type", "object"},
          {"properties",
           {{"id", StringSchema(128)},
            {"name", StringSchema(100)},
            {"type", {{"type", "string"}}},
            {"options", {{"type", "object"}}}}},
          {"required", {"name", "type"}},
          {"additionalProperties", false}};
}

Json FormerPropertySchema() {
  return {{"type", "object"},
          {"properties", {{"id", StringSchema(128)}, {"type", {{"type", "string"}}}}},
          {"required", {"id", "type"}},
          {"additionalProperties", false}};
}

Json KindSchema(const Field& field) {
  switch (field.kind) {
    case kLine:
      return StringSchema(field.max > 0 ? field.max : kMaxLineLength);
    case kText:
      return StringSchema(field.max > 0 ? field.max : kMaxTextLength);
    case kInteger:
      return {{"type", "integer"}, {"minimum", field.min}, {"maximum", field.max}};
    case kBoolean:
      return {{"type", "boolean"}};
    case kEnum: {
      Json schema = {{"type", "string"}, {"enum", Json::array()}};
      for (const std::string_view value : field.values) schema["enum"].push_back(std::string(value));
      return schema;
    }
    case kDate:
    case kDay:
    case kClockTime:
    case kTimeZone:
      return StringSchema(64);
    case kRecurrence:
      return StringSchema(field.max);
    case kDays:
      return ArraySchema(StringSchema(64), field);
    case kLines:
      return ArraySchema(StringSchema(kMaxLineLength), field);
    case kTable:
      return ArraySchema({{"type", "array"}, {"items", StringSchema(kMaxTextLength)}}, field);
    case kProperties:
      return ArraySchema(PropertySchema(), field);
    case kFormerProperties:
      return ArraySchema(FormerPropertySchema(), field);
    case kSteps:
      return ArraySchema(StepSchema(), field);
    case kValues:
    case kObject:
      return {{"type", "object"}};
  }
  return Json::object();
}

}  // namespace

const Field* BlockType::FindField(std::string_view field_name) const {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [&](const Field& field) { return field.name == field_name; });
  if (found != fields.end()) return &*found;
  return field_name == MetaField().name ? &MetaField() : nullptr;
}

const std::vector<BlockType>& BlockTypes() {
  static const auto* const types = [] {
    auto* all = new std::vector<BlockType>(TextTypes());
    for (auto&& group : {StructuredTypes(), PlannerTypes()}) all->insert(all->end(), group.begin(), group.end());
    return all;
  }();
  return *types;
}

bool MayLieIn(const BlockType& type, std::string_view parent_type) {
  return type.parents.empty() || std::find(type.parents.begin(), type.parents.end(), parent_type) != type.parents.end();
}

const BlockType* FindBlockType(std::string_view name) {
  const auto found =
      std::find_if(BlockTypes().begin(), BlockTypes().end(), [&](const BlockType& type) { return type.name == name; });
  return found == BlockTypes().end() ? nullptr : &*found;
}

Json DataSchema(const BlockType& type) {
  Json properties = Json::object();
  Json required = Json::array();
  const auto add = [&](const Field& field) {
    Json schema = KindSchema(field);
    schema["description"] = std::string(field.description);
    properties[std::string(field.name)] = std::move(schema);
    if (field.required) required.push_back(std::string(field.name));
  };
  for (const Field& field : type.fields) add(field);
  add(MetaField());
  Json schema = {{"type", "object"},
                 {"description", std::string(type.description)},
                 {"properties", std::move(properties)},
                 {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

}  // namespace toolgate::executors::blocks
