#include "executors/cypher/values/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>

#include "absl/hash/hash.h"

namespace toolgate::executors::cypher::values {
namespace {

// Exact, although not every integer is a double.
std::partial_ordering CompareMixed(int64_t a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= 0x1p63) return std::partial_ordering::less;
  if (b < -0x1p63) return std::partial_ordering::greater;
  const auto whole = static_cast<int64_t>(b);
  if (a != whole) return a <=> whole;
  return 0.0 <=> (b - static_cast<double>(whole));
}

std::partial_ordering Reversed(std::partial_ordering order) {
  if (std::is_lt(order)) return std::partial_ordering::greater;
  return std::is_gt(order) ? std::partial_ordering::less : order;
}

std::partial_ordering CompareNumbers(const Value& a, const Value& b) {
  if (a.is_integer() && b.is_integer()) return a.integer() <=> b.integer();
  if (a.is_integer()) return CompareMixed(a.integer(), b.floating());
  if (b.is_integer()) return Reversed(CompareMixed(b.integer(), a.floating()));
  return a.floating() <=> b.floating();
}

// "And" of three-valued logic over element-wise equality: a difference outweighs a null.
Ternary EqualLists(const List& a, const List& b) {
  if (a.size() != b.size()) return false;
  Ternary all = true;
  for (size_t i = 0; i < a.size(); ++i) {
    const Ternary equal = Equal(a[i], b[i]);
    if (equal == false) return false;
    if (!equal.has_value()) all = std::nullopt;
  }
  return all;
}

Ternary EqualMaps(const Map& a, const Map& b) {
  if (a.size() != b.size()) return false;
  Ternary all = true;
  for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y) {
    if (x->first != y->first) return false;
    const Ternary equal = Equal(x->second, y->second);
    if (equal == false) return false;
    if (!equal.has_value()) all = std::nullopt;
  }
  return all;
}

// The first elements that differ decide; a list is less than one that continues it.
std::optional<std::partial_ordering> CompareLists(const List& a, const List& b) {
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const std::optional<std::partial_ordering> order = Compare(a[i], b[i]);
    if (order != std::partial_ordering::equivalent) return order;
  }
  return a.size() <=> b.size();
}

int TemporalRank(temporal::Kind kind) {
  switch (kind) {
    case temporal::Kind::kDateTime:
      return 10;
    case temporal::Kind::kLocalDateTime:
      return 11;
    case temporal::Kind::kDate:
      return 12;
    case temporal::Kind::kTime:
      return 13;
    case temporal::Kind::kLocalTime:
      return 14;
    case temporal::Kind::kDuration:
      return 15;
  }
  return 16;
}

int Rank(const Value& value) {
  switch (value.type()) {
    case Type::kMap:
      return 0;
    case Type::kNode:
      return 1;
    case Type::kRelationship:
      return 2;
    case Type::kList:
      return 3;
    case Type::kPath:
      return 4;
    case Type::kTemporal:
      return TemporalRank(temporal::KindOf(value.temporal()));
    case Type::kString:
      return 20;
    case Type::kBoolean:
      return 21;
    case Type::kInteger:
    case Type::kFloat:
      return 22;
    case Type::kNull:
      return 23;
  }
  return 24;
}

std::weak_ordering OrderLists(const List& a, const List& b) {
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end(), Order);
}

std::weak_ordering OrderMaps(const Map& a, const Map& b) {
  return std::lexicographical_compare_three_way(
      a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) -> std::weak_ordering {
        const std::weak_ordering keys = x.first <=> y.first;
        return keys == std::weak_ordering::equivalent ? Order(x.second, y.second) : keys;
      });
}

std::weak_ordering OrderPaths(const Path& a, const Path& b) {
  const auto steps = [](const Relationship& x, const Relationship& y) -> std::weak_ordering { return x.id <=> y.id; };
  if (const std::weak_ordering first = a.nodes.front().id <=> b.nodes.front().id; std::is_neq(first)) return first;
  const std::weak_ordering order = std::lexicographical_compare_three_way(
      a.relationships.begin(), a.relationships.end(), b.relationships.begin(), b.relationships.end(), steps);
  if (std::is_neq(order)) return order;
  return a.nodes.back().id <=> b.nodes.back().id;
}

