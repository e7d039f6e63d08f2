#include "storage/block_fields.h"

#include <algorithm>
#include <compare>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/json_parser.h"
#include "common/text/fold_case.h"
#include "common/text/utf8.h"
#include "storage/index_entries.h"

namespace toolgate::storage {
namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

// One value of a block: a scalar of a column, a value of the data, or nothing.
struct Value {
  std::optional<std::string> text;  // Of a column.
  std::optional<int64_t> time_us;   // Of a time column.
  std::optional<element> json;      // Of the data; never null.

  bool missing() const { return !text && !time_us && !json; }
};

// The parser owns the memory of its elements, so rows are examined one at a time.
class Row {
 public:
  explicit Row(const BlockFields& block) : block_(block) {}

  Value Get(const Field& field) {
    switch (field.kind) {
      case Field::Kind::kType:
        return Text(block_.type);
      case Field::Kind::kParent:
        return Text(block_.parent_id);
      case Field::Kind::kCreatedBy:
        return Text(block_.created_by);
      case Field::Kind::kUpdatedBy:
        return Text(block_.updated_by);
      case Field::Kind::kRank:
        return Text(block_.rank);
      case Field::Kind::kCreatedAt:
        return Value{.text = std::nullopt, .time_us = block_.created_at_us, .json = std::nullopt};
      case Field::Kind::kUpdatedAt:
        return Value{.text = std::nullopt, .time_us = block_.updated_at_us, .json = std::nullopt};
      case Field::Kind::kData:
        return Data(field.path);
      case Field::Kind::kSpans:
        return {};
      case Field::Kind::kDerived: {
        std::string text = field.derived == nullptr ? std::string() : field.derived(block_.data);
        return text.empty() ? Value() : Text(text);
      }
    }
    return {};
  }

  bool HasDayWithin(const Field& field, const DaySpan& wanted) const {
    if (field.spans == nullptr) return false;
    std::vector<DaySpan> spans;
    field.spans(block_.data, spans);
    return std::any_of(spans.begin(), spans.end(),
                       [&](const DaySpan& span) { return span.first <= wanted.last && wanted.first <= span.last; });
  }

 private:
  static Value Text(std::string_view text) {
    return Value{.text = std::string(text), .time_us = std::nullopt, .json = std::nullopt};
  }

  Value Data(const std::vector<std::string>& path) {
    if (!Parse()) return {};
    element value = root_;
    for (const std::string& key : path) {
      if (!value.is_object() || value.at_key(key).get(value) != simdjson::SUCCESS) return {};
    }
    if (value.is_null()) return {};
    return Value{.text = std::nullopt, .time_us = std::nullopt, .json = value};
  }

  bool Parse() {
    if (!parsed_) {
      thread_local simdjson::dom::parser kept;
      simdjson::dom::parser& parser = ParserFor(block_.data, kept, passing_);
      parsed_ = true;
      valid_ = parser.parse(block_.data.data(), block_.data.size()).get(root_) == simdjson::SUCCESS;
    }
    return valid_;
  }

