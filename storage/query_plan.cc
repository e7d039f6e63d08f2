#include "storage/query_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "common/status_macros.h"
#include "common/text/fold_case.h"
#include "storage/block_fields.h"

namespace toolgate::storage {
namespace {

constexpr double kExactDouble = 9007199254740992.0;  // 2^53: from here on, integers compare as rounded ones.

// The values that a field must have for a filter to be true, and whether each of them makes it true.
struct Bounds {
  IndexRange range;
  bool exact = true;
};

bool IsText(const IndexRange& range) {
  return std::holds_alternative<std::string>(range.low.has_value() ? *range.low : *range.high);
}

double NumberOf(const IndexValue& value) {
  const auto* integer = std::get_if<int64_t>(&value);
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value);
}

bool Less(const IndexValue& a, const IndexValue& b) {
  const auto* text = std::get_if<std::string>(&a);
  return text != nullptr ? *text < std::get<std::string>(b) : NumberOf(a) < NumberOf(b);
}

// Booleans are among the values as 0 and 1, and large numbers are compared with rounding.
bool IsExactNumber(double number) { return number != 0 && number != 1 && std::abs(number) < kExactDouble; }

// The value's place among the indexed ones. `exact` becomes false if others share it.
std::optional<IndexValue> PlaceOf(const Json& value, bool& exact) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    exact = text.size() < kMaxIndexedBytes;
    return CutForIndex(text);
  }
  if (!value.is_number()) return std::nullopt;
  exact = IsExactNumber(value.get<double>());
  if (value.is_number_integer() && !value.is_number_unsigned()) return value.get<int64_t>();
  if (value.is_number_unsigned() && value.get<uint64_t>() <= uint64_t{std::numeric_limits<int64_t>::max()}) {
    return static_cast<int64_t>(value.get<uint64_t>());
  }
  return value.get<double>();
}

IndexValue Widened(const IndexValue& value, double towards) {
  if (std::holds_alternative<std::string>(value) || std::abs(NumberOf(value)) < kExactDouble) return value;
  return std::nextafter(NumberOf(value), towards);
}

std::optional<Bounds> BoundsOfComparison(const Filter& filter) {
  using Op = Filter::Op;
  Bounds bounds;
  const std::optional<IndexValue> place = PlaceOf(filter.value, bounds.exact);
  if (!place.has_value()) return std::nullopt;
  const bool from = filter.op == Op::kEquals || filter.op == Op::kGreaterThan || filter.op == Op::kGreaterOrEqual;
  const bool to = filter.op == Op::kEquals || filter.op == Op::kLessThan || filter.op == Op::kLessOrEqual;
  if (!from && !to) return std::nullopt;
  if (from) bounds.range.low = Widened(*place, -std::numeric_limits<double>::infinity());
  if (to) bounds.range.high = Widened(*place, std::numeric_limits<double>::infinity());
  // Others may share the place: then all of them are candidates.
  bounds.range.without_low = filter.op == Op::kGreaterThan && bounds.exact;
  bounds.range.without_high = filter.op == Op::kLessThan && bounds.exact;
  // A half-open range of numbers contains those of the booleans.
  if (from != to && !IsText(bounds.range)) bounds.exact = false;
  return bounds;
}

// Values of both.
void Narrow(IndexRange& range, const IndexRange& other) {
  if (other.low.has_value() && (!range.low.has_value() || Less(*range.low, *other.low))) {
    range.low = other.low;
    range.without_low = other.without_low;
  } else if (other.low.has_value() && !Less(*other.low, *range.low)) {
    range.without_low |= other.without_low;
  }
  if (other.high.has_value() && (!range.high.has_value() || Less(*other.high, *range.high))) {
    range.high = other.high;
    range.without_high = other.without_high;
  } else if (other.high.has_value() && !Less(*range.high, *other.high)) {
    range.without_high |= other.without_high;
  }
}

