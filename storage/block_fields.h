// Evaluates filters and sorts on one block. The reference definition of a Filter's meaning; a backend whose engine can
// call back runs it on every candidate row, others translate filters and are checked against it.
#ifndef TOOLGATE_STORAGE_BLOCK_FIELDS_H_
#define TOOLGATE_STORAGE_BLOCK_FIELDS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "storage/query.h"

namespace toolgate::storage {

// The fields of a block that queries can use, borrowed from a row.
struct BlockFields {
  std::string_view type;
  std::string_view parent_id;
  std::string_view rank;
  std::string_view data;
  std::string_view created_by;
  std::string_view updated_by;
  int64_t created_at_us = 0;
  int64_t updated_at_us = 0;
};

// Sort key of a block: numbers before strings; no value (monostate) for null, missing and anything else.
using SortKey = std::variant<std::monostate, double, int64_t, std::string>;

// Whether the block satisfies the filter.
bool Matches(const Filter& filter, const BlockFields& block);

SortKey SortKeyOf(const Field& field, const BlockFields& block);

// The days of a kOverlaps; nothing if the value has not its form.
std::optional<DaySpan> SpanIn(const Json& value);

// The ranges of a kInRanges, [from, below] each; nothing if the value has not its form.
std::optional<std::vector<std::pair<std::string, std::string>>> RangesIn(const Json& value);

// The form in which kCreatedAt and kUpdatedAt compare: RFC 3339 in UTC, so that byte order is time order among whole
// seconds and among fractions of equal length.
std::string TimeText(int64_t unix_micros);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_BLOCK_FIELDS_H_
