// The index rows of a block.
#ifndef TOOLGATE_STORAGE_INDEX_ENTRIES_H_
#define TOOLGATE_STORAGE_INDEX_ENTRIES_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "storage/block.h"
#include "storage/declared_fields.h"
#include "storage/query.h"

namespace toolgate::storage {

// Numbers come before strings, and compare as numbers.
using IndexValue = std::variant<int64_t, double, std::string>;

// Bytes of a string that its index row holds. Strings that agree in these are alike to a sort.
inline constexpr size_t kMaxIndexedBytes = 256;

// Names of fields that all blocks of a scope have: the time at which a block was created, in microseconds, in a scope
// of types; and 0 in that of a parent, so that its blocks can be counted.
inline constexpr std::string_view kCreatedAtField = "~createdAt";
inline constexpr std::string_view kAllField = "~all";

struct IndexEntry {
  std::string scope;  // DeclaredType::scope, or the parent's id behind a slash.
  std::string field;
  IndexValue value;
  // Order of blocks with equal values: their rank within a parent, else the time of their creation.
  IndexValue tie;

  auto operator<=>(const IndexEntry&) const = default;
};

// In ascending order, each once.
std::vector<IndexEntry> IndexEntriesOf(const DeclaredFields& fields, const Block& block);

// Changes to the index rows of one block.
struct IndexChange {
  std::vector<IndexEntry> erased;
  std::vector<IndexEntry> added;

  bool empty() const { return erased.empty() && added.empty(); }
};
// Either may be nullptr: the block is new, or goes.
IndexChange IndexChangeOf(const DeclaredFields& fields, const Block* before, const Block* after);

// The parts of a field's name in the index.
std::string IndexScope(const DeclaredType& type, std::string_view parent_id);
std::string ValueFieldName(const std::vector<std::string>& path);
// Booleans alone, which among the values are the numbers 0 and 1.
std::string BooleanFieldName(const std::vector<std::string>& path);
std::string LabelFieldName(const std::vector<std::string>& path);
// A member's elements, compared as they are.
std::string ElementFieldName(const std::vector<std::string>& path);

// Strings beyond kMaxIndexedBytes are cut there. If a <= b, then CutForIndex(a) <= CutForIndex(b).
std::string CutForIndex(std::string_view text);

// Spans are indexed by pieces of the calendar: each span lies in one or two of the smallest pieces that are as long.
// The values under which a span is found, and for a span that is looked for, those from `first` to `last` each.
std::vector<int64_t> PiecesOf(const DaySpan& span);
struct PieceRange {
  int64_t first;
  int64_t last;
};
std::vector<PieceRange> PiecesNear(const DaySpan& span);

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_INDEX_ENTRIES_H_
