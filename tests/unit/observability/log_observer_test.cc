#include "observability/log_observer.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "common/json.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"
#include "tests/support/memory_sink.h"

namespace toolgate::observability {
namespace {

using ::testing::StartsWith;

class LogObserverTest : public ::testing::Test {
 protected:
  Json Observe(const CallEnded& end, LogLevel level = LogLevel::kDebug) {
    Logger logger(sink_, clock_, level, LogFormat::kJson);
    LogObserver observer(logger, mask_, mask_all_);
    CallStarted call{.trace = trace_};
    call.call_id = "call-1";
    call.tool_id = tool_id_;
    call.conversation_id = "c-1";
    call.arrived_ns = 1'000;
    observer.OnCallEnded(call, end);
    return sink_.Last();
  }

  std::string tool_id_ = "delete_block";
  toolgate::testing::FakeClock clock_;
  const TraceContext trace_ = *ParseTraceParent("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  toolgate::testing::MemorySink sink_;
  LogMask mask_ = [](std::string_view text) { return std::string(text); };
  LogMask mask_all_ = mask_;
};

TEST_F(LogObserverTest, ARefusalNamesTheCallTheTraceAndTheLayer) {
  CallEnded end;
  end.outcome = CallOutcome::kRefused;
  end.error = ErrorCode::kForbidden;
  end.refused_by = "authorization";
  end.ended_ns = 2'001'000;
  const Json event = Observe(end);
  EXPECT_EQ(event["level"], "info");
  EXPECT_EQ(event["message"], "call refused");
  EXPECT_EQ(event["call_id"], "call-1");
  EXPECT_EQ(event["trace_id"], "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(event["tool"], "delete_block");
  EXPECT_EQ(event["outcome"], "FORBIDDEN");
  EXPECT_EQ(event["refused_by"], "authorization");
  EXPECT_EQ(event["duration_seconds"], 0.002);
}

TEST_F(LogObserverTest, WhatACallerSaysIsMasked) {
  mask_ = [](std::string_view text) { return text == "delete_block" ? "[masked]" : std::string(text); };
  EXPECT_EQ(Observe({})["tool"], "[masked]");
  EXPECT_EQ(Observe({})["conversation_id"], "c-1");
  mask_all_ = [](std::string_view text) { return text == "c-1" ? "[masked]" : std::string(text); };
  EXPECT_EQ(Observe({})["conversation_id"], "[masked]") << "by personal data as well, as in the audit log";
}

TEST_F(LogObserverTest, OnlyWhatALineMayHoldOfALongTextIsMasked) {
  size_t longest = 0;
  mask_ = [&](std::string_view text) {
    longest = std::max(longest, text.size());
    return std::string(text);
  };
  tool_id_ = std::string(3'500'000, 't');
  EXPECT_THAT(Observe({})["tool"].get<std::string>(), StartsWith("tttt"));
  EXPECT_EQ(longest, 2 * Logger::kMaxValueBytes);
}

TEST_F(LogObserverTest, AFaultOfTheServiceIsAWarning) {
  CallEnded end;
  end.error = ErrorCode::kExecutionError;
  end.reference_id = "ref-7";
  const Json event = Observe(end);
  EXPECT_EQ(event["level"], "warning");
  EXPECT_EQ(event["reference_id"], "ref-7");
}

TEST_F(LogObserverTest, AGoodCallIsOnlyForDebugging) {
  CallEnded end;
  end.outcome = CallOutcome::kSucceeded;
  EXPECT_TRUE(Observe(end, LogLevel::kInfo).is_null());
  EXPECT_EQ(Observe(end, LogLevel::kDebug)["outcome"], "OK");
}

TEST_F(LogObserverTest, FindingsOfLayerOneAreAWarningWhateverBecameOfTheCall) {
  const CallFinding findings[] = {{"wording", FindingAction::kRecord, FindingSource::kArguments},
                                  {"role_spoofing", FindingAction::kRecord, FindingSource::kArguments},
                                  {"wording", FindingAction::kRecord, FindingSource::kArguments}};
  CallEnded end;
  end.outcome = CallOutcome::kSucceeded;
  end.findings = std::size(findings);
  end.finding_list = findings;
  end.audit_entry_id = "entry-1";
  const Json event = Observe(end, LogLevel::kInfo);
  EXPECT_EQ(event["level"], "warning");
  EXPECT_EQ(event["tool"], "delete_block");
  EXPECT_EQ(event["action"], "record");
  EXPECT_EQ(event["source"], "arguments");
  EXPECT_EQ(event["families"], "wording,role_spoofing");
  EXPECT_EQ(event["findings"], 3);
  EXPECT_EQ(event["audit_entry_id"], "entry-1");
}

TEST_F(LogObserverTest, AFloodOfRefusalsIsBoundedByLayerAndReason) {
  Logger logger(sink_, clock_, LogLevel::kInfo, LogFormat::kJson, {.max_lines = 2, .interval = absl::Seconds(10)});
  LogObserver observer(logger, mask_, mask_all_);
  CallEnded end;
  end.outcome = CallOutcome::kRefused;
  end.error = ErrorCode::kUnknownTool;
  end.refused_by = "resolve";
  const auto refuse = [&](const std::string& tool) {
    CallStarted call{.trace = trace_};
    call.tool_id = tool;
    observer.OnCallEnded(call, end);
  };
  for (int i = 0; i < 100; ++i) refuse("made up " + std::to_string(i));
  EXPECT_EQ(sink_.lines().size(), 2u);
  end.error = ErrorCode::kForbidden;
  end.refused_by = "authorization";
  refuse("delete_block");
  EXPECT_EQ(sink_.lines().size(), 3u);
}

}  // namespace
}  // namespace toolgate::observability