// The values of either, and those between them.
void Widen(IndexRange& range, const IndexRange& other) {
  if (!other.low.has_value() || (range.low.has_value() && Less(*other.low, *range.low))) range.low = other.low;
  if (!other.high.has_value() || (range.high.has_value() && Less(*range.high, *other.high))) range.high = other.high;
  range.without_low = range.without_high = false;
}

std::optional<Bounds> BoundsOf(const Filter& filter, const std::vector<std::string>& path);

std::optional<Bounds> BoundsOfAll(const std::vector<Filter>& children, const std::vector<std::string>& path) {
  std::optional<Bounds> all;
  bool exact = true;
  for (const Filter& child : children) {
    const std::optional<Bounds> bounds = BoundsOf(child, path);
    exact = exact && bounds.has_value() && bounds->exact;
    if (!bounds.has_value()) continue;
    if (!all.has_value()) {
      all = bounds;
    } else if (IsText(all->range) == IsText(bounds->range)) {
      Narrow(all->range, bounds->range);
    } else {
      exact = false;  // Nothing is both, which the blocks will tell.
    }
  }
  if (all.has_value()) all->exact = exact;
  return all;
}

std::optional<Bounds> BoundsOfAny(const std::vector<Filter>& children, const std::vector<std::string>& path) {
  std::optional<Bounds> any;
  for (const Filter& child : children) {
    const std::optional<Bounds> bounds = BoundsOf(child, path);
    if (!bounds.has_value()) return std::nullopt;
    if (!any.has_value()) {
      any = bounds;
      continue;
    }
    if (IsText(any->range) != IsText(bounds->range)) return std::nullopt;
    Widen(any->range, bounds->range);
    if (!any->range.low.has_value() && !any->range.high.has_value()) return std::nullopt;
    any->exact = false;
  }
  return any;
}

// Nothing if the filter may be true for any value of the field, or for none.
std::optional<Bounds> BoundsOf(const Filter& filter, const std::vector<std::string>& path) {
  switch (filter.kind) {
    case Filter::Kind::kAnd:
      return BoundsOfAll(filter.children, path);
    case Filter::Kind::kOr:
      return BoundsOfAny(filter.children, path);
    case Filter::Kind::kNot:
      return std::nullopt;
    case Filter::Kind::kCompare:
      if (filter.field.kind != Field::Kind::kData || filter.field.path != path) return std::nullopt;
      return BoundsOfComparison(filter);
  }
  return std::nullopt;
}

// Comparisons that are all true if the filter is.
void CollectComparisons(const Filter& filter, std::vector<const Filter*>& comparisons) {
  if (filter.kind == Filter::Kind::kCompare) comparisons.push_back(&filter);
  if (filter.kind != Filter::Kind::kAnd) return;
  for (const Filter& child : filter.children) CollectComparisons(child, comparisons);
}

bool IsWhole(const Filter& filter, const Filter* part) {
  if (&filter == part) return true;
  return filter.kind == Filter::Kind::kAnd && filter.children.size() == 1 && IsWhole(filter.children[0], part);
}

bool Declares(const DeclaredType& type, DeclaredField::Kind kind, const std::vector<std::string>& path) {
  return std::any_of(type.fields.begin(), type.fields.end(),
                     [&](const DeclaredField& field) { return field.kind == kind && field.path == path; });
}

bool IsMember(const DeclaredType& type, std::vector<std::string> path) {
  if (path.empty()) return false;
  path.pop_back();
  return Declares(type, DeclaredField::Kind::kMembers, path);
}

IndexRange Only(IndexValue value) { return {.low = value, .high = value}; }

class IndexFinder {
 public:
  IndexFinder(const DeclaredFields& fields, const BlockQuery& query) : query_(query) {
    // Below an ancestor or, for most types, a parent there are fewer blocks than an index would name.
    if (query.types.empty() || query.ancestor_id.has_value()) return;
    std::optional<std::string> scope;
    for (const std::string& name : query.types) {
      const DeclaredType* type = fields.Find(name);
      if (type == nullptr || type->scope.empty() != query.parent_id.has_value()) return;
      std::string own = IndexScope(*type, query.parent_id.value_or(""));
      if (scope.has_value() && scope != own) return;
      if (type->scope.empty() && query.types.size() > 1) return;
      scope = std::move(own);
      types_.push_back(type);
    }
    scope_ = *std::move(scope);
    by_parent_ = query.parent_id.has_value();
    covers_scope_ = by_parent_ || types_.size() == fields.CountTypes(scope_);
    found_ = true;
  }

