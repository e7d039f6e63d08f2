#include "observability/trace_ids.h"

#include <cstring>
#include <string>

namespace toolgate::observability {
namespace {

constexpr uint64_t kGamma = 0x9e3779b97f4a7c15;  // The increment of SplitMix64 (Steele, Lea, Flood 2014).

uint64_t Seed(IdSource& ids) {
  const std::string bytes = ids.RandomBytes(sizeof(uint64_t));
  uint64_t seed;
  std::memcpy(&seed, bytes.data(), sizeof(seed));
  return seed;
}

uint64_t Mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

TraceIds::TraceIds(IdSource& ids) : state_(Seed(ids)), salt_(Seed(ids)) {}

uint64_t TraceIds::Id(uint64_t state) const {
  const uint64_t id = Mix(Mix(state) + salt_);
  return id == 0 ? 1 : id;
}

TraceContext TraceIds::NewTrace() {
  const uint64_t state = state_.fetch_add(3 * kGamma, std::memory_order_relaxed);
  return {Id(state), Id(state + kGamma), Id(state + 2 * kGamma), 0, {}};
}

TraceContext TraceIds::NewChild(const TraceContext& parent) {
  if (!parent.valid()) return NewTrace();
  TraceContext child = parent;
  child.span_id = NewSpanId();
  return child;
}

uint64_t TraceIds::NewSpanId() { return Id(state_.fetch_add(kGamma, std::memory_order_relaxed)); }

}  // namespace toolgate::observability
