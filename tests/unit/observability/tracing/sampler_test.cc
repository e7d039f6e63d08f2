#include "observability/tracing/sampler.h"

#include <string_view>

#include "common/ids.h"
#include "gtest/gtest.h"
#include "observability/trace_ids.h"

namespace toolgate::observability::tracing {
namespace {

constexpr bool kRoot = false;
constexpr bool kChild = true;

TraceContext Received(uint8_t flags) { return {1, 2, 3, flags, {}}; }

TEST(SamplerTest, AlwaysOnAndOffDecideAlone) {
  const Sampler on = *Sampler::Create("always_on", 0);
  const Sampler off = *Sampler::Create("always_off", 1);
  for (const bool has_parent : {kRoot, kChild}) {
    for (const uint8_t flags : {0, 1}) {
      EXPECT_TRUE(on.IsSampled(Received(flags), has_parent));
      EXPECT_FALSE(off.IsSampled(Received(flags), has_parent));
    }
  }
}

TEST(SamplerTest, TheParentDecidesIfThereIsOne) {
  for (const std::string_view name : {"parentbased_always_on", "parentbased_always_off"}) {
    const Sampler sampler = *Sampler::Create(name, 1);
    EXPECT_TRUE(sampler.IsSampled(Received(1), kChild)) << name;
    EXPECT_FALSE(sampler.IsSampled(Received(0), kChild)) << name;
  }
  EXPECT_TRUE(Sampler::Create("parentbased_always_on", 1)->IsSampled(Received(0), kRoot));
  EXPECT_FALSE(Sampler::Create("parentbased_always_off", 1)->IsSampled(Received(1), kRoot));
}

TEST(SamplerTest, ARatioSamplesItsShareByTheTraceId) {
  TraceIds ids(IdSource::Real());
  const Sampler tenth = *Sampler::Create("traceidratio", 0.1);
  const Sampler half = *Sampler::Create("parentbased_traceidratio", 0.5);
  int in_tenth = 0;
  for (int i = 0; i < 100'000; ++i) {
    const TraceContext trace = ids.NewTrace();
    if (!tenth.IsSampled(trace, kRoot)) continue;
    ++in_tenth;
    EXPECT_TRUE(half.IsSampled(trace, kRoot)) << "a lower ratio samples a part of what a higher one does";
  }
  EXPECT_NEAR(in_tenth, 10'000, 1'000);
}

TEST(SamplerTest, ARatioOfNoneAndAllIsExact) {
  const TraceContext lowest{0, 1, 1, 0, {}};
  const TraceContext highest{0, ~uint64_t{0}, 1, 0, {}};
  EXPECT_FALSE(Sampler::Create("traceidratio", 0)->IsSampled(lowest, kRoot));
  EXPECT_TRUE(Sampler::Create("traceidratio", 1)->IsSampled(highest, kRoot));
}

TEST(SamplerTest, OtherNamesAreNone) {
  for (const std::string_view name : {"", "on", "always", "parentbased_", "parentbased_jaeger_remote", "ALWAYS_ON"}) {
    EXPECT_FALSE(Sampler::Create(name, 1).has_value()) << name;
  }
}

}  // namespace
}  // namespace toolgate::observability::tracing