  QueryIndexes Find() {
    if (!found_) return {};
    if (query_.filter.has_value()) {
      AddBounds();
      AddComparisons();
    } else {
      indexes_.conditions.push_back(Slice(std::string(by_parent_ ? kAllField : kCreatedAtField), {}, /*exact=*/true));
    }
    AddOrder();
    return std::move(indexes_);
  }

 private:
  IndexSlice Slice(std::string field, std::vector<IndexRange> ranges, bool exact) const {
    return {.scope = scope_, .field = std::move(field), .ranges = std::move(ranges), .exact = exact && covers_scope_};
  }

  template <typename Predicate>
  bool AllTypes(Predicate predicate) const {
    return std::all_of(types_.begin(), types_.end(), [&](const DeclaredType* type) { return predicate(*type); });
  }

  bool HasValue(const std::vector<std::string>& path) const {
    return AllTypes([&](const DeclaredType& type) {
      return Declares(type, DeclaredField::Kind::kValue, path) || IsMember(type, path);
    });
  }

  // By the values of each field that the filter compares.
  void AddBounds() {
    std::vector<const Filter*> comparisons;
    CollectCompared(*query_.filter, comparisons);
    std::vector<std::vector<std::string>> paths;
    for (const Filter* comparison : comparisons) {
      const std::vector<std::string>& path = comparison->field.path;
      if (comparison->field.kind != Field::Kind::kData || !HasValue(path)) continue;
      if (std::find(paths.begin(), paths.end(), path) != paths.end()) continue;
      paths.push_back(path);
      if (std::optional<Bounds> bounds = BoundsOf(*query_.filter, path); bounds.has_value()) {
        indexes_.conditions.push_back(Slice(ValueFieldName(path), {std::move(bounds->range)}, bounds->exact));
      }
    }
  }

  // All comparisons, wherever they are.
  static void CollectCompared(const Filter& filter, std::vector<const Filter*>& comparisons) {
    if (filter.kind == Filter::Kind::kCompare) comparisons.push_back(&filter);
    for (const Filter& child : filter.children) CollectCompared(child, comparisons);
  }

  void AddComparisons() {
    std::vector<const Filter*> comparisons;
    CollectComparisons(*query_.filter, comparisons);
    for (const Filter* comparison : comparisons) {
      AddComparison(*comparison, IsWhole(*query_.filter, comparison));
    }
  }

  void AddComparison(const Filter& filter, bool is_whole) {
    using Kind = DeclaredField::Kind;
    using Op = Filter::Op;
    const std::vector<std::string>& path = filter.field.path;
    if (filter.field.kind == Field::Kind::kSpans && filter.op == Op::kOverlaps) {
      const std::optional<DaySpan> span = SpanIn(filter.value);
      const bool declared = AllTypes([&](const DeclaredType& type) { return Declares(type, Kind::kSpans, path); });
      if (!declared || !span.has_value()) return;
      std::vector<IndexRange> ranges;
      for (const PieceRange& range : PiecesNear(*span)) ranges.push_back({.low = range.first, .high = range.last});
      indexes_.conditions.push_back(Slice(ValueFieldName(path), std::move(ranges), /*exact=*/false));
    }
    if (filter.field.kind == Field::Kind::kDerived && filter.op == Op::kInRanges) AddRanges(filter, is_whole);
    if (filter.field.kind != Field::Kind::kData) return;
    if (filter.op == Op::kEquals && filter.value.is_boolean() && HasValue(path)) {
      const IndexRange range = Only(static_cast<int64_t>(filter.value.get<bool>()));
      indexes_.conditions.push_back(Slice(BooleanFieldName(path), {range}, is_whole));
    }
    if (!filter.value.is_string()) return;
    const auto& text = filter.value.get_ref<const std::string&>();
    if (filter.op == Op::kHasLabel &&
        AllTypes([&](const DeclaredType& type) { return Declares(type, Kind::kLabels, path); })) {
      const std::string label = text::FoldCase(text);
      indexes_.conditions.push_back(
          Slice(LabelFieldName(path), {Only(CutForIndex(label))}, is_whole && label.size() < kMaxIndexedBytes));
    }
    if (filter.op == Op::kHasElement && AllTypes([&](const DeclaredType& type) { return IsMember(type, path); })) {
      indexes_.conditions.push_back(
          Slice(ElementFieldName(path), {Only(CutForIndex(text))}, is_whole && text.size() < kMaxIndexedBytes));
    }
  }

