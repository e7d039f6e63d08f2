#include "executors/cypher/temporal/temporal.h"

#include <algorithm>
#include <array>

namespace toolgate::executors::cypher::temporal {
namespace {

// In the order of Kind.
constexpr std::array<std::string_view, 6> kFunctions = {"date",          "localtime", "time",
                                                        "localdatetime", "datetime",  "duration"};

}  // namespace

Kind KindOf(const Temporal& value) { return static_cast<Kind>(value.index()); }

bool IsTimeOfDay(Kind kind) { return kind == Kind::kLocalTime || kind == Kind::kTime; }

std::string_view FunctionName(Kind kind) { return kFunctions[static_cast<size_t>(kind)]; }

std::optional<Kind> KindOfFunction(std::string_view name) {
  const auto found = std::find(kFunctions.begin(), kFunctions.end(), name);
  if (found == kFunctions.end()) return std::nullopt;
  return static_cast<Kind>(found - kFunctions.begin());
}

std::string ToString(const Temporal& value) {
  return std::visit([](const auto& alternative) { return alternative.ToString(); }, value);
}

std::optional<std::strong_ordering> Compare(const Temporal& a, const Temporal& b) {
  if (a.index() != b.index() || KindOf(a) == Kind::kDuration) return std::nullopt;
  return Order(a, b);
}

std::strong_ordering Order(const Temporal& a, const Temporal& b) {
  if (a.index() != b.index()) return a.index() <=> b.index();
  const auto order = [&b](const auto& left) -> std::strong_ordering {
    return left <=> std::get<std::decay_t<decltype(left)>>(b);
  };
  return std::visit(order, a);
}

}  // namespace toolgate::executors::cypher::temporal