  const BlockFields& block_;
  std::optional<simdjson::dom::parser> passing_;
  element root_;
  bool parsed_ = false;
  bool valid_ = false;
};

bool IsNumber(const element& value) { return value.is_int64() || value.is_uint64() || value.is_double(); }

std::partial_ordering CompareIntegers(const element& left, const Json& right) {
  // Both fit in 65 bits; the sign is compared first, so that the magnitudes can be compared without loss.
  const bool left_negative = left.is_int64() && int64_t{left} < 0;
  const bool right_negative = !right.is_number_unsigned() && right.get<int64_t>() < 0;
  if (left_negative != right_negative) {
    return left_negative ? std::partial_ordering::less : std::partial_ordering::greater;
  }
  if (left_negative) return int64_t{left} <=> right.get<int64_t>();
  const uint64_t magnitude = left.is_uint64() ? uint64_t{left} : static_cast<uint64_t>(int64_t{left});
  return magnitude <=> right.get<uint64_t>();
}

std::partial_ordering CompareNumbers(const element& left, const Json& right) {
  // is_double() is true for every number that a double can hold.
  if (left.type() != element_type::DOUBLE && right.is_number_integer()) return CompareIntegers(left, right);
  return double{left} <=> right.get<double>();
}

std::optional<absl::Time> ParseTime(const Json& value) {
  absl::Time time;
  if (!value.is_string() || !absl::ParseTime(absl::RFC3339_full, value.get_ref<const std::string&>(), &time, nullptr)) {
    return std::nullopt;
  }
  return time;
}

// Unordered if the two cannot be compared.
std::partial_ordering Order(const Value& value, const Json& wanted) {
  if (value.time_us) {
    const std::optional<absl::Time> time = ParseTime(wanted);
    if (!time) return std::partial_ordering::unordered;
    const absl::Time own = absl::FromUnixMicros(*value.time_us);
    return own < *time    ? std::partial_ordering::less
           : own == *time ? std::partial_ordering::equivalent
                          : std::partial_ordering::greater;
  }
  if (value.text) {
    if (!wanted.is_string()) return std::partial_ordering::unordered;
    return *value.text <=> wanted.get_ref<const std::string&>();
  }
  if (!value.json) return std::partial_ordering::unordered;
  if (value.json->is_string() && wanted.is_string()) {
    return std::string_view(*value.json) <=> std::string_view(wanted.get_ref<const std::string&>());
  }
  if (IsNumber(*value.json) && wanted.is_number()) return CompareNumbers(*value.json, wanted);
  return std::partial_ordering::unordered;
}

bool EqualJson(const element& left, const Json& right);

bool EqualArrays(const simdjson::dom::array& left, const Json& right) {
  if (left.size() != right.size()) return false;
  size_t i = 0;
  for (const element item : left) {
    if (!EqualJson(item, right[i++])) return false;
  }
  return true;
}

bool EqualObjects(const simdjson::dom::object& left, const Json& right) {
  if (left.size() != right.size()) return false;
  for (const auto [key, value] : left) {
    const auto found = right.find(std::string(key));
    if (found == right.end() || !EqualJson(value, *found)) return false;
  }
  return true;
}

bool EqualJson(const element& left, const Json& right) {
  switch (left.type()) {
    case element_type::ARRAY:
      return right.is_array() && EqualArrays(left.get_array(), right);
    case element_type::OBJECT:
      return right.is_object() && EqualObjects(left.get_object(), right);
    case element_type::BOOL:
      return right.is_boolean() && bool{left} == right.get<bool>();
    case element_type::NULL_VALUE:
      return right.is_null();
    case element_type::STRING:
      return right.is_string() && std::string_view(left) == right.get_ref<const std::string&>();
    default:
      return right.is_number() && std::is_eq(CompareNumbers(left, right));
  }
}

bool Equals(const Value& value, const Json& wanted) {
  if (value.json) return EqualJson(*value.json, wanted);
  return std::is_eq(Order(value, wanted));
}

bool ContainsText(std::string_view text, std::string_view part) {
  const auto same = [](char a, char b) {
    return absl::ascii_tolower(static_cast<unsigned char>(a)) == absl::ascii_tolower(static_cast<unsigned char>(b));
  };
  return part.empty() || std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

std::optional<std::string> TextOf(const Value& value) {
  if (value.text) return value.text;
  if (value.time_us) return TimeText(*value.time_us);
  if (value.json && value.json->is_string()) return std::string(std::string_view(*value.json));
  return std::nullopt;
}

bool Contains(const Value& value, const Json& wanted) {
  if (value.json && value.json->is_array()) {
    const simdjson::dom::array items = value.json->get_array();
    return std::any_of(items.begin(), items.end(), [&](const element item) { return EqualJson(item, wanted); });
  }
  const std::optional<std::string> text = TextOf(value);
  return text && wanted.is_string() && ContainsText(*text, wanted.get_ref<const std::string&>());
}

bool HasLabel(const Value& value, const Json& wanted) {
  if (!value.json || !value.json->is_array() || !wanted.is_string()) return false;
  const simdjson::dom::array items = value.json->get_array();
  return std::any_of(items.begin(), items.end(), [&](const element item) {
    return item.is_string() && text::EqualFolded(std::string_view(item), wanted.get_ref<const std::string&>());
  });
}

bool HasElement(const Value& value, const Json& wanted) {
  if (!value.json || !value.json->is_array() || !wanted.is_string()) return false;
  const simdjson::dom::array items = value.json->get_array();
  return std::any_of(items.begin(), items.end(), [&](const element item) { return EqualJson(item, wanted); });
}

bool IsEmpty(const Value& value) {
  if (value.missing()) return true;
  if (value.text) return value.text->empty();
  if (value.time_us) return false;
  if (value.json->is_string()) return std::string_view(*value.json).empty();
  if (value.json->is_array()) return value.json->get_array().size() == 0;
  return value.json->is_object() && value.json->get_object().size() == 0;
}

bool IsScalar(const Value& value) {
  if (!value.json) return !value.missing();
  return value.json->is_string() || value.json->is_bool() || IsNumber(*value.json);
}

bool HasLength(const Value& value, const Json& wanted) {
  const std::optional<std::string> text = TextOf(value);
  if (!text || !wanted.is_number()) return false;
  return static_cast<double>(text::CountCharacters(*text)) == wanted.get<double>();
}

bool IsInRanges(const Value& value, const Json& wanted) {
  const auto ranges = RangesIn(wanted);
  if (!value.text.has_value() || !ranges.has_value()) return false;
  return std::any_of(ranges->begin(), ranges->end(),
                     [&](const auto& range) { return range.first <= *value.text && *value.text < range.second; });
}

bool MatchesComparison(const Filter& filter, Row& row) {
  if (filter.op == Filter::Op::kOverlaps) {
    const std::optional<DaySpan> wanted = SpanIn(filter.value);
    return wanted.has_value() && row.HasDayWithin(filter.field, *wanted);
  }
  const Value value = row.Get(filter.field);
  switch (filter.op) {
    case Filter::Op::kEquals:
      return Equals(value, filter.value);
    case Filter::Op::kNotEquals:
      return !Equals(value, filter.value);
    case Filter::Op::kContains:
      return Contains(value, filter.value);
    case Filter::Op::kGreaterThan:
      return std::is_gt(Order(value, filter.value));
    case Filter::Op::kGreaterOrEqual:
      return std::is_gteq(Order(value, filter.value));
    case Filter::Op::kLessThan:
      return std::is_lt(Order(value, filter.value));
    case Filter::Op::kLessOrEqual:
      return std::is_lteq(Order(value, filter.value));
    case Filter::Op::kIsEmpty:
      return IsEmpty(value);
    case Filter::Op::kIsNotEmpty:
      return !IsEmpty(value);
    case Filter::Op::kLengthEquals:
      return HasLength(value, filter.value);
    case Filter::Op::kHasLabel:
      return HasLabel(value, filter.value);
    case Filter::Op::kHasElement:
      return HasElement(value, filter.value);
    case Filter::Op::kIsScalar:
      return IsScalar(value);
    case Filter::Op::kInRanges:
      return IsInRanges(value, filter.value);
    case Filter::Op::kOverlaps:
      return false;
  }
  return false;
}

bool MatchesRow(const Filter& filter, Row& row) {
  const auto matches = [&row](const Filter& child) { return MatchesRow(child, row); };
  switch (filter.kind) {
    case Filter::Kind::kAnd:
      return std::all_of(filter.children.begin(), filter.children.end(), matches);
    case Filter::Kind::kOr:
      return std::any_of(filter.children.begin(), filter.children.end(), matches);
    case Filter::Kind::kNot:
      return std::none_of(filter.children.begin(), filter.children.end(), matches);
    case Filter::Kind::kCompare:
      return MatchesComparison(filter, row);
  }
  return false;
}

}  // namespace

bool Matches(const Filter& filter, const BlockFields& block) {
  Row row(block);
  return MatchesRow(filter, row);
}

std::optional<DaySpan> SpanIn(const Json& value) {
  if (!value.is_array() || value.size() != 2 || !value[0].is_number_integer() || !value[1].is_number_integer()) {
    return std::nullopt;
  }
  return DaySpan{value[0].get<int64_t>(), value[1].get<int64_t>()};
}

std::optional<std::vector<std::pair<std::string, std::string>>> RangesIn(const Json& value) {
  if (!value.is_array()) return std::nullopt;
  std::vector<std::pair<std::string, std::string>> ranges;
  for (const Json& range : value) {
    if (!range.is_array() || range.size() != 2 || !range[0].is_string() || !range[1].is_string()) return std::nullopt;
    ranges.emplace_back(range[0].get<std::string>(), range[1].get<std::string>());
  }
  return ranges;
}

SortKey SortKeyOf(const Field& field, const BlockFields& block) {
  Row row(block);
  const Value value = row.Get(field);
  if (value.text) return *value.text;
  if (value.time_us) return *value.time_us;
  if (!value.json) return {};
  if (value.json->is_string()) return CutForIndex(std::string_view(*value.json));
  if (value.json->is_bool()) return static_cast<int64_t>(bool{*value.json});
  if (value.json->is_int64()) return int64_t{*value.json};
  if (IsNumber(*value.json)) return double{*value.json};
  return {};
}

std::string TimeText(int64_t unix_micros) {
  return absl::FormatTime(absl::RFC3339_full, absl::FromUnixMicros(unix_micros), absl::UTCTimeZone());
}

}  // namespace toolgate::storage
