#include "storage/traced_store.h"

#include <string>
#include <variant>

#include "common/ids.h"
#include "common/tool_error.h"
#include "gtest/gtest.h"
#include "observability/trace_context.h"
#include "observability/trace_ids.h"
#include "observability/tracing/attribute_names.h"
#include "observability/tracing/trace_recording.h"
#include "storage/forwarding_store.h"
#include "tests/support/kept_traces.h"
#include "tests/support/store_fixture.h"

namespace toolgate::storage {
namespace {

using observability::TraceContext;
using observability::TraceIds;
using observability::tracing::Span;
using observability::tracing::SpanKind;
using observability::tracing::TraceRecording;
using testing::FindAttribute;
using testing::FindSpan;
using testing::FindText;

namespace tracing = observability::tracing;

class TracedStoreTest : public testing::StoreFixture {
 protected:
  absl::Status Read(absl::Status result) {
    return traced_.Read("w", {.call_span = {&call_, &recording_}}, [&](ReadView&) {
      clock_.Advance(absl::Milliseconds(2));
      return result;
    });
  }

  TraceIds ids_{IdSource::Real()};
  const TraceContext call_{1, 2, 4, 1, {}};
  TraceRecording recording_{{1, 2, 3, 1, {}}, ids_, clock_};
  TracedStore traced_{std::make_unique<ForwardingStore>(*store_),
                      {tracing::kSqlite, "toolgate.db", SpanKind::kInternal}};
};

TEST_F(TracedStoreTest, AReadIsASpanOfItsCall) {
  ASSERT_TRUE(Read(absl::OkStatus()).ok());
  const Span* const span = FindSpan(recording_, "read toolgate.db");
  ASSERT_NE(span, nullptr);
  EXPECT_EQ(span->parent_id, 4u);
  EXPECT_EQ(span->kind, SpanKind::kInternal);
  EXPECT_FALSE(span->failed);
  EXPECT_EQ(span->end_ns - span->start_ns, 2'000'000);
  EXPECT_EQ(FindText(recording_, span, tracing::kDbSystemName), "sqlite");
  EXPECT_EQ(FindText(recording_, span, tracing::kDbNamespace), "toolgate.db");
  EXPECT_EQ(FindText(recording_, span, tracing::kDbOperationName), "read");
}

TEST_F(TracedStoreTest, AMutationTellsHowLongItWaited) {
  const WriteContext context{"w", "ann", "change", clock_.Now(), {&call_, &recording_}};
  const absl::Status committed =
      traced_.Commit(context, CommitMode::kDurable, fibers::Cancellation(), [&](Transaction& transaction) {
        clock_.Advance(absl::Milliseconds(3));
        return transaction.CreateBlock({.type = "page", .data = "{}"}).status();
      });
  ASSERT_TRUE(committed.ok()) << committed;
  const Span* const span = FindSpan(recording_, "write toolgate.db");
  ASSERT_NE(span, nullptr);
  EXPECT_EQ(span->end_ns - span->start_ns, 3'000'000);
  EXPECT_EQ(std::get<double>(FindAttribute(recording_, span, tracing::kQueueDuration).value()), 0.0);
  EXPECT_EQ(Pages(), 1);
}

TEST_F(TracedStoreTest, OnlyTheStoresOwnFailureIsAnError) {
  EXPECT_FALSE(Read(MakeError(ErrorCode::kNotFound, "there is no such block")).ok());
  EXPECT_FALSE(recording_.spans()[0].failed);
  EXPECT_FALSE(Read(absl::UnavailableError("gone")).ok());
  EXPECT_TRUE(recording_.spans()[1].failed);
  EXPECT_EQ(FindText(recording_, &recording_.spans()[1], tracing::kErrorType), "UNAVAILABLE");
}

TEST_F(TracedStoreTest, ReadsOfTheAuditLogAreSpansToo) {
  const ReadPatience patience{.call_span = {&call_, &recording_}};
  EXPECT_TRUE(traced_.VerifyChain("w", patience).ok());
  EXPECT_TRUE(traced_.SearchAudit("w", patience, {}).ok());
  EXPECT_FALSE(traced_.GetAudit("w", patience, "none").ok());
  EXPECT_EQ(recording_.spans().size(), 3u);
}

TEST_F(TracedStoreTest, WorkForAnUnsampledCallIsNotRecorded) {
  EXPECT_TRUE(traced_.Read("w", {.call_span = {&call_, nullptr}}, [](ReadView&) { return absl::OkStatus(); }).ok());
  EXPECT_TRUE(recording_.spans().empty());
}

}  // namespace
}  // namespace toolgate::storage