  void AddRanges(const Filter& filter, bool is_whole) {
    const std::vector<std::string>& path = filter.field.path;
    const auto wanted = RangesIn(filter.value);
    const bool declared =
        AllTypes([&](const DeclaredType& type) { return Declares(type, DeclaredField::Kind::kDerived, path); });
    if (!declared || !wanted.has_value() || wanted->empty()) return;
    std::vector<IndexRange> ranges;
    for (const auto& [from, below] : *wanted) {
      // A longer end is cut in the index.
      is_whole = is_whole && from.size() < kMaxIndexedBytes && below.size() < kMaxIndexedBytes;
      ranges.push_back({.low = CutForIndex(from), .high = CutForIndex(below), .without_high = is_whole});
    }
    indexes_.conditions.push_back(Slice(ValueFieldName(path), std::move(ranges), is_whole));
  }

  void AddOrder() {
    if (query_.sort.empty()) return;
    const Field& field = query_.sort[0].field;
    if (field.kind == Field::Kind::kCreatedAt && !by_parent_) {
      indexes_.order = Slice(std::string(kCreatedAtField), {}, /*exact=*/false);
    } else if (field.kind == Field::Kind::kData && HasValue(field.path)) {
      indexes_.order = Slice(ValueFieldName(field.path), {}, /*exact=*/false);
      for (const IndexSlice& condition : indexes_.conditions) {
        if (condition.field == indexes_.order->field) indexes_.order = condition;
      }
    }
  }

  const BlockQuery& query_;
  std::vector<const DeclaredType*> types_;
  std::string scope_;
  bool by_parent_ = false;
  bool covers_scope_ = false;  // The query wants all blocks of the scope.
  bool found_ = false;
  QueryIndexes indexes_;
};

}  // namespace

QueryIndexes FindIndexes(const DeclaredFields& fields, const BlockQuery& query) {
  return IndexFinder(fields, query).Find();
}

absl::StatusOr<QueryPlan> PlanQuery(const QueryIndexes& indexes,
                                    absl::FunctionRef<absl::StatusOr<int64_t>(const IndexSlice&, int64_t)> count) {
  QueryPlan plan;
  int64_t fewest = 0;
  for (const IndexSlice& condition : indexes.conditions) {
    ASSIGN_OR_RETURN(const int64_t rows, count(condition, kFewRows + 1));
    const bool is_better =
        !plan.condition.has_value() || rows < fewest || (rows == fewest && condition.exact && !plan.condition->exact);
    if (!is_better) continue;
    fewest = rows;
    plan.condition = condition;
  }
  const bool is_narrowed = plan.condition.has_value() && !plan.condition->ranges.empty();
  if (is_narrowed && fewest <= kFewRows) {
    plan.source = QueryPlan::Source::kCondition;
    plan.slice = *plan.condition;
    plan.rows = fewest;
  } else if (indexes.order.has_value()) {
    plan.source = QueryPlan::Source::kOrder;
    plan.slice = *indexes.order;
  } else if (is_narrowed) {
    plan.source = QueryPlan::Source::kCondition;
    plan.slice = *plan.condition;
  }
  return plan;
}

}  // namespace toolgate::storage
