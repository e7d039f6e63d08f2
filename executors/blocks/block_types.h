// Every type of block, with the fields of its data. One table: the checks, the JSON Schema and the listings read it.
#ifndef TOOLGATE_EXECUTORS_BLOCKS_BLOCK_TYPES_H_
#define TOOLGATE_EXECUTORS_BLOCKS_BLOCK_TYPES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/json.h"

namespace toolgate::executors::blocks {

enum class FieldKind {
  kLine,     // A string without line breaks.
  kText,     // A string.
  kInteger,  // A whole number within [min, max].
  kBoolean,
  kEnum,              // One of `values`.
  kDate,              // A day or an instant; stored as common/dates.h writes it.
  kDay,               // A day.
  kClockTime,         // "HH:MM".
  kDays,              // An array of days, in order and each once.
  kTimeZone,          // An IANA time zone's name.
  kRecurrence,        // A rule of recurrence.h in its normal form.
  kLines,             // An array of lines.
  kTable,             // An array of rows, each an array of texts.
  kProperties,        // A database's properties: see database_properties.h.
  kFormerProperties,  // Properties that a database has dropped.
  kValues,            // A row's values by property: see database_properties.h.
  kSteps,             // An automation's steps.
  kObject,            // Anything.
};

struct Field {
  std::string_view name;
  FieldKind kind;
  std::string_view description;
  bool required = false;
  int64_t max = 0;  // Characters of a string, elements of an array, or the largest number; 0: the kind's own.
  int64_t min = 0;  // The smallest number.
  std::vector<std::string_view> values = {};  // For kEnum.
};

struct BlockType {
  std::string_view name;
  std::string_view description;
  std::string_view title_field;           // The field that names the block in one line; empty: none.
  std::vector<std::string_view> parents;  // Types that its parent may have; empty: any, and the root.
  std::vector<Field> fields;              // Beside "meta", a free-form object that every type has.

  // "meta" included; nullptr when there is none.
  const Field* FindField(std::string_view field_name) const;
};

inline constexpr std::string_view kTodo = "todo";
inline constexpr std::string_view kPage = "page";
inline constexpr std::string_view kBoard = "kanban_board";
inline constexpr std::string_view kColumn = "kanban_column";
inline constexpr std::string_view kCard = "kanban_card";
inline constexpr std::string_view kDatabase = "database";
inline constexpr std::string_view kRow = "database_row";
inline constexpr std::string_view kAutomation = "automation";
inline constexpr std::string_view kEvent = "calendar_event";
inline constexpr std::string_view kNote = "note";
inline constexpr std::string_view kJournalEntry = "journal_entry";

inline constexpr int64_t kMaxLineLength = 500;
inline constexpr int64_t kMaxTextLength = 100'000;
inline constexpr int64_t kMaxListLength = 1'000;
inline constexpr int64_t kMaxSteps = 50;

// In the order in which they are documented.
const std::vector<BlockType>& BlockTypes();
// Whether a block of the type may lie directly in one of type `parent_type`; "" is the root.
bool MayLieIn(const BlockType& type, std::string_view parent_type);
// nullptr when there is no such type.
const BlockType* FindBlockType(std::string_view name);

// The data's schema as JSON Schema 2020-12.
Json DataSchema(const BlockType& type);

}  // namespace toolgate::executors::blocks

#endif  // TOOLGATE_EXECUTORS_BLOCKS_BLOCK_TYPES_H_
