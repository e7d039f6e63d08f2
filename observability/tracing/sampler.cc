#include "observability/tracing/sampler.h"

#include <algorithm>

namespace toolgate::observability::tracing {
namespace {

constexpr std::string_view kParentBased = "parentbased_";
constexpr uint64_t kAll = uint64_t{1} << 63;

}  // namespace

std::optional<Sampler> Sampler::Create(std::string_view name, double ratio) {
  const bool parent_based = name.starts_with(kParentBased);
  if (parent_based) name.remove_prefix(kParentBased.size());
  if (name == "always_on") return Sampler(parent_based, kAll);
  if (name == "always_off") return Sampler(parent_based, 0);
  if (name != "traceidratio") return std::nullopt;
  const double bounded = std::clamp(ratio, 0.0, 1.0);
  return Sampler(parent_based, static_cast<uint64_t>(bounded * static_cast<double>(kAll)));
}

}  // namespace toolgate::observability::tracing