// NaN is the greatest number and equivalent to itself.
std::weak_ordering OrderNumbers(const Value& a, const Value& b) {
  const std::partial_ordering order = CompareNumbers(a, b);
  if (order == std::partial_ordering::less) return std::weak_ordering::less;
  if (order == std::partial_ordering::greater) return std::weak_ordering::greater;
  if (order == std::partial_ordering::equivalent) return std::weak_ordering::equivalent;
  return std::isnan(a.number()) <=> std::isnan(b.number());
}

// Integral floats hash like the integers that they equal.
size_t HashNumber(double number) {
  if (std::isnan(number)) return 0x7ff8;
  if (number >= -0x1p63 && number < 0x1p63 && std::trunc(number) == number) {
    return absl::HashOf(static_cast<int64_t>(number));
  }
  return absl::HashOf(number);
}

size_t Combine(size_t seed, size_t hash) { return absl::HashOf(seed, hash); }

}  // namespace

Ternary Equal(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) return std::nullopt;
  if (a.is_number() && b.is_number()) return std::is_eq(CompareNumbers(a, b));
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case Type::kBoolean:
      return a.boolean() == b.boolean();
    case Type::kString:
      return a.string() == b.string();
    case Type::kList:
      return EqualLists(a.list(), b.list());
    case Type::kMap:
      return EqualMaps(a.map(), b.map());
    case Type::kNode:
      return a.node() == b.node();
    case Type::kRelationship:
      return a.relationship() == b.relationship();
    case Type::kPath:
      return a.path() == b.path();
    case Type::kTemporal:
      return a.temporal() == b.temporal();
    default:
      return false;
  }
}

std::optional<std::partial_ordering> Compare(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return CompareNumbers(a, b);
  if (a.type() != b.type()) return std::nullopt;
  switch (a.type()) {
    case Type::kBoolean:
      return a.boolean() <=> b.boolean();
    case Type::kString:
      return a.string() <=> b.string();
    case Type::kList:
      return CompareLists(a.list(), b.list());
    case Type::kTemporal:
      return temporal::Compare(a.temporal(), b.temporal());
    default:
      return std::nullopt;
  }
}

std::weak_ordering Order(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return OrderNumbers(a, b);
  if (const int x = Rank(a), y = Rank(b); x != y) return x <=> y;
  switch (a.type()) {
    case Type::kBoolean:
      return a.boolean() <=> b.boolean();
    case Type::kString:
      return a.string() <=> b.string();
    case Type::kList:
      return OrderLists(a.list(), b.list());
    case Type::kMap:
      return OrderMaps(a.map(), b.map());
    case Type::kNode:
      return a.node().id <=> b.node().id;
    case Type::kRelationship:
      return a.relationship().id <=> b.relationship().id;
    case Type::kPath:
      return OrderPaths(a.path(), b.path());
    case Type::kTemporal:
      return temporal::Order(a.temporal(), b.temporal());
    default:
      return std::weak_ordering::equivalent;
  }
}

size_t Hash(const Value& value) {
  switch (value.type()) {
    case Type::kBoolean:
      return absl::HashOf(value.boolean(), 'b');
    case Type::kInteger:
      return absl::HashOf(value.integer());
    case Type::kFloat:
      return HashNumber(value.floating());
    case Type::kString:
      return absl::HashOf(value.string());
    case Type::kList: {
      size_t hash = value.list().size();
      for (const Value& item : value.list()) hash = Combine(hash, Hash(item));
      return hash;
    }
    case Type::kMap: {
      size_t hash = value.map().size();
      for (const auto& [key, item] : value.map()) hash = absl::HashOf(hash, key, Hash(item));
      return hash;
    }
    case Type::kNode:
      return absl::HashOf(value.node().id, 'n');
    case Type::kRelationship:
      return absl::HashOf(value.relationship().id, 'r');
    case Type::kPath: {
      size_t hash = absl::HashOf(value.path().nodes.front().id, 'p');
      for (const Relationship& step : value.path().relationships) hash = Combine(hash, absl::HashOf(step.id));
      return hash;
    }
    case Type::kTemporal:
      return absl::HashOf(temporal::ToString(value.temporal()), 't');
    default:
      return 0;
  }
}

}  // namespace toolgate::executors::cypher::values
