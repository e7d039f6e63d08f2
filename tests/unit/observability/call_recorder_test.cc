#include "observability/call_recorder.h"

#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"

namespace toolgate::observability {
namespace {

class RecordingObserver final : public CallObserver {
 public:
  void OnCallStarted(const CallStarted& call) override { started.emplace_back(call.tool_id); }
  void OnCallEnded(const CallStarted& call, const CallEnded& ended) override {
    end = ended;
    layers.assign(ended.layers.begin(), ended.layers.end());
  }

  std::vector<std::string> started;
  std::optional<CallEnded> end;
  std::vector<LayerTiming> layers;
};

class CallRecorderTest : public ::testing::Test {
 protected:
  CallStarted Start() {
    CallStarted call{.trace = trace_};
    call.tool_id = "get_block";
    call.arrived_ns = clock_.MonotonicNanos();
    return call;
  }
  void Pass(int nanos) { clock_.Advance(absl::Nanoseconds(nanos)); }

  toolgate::testing::FakeClock clock_;
  TraceContext trace_;
  RecordingObserver observer_;
};

TEST_F(CallRecorderTest, ObservesTheStartAtOnceAndTheEndWhenItGoes) {
  {
    CallRecorder recorder(observer_, clock_, Start());
    EXPECT_EQ(observer_.started, std::vector<std::string>{"get_block"});
    EXPECT_FALSE(observer_.end.has_value());
    Pass(700);
    recorder.end().outcome = CallOutcome::kSucceeded;
  }
  ASSERT_TRUE(observer_.end.has_value());
  EXPECT_EQ(observer_.end->outcome, CallOutcome::kSucceeded);
  EXPECT_EQ(observer_.end->ended_ns, 700);
}

TEST_F(CallRecorderTest, ACallThatNobodyConcludedIsAFailure) {
  { CallRecorder recorder(observer_, clock_, Start()); }
  EXPECT_EQ(observer_.end->outcome, CallOutcome::kFailed);
  EXPECT_EQ(OutcomeName(observer_.end->outcome, observer_.end->error), "EXECUTION_ERROR");
}

TEST_F(CallRecorderTest, ALayersOwnTimeLeavesOutTheLayersInside) {
  {
    CallRecorder recorder(observer_, clock_, Start());
    const auto outer = recorder.EnterLayer(0, "outer");
    Pass(10);
    {
      const auto middle = recorder.EnterLayer(1, "middle");
      Pass(100);
      {
        const auto inner = recorder.EnterLayer(2, "inner");
        Pass(1000);
      }
      Pass(20);
    }
    Pass(3);
  }
  ASSERT_EQ(observer_.layers.size(), 3u);
  EXPECT_EQ(observer_.layers[0].self_ns, 13);
  EXPECT_EQ(observer_.layers[1].self_ns, 120);
  EXPECT_EQ(observer_.layers[2].self_ns, 1000);
  EXPECT_EQ(observer_.layers[0].left_ns - observer_.layers[0].entered_ns, 1133);
  EXPECT_EQ(observer_.layers[1].name, "middle");
}

TEST_F(CallRecorderTest, LayersOneAfterTheOtherAreSiblings) {
  {
    CallRecorder recorder(observer_, clock_, Start());
    {
      const auto first = recorder.EnterLayer(0, "first");
      Pass(1);
    }
    {
      const auto second = recorder.EnterLayer(1, "second");
      Pass(2);
    }
  }
  EXPECT_EQ(observer_.layers[0].self_ns, 1);
  EXPECT_EQ(observer_.layers[1].self_ns, 2);
}

TEST_F(CallRecorderTest, MarksTheLayerThatRefused) {
  {
    CallRecorder recorder(observer_, clock_, Start());
    const auto outer = recorder.EnterLayer(0, "outer");
    const auto inner = recorder.EnterLayer(1, "inner");
    recorder.end().outcome = CallOutcome::kRefused;
    recorder.end().error = ErrorCode::kForbidden;
    recorder.end().refused_by = "inner";
  }
  EXPECT_FALSE(observer_.layers[0].refused);
  EXPECT_TRUE(observer_.layers[1].refused);
}

TEST_F(CallRecorderTest, MoreLayersThanFitAreNotTimed) {
  {
    CallRecorder recorder(observer_, clock_, Start());
    for (size_t i = 0; i < CallRecorder::kMaxLayers + 5; ++i) {
      const auto layer = recorder.EnterLayer(i, "layer");
      Pass(1);
    }
  }
  EXPECT_EQ(observer_.layers.size(), CallRecorder::kMaxLayers);
}

TEST_F(CallRecorderTest, AListTellsEveryObserver) {
  RecordingObserver second;
  CallObserverList list({&observer_, &second});
  { CallRecorder recorder(list, clock_, Start()); }
  EXPECT_EQ(observer_.started.size(), 1u);
  EXPECT_EQ(second.started.size(), 1u);
  EXPECT_TRUE(observer_.end.has_value());
  EXPECT_TRUE(second.end.has_value());
}

}  // namespace
}  // namespace toolgate::observability
