// Queries to a store, independent of any SQL dialect.
#ifndef TOOLGATE_STORAGE_QUERY_H_
#define TOOLGATE_STORAGE_QUERY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "common/json.h"
#include "storage/block.h"

namespace toolgate::storage {

// Days from one to another, both included, counted from 1970-01-01.
struct DaySpan {
  int64_t first = 0;
  int64_t last = 0;
};

// Appends the days on which a block with this data may be of interest. Depends on nothing else.
using SpansOf = void (*)(std::string_view data, std::vector<DaySpan>& spans);

// Returns a text that is computed from a block's data and depends on nothing else; empty: none.
using DerivedOf = std::string (*)(std::string_view data);

// Field that a filter or a sort uses.
struct Field {
  enum class Kind { kData, kType, kParent, kCreatedAt, kUpdatedAt, kCreatedBy, kUpdatedBy, kRank, kSpans, kDerived };
  Kind kind = Kind::kData;
  std::vector<std::string> path = {};  // For kData: the keys from the data object's root, any strings. Otherwise
                                       // the name under which an index may have it.
  SpansOf spans = nullptr;             // For kSpans.
  DerivedOf derived = nullptr;         // For kDerived. Not for sorts.

  static Field Data(std::vector<std::string> path) { return {.kind = Kind::kData, .path = std::move(path)}; }
  static Field Spans(std::string name, SpansOf spans) {
    return {.kind = Kind::kSpans, .path = {std::move(name)}, .spans = spans};
  }
  static Field Derived(std::string name, DerivedOf derived) {
    return {.kind = Kind::kDerived, .path = {std::move(name)}, .spans = nullptr, .derived = derived};
  }
};

// A condition on one block. A missing field and a JSON null are treated alike: they are empty, not equal to, smaller or
// greater than any value, and therefore kNotEquals is true for them with every value.
struct Filter {
  enum class Kind { kAnd, kOr, kNot, kCompare };
  enum class Op {
    kEquals,       // Same JSON type and value; numbers by value, strings byte by byte.
    kNotEquals,    // The complement of kEquals.
    kContains,     // String: contains, ignoring ASCII case. Array: has an element equal to the value.
    kGreaterThan,  // Numbers with numbers, strings with strings (byte order, which is time order for our dates).
    kGreaterOrEqual,
    kLessThan,
    kLessOrEqual,
    kIsEmpty,  // Missing, null, "", [] or {}.
    kIsNotEmpty,
    kLengthEquals,  // A string of exactly that many characters (distinguishes dates from date-times).
    kHasLabel,      // Array: has a string equal to the value, ignoring case (Unicode).
    kHasElement,    // Array: has a string equal to the value.
    kIsScalar,      // A string, a number or a boolean.
    kInRanges,      // Derived: is in one of the ranges of the value, an array of [from, below] of strings, which do not
                    // overlap.
    kOverlaps,      // Spans: has a day from the first to the last one of the value, which is an array of two numbers.
  };
  Kind kind = Kind::kAnd;
  std::vector<Filter> children;  // For kAnd (empty: true), kOr (empty: false), kNot (exactly one).
  Field field;                   // For kCompare, like the next two.
  Op op = Op::kEquals;
  Json value;  // Ignored by kIsEmpty and kIsNotEmpty. Times of kCreatedAt and kUpdatedAt compare with
               // RFC 3339 strings.

  static Filter And(std::vector<Filter> children);
  static Filter Or(std::vector<Filter> children);
  static Filter Not(Filter child);
  static Filter Compare(Field field, Op op, Json value = nullptr);
};

// Strings are compared by their first kMaxIndexedBytes (storage/index_entries.h).
struct Sort {
  Field field;
  bool descending = false;  // Blocks without a value come last either way.
};

// Matches that a listing counts.
inline constexpr int64_t kMaxCounted = 10'000;
// Blocks that a listing looks at if no index serves its filter.
inline constexpr int64_t kMaxListingWork = 100'000;
// Data of the blocks that a listing holds at once. It ends with the block that takes it there.
inline constexpr size_t kMaxListingBytes = size_t{16} << 20;

struct BlockQuery {
  std::vector<std::string> types;          // Empty: all.
  std::optional<std::string> parent_id;    // "" is the root.
  std::optional<std::string> ancestor_id;  // At any depth below this block.
  std::optional<Filter> filter;
  std::vector<Sort>
      sort;  // Blocks with equal values are ordered by (rank, id) within a parent, otherwise by the time
             // of their creation and by id; without a sort by (rank, id) within a parent, otherwise by id.
  int64_t limit = 100;
  int64_t offset = 0;
  bool count_total = false;
  // For a list that is shown, whose cost must not grow with the workspace: `total` is exact up to kMaxCounted matches,
  // and of kMaxListingWork blocks that no index narrows down the rest is not looked at. Otherwise the answer is exact.
  bool bounded = false;
};

struct BlockPage {
  std::vector<Block> blocks;
  int64_t total = 0;                     // Number of all matches; only if count_total.
  bool total_is_lower_bound = false;     // There may be more than `total`.
  std::optional<int64_t> gave_up_after;  // Set if not all blocks were looked at that may match: the number of those
                                         // that were, the first by rank within a parent and otherwise by type and id.
};

// Maximum number of different words in a search. All of them must occur, so more are not needed; and the cost of
// ranking a block is the product of the words and of their occurrences in it: 0.4 ms with 32 words that occur a hundred
// times each.
inline constexpr size_t kMaxSearchWords = 32;

// Bounded as a listing is. Of more than kMaxCounted hits, the newest are ranked.
struct SearchQuery {
  std::string text;  // Words, at most kMaxSearchWords different ones; all must occur (the last as a prefix too). Never
                     // an engine's query syntax. Empty: all blocks that match the rest, newest first.
  std::vector<std::string> types;
  std::optional<std::string> parent_id;  // "" is the root.
  std::optional<std::string> ancestor_id;
  std::optional<Filter> filter;
  std::vector<Sort> sort;  // Replaces the order by score; equal values are ordered by id.
  int64_t limit = 10;
  int64_t offset = 0;
};

struct SearchHit {
  Block block;
  double score = 0;  // 0 to 1, higher is better; the best hit of an answer has 1.
};

struct SearchPage {
  std::vector<SearchHit> hits;  // Best first, or as the query sorts.
  int64_t total = 0;
  bool total_is_lower_bound = false;  // As in a BlockPage, like the next.
  std::optional<int64_t> gave_up_after;
};

// All conditions that are set must hold.
struct AuditQuery {
  std::string block_id;
  std::string user_id;
  std::string tool_id;
  std::string conversation_id;
  std::string request_id;
  bool ai_actions_only = false;
  bool with_findings = false;
  std::string finding;  // The rule or family of one of layer 1's findings.
  std::optional<bool> success;
  std::optional<absl::Time> start;  // Inclusive.
  std::optional<absl::Time> end;    // Exclusive.
  std::string text;                 // In parameters, tool, user name or error message; ignoring ASCII case.
  int64_t limit = 50;
  int64_t before_sequence = 0;  // Only entries with a smaller sequence; 0: from the newest.
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_QUERY_H_
