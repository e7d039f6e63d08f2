#include "services/app/saturation_metrics.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/synchronization/notification.h"
#include "common/fibers/cancellation.h"
#include "executors/registration/registration.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/memory_sink.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_store.h"

namespace toolgate::services::app {
namespace {

using coordination::limits::LocalLimiterStore;
using security::execution_tracking::Bulkhead;
using security::execution_tracking::ExecutionState;

class SaturationMetricsTest : public ::testing::Test {
 protected:
  SaturationMetricsTest() {
    config_.mutable_execution_tracking()->set_max_in_flight(8);
    config_.mutable_execution_tracking()->set_max_effects(5);
    config_.mutable_audit()->mutable_flush_interval()->set_seconds(3600);
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    store_ = testing::MakeTestStore(options);
    state_ = ExecutionState::Create(executors::registration::BuiltInCatalog({}).value()->tools(),
                                    config_.execution_tracking(), clock_)
                 .value();
    limits_ = LocalLimiterStore::Create(3, clock_).value();
    audit_ =
        std::make_unique<audit::AuditQueue>(*store_, config_.audit(), audit::AuditQueue::Options{.clock = &clock_});
  }

  // All values by "name{label}".
  std::map<std::string, double> Values() {
    std::map<std::string, double> values;
    for (const observability::SampledMetric& metric :
         SaturationMetrics({*state_, workers_, *audit_, limits_.get(), 3, 100, logger_})) {
      for (const prometheus::ClientMetric& series : observability::Sample(metric).metric) {
        const std::string label = series.label.empty() ? "" : "{" + series.label[0].value + "}";
        values[metric.rows.name + label] =
            metric.kind == observability::SampledMetric::Kind::kCounter ? series.counter.value : series.gauge.value;
      }
    }
    return values;
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  testing::MemorySink sink_;
  observability::Logger logger_{sink_, clock_, observability::LogLevel::kInfo, observability::LogFormat::kJson};
  toolgate::config::v1::Config config_ = services::config::Load({}).value();
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<ExecutionState> state_;
  std::unique_ptr<LocalLimiterStore> limits_;
  std::unique_ptr<audit::AuditQueue> audit_;
  fibers::WorkerPool workers_{{.max_running = 2, .max_queued = 2}};
};

TEST_F(SaturationMetricsTest, BulkheadsShowPlacesUseAndLimit) {
  EXPECT_EQ(Values().at("toolgate_bulkhead_in_use{all}"), 0);
  const auto place = state_->all().TryAcquire({"w", "ann"});
  const auto planner = state_->of_module("calendar").TryAcquire({"w", "ann"});
  const auto values = Values();
  EXPECT_EQ(values.at("toolgate_bulkhead_in_use{all}"), 1);
  EXPECT_EQ(values.at("toolgate_bulkhead_in_use{calendar}"), 1);
  EXPECT_EQ(values.at("toolgate_bulkhead_limit{all}"), 8);
  EXPECT_EQ(values.at("toolgate_bulkhead_limit{calendar}"), 6);
  EXPECT_EQ(values.at("toolgate_bulkhead_waiting{calendar}"), 0);
  EXPECT_EQ(values.at("toolgate_effects_limit"), 5);
}

TEST_F(SaturationMetricsTest, AModuleThatComesLaterMovesNoRow) {
  const std::map<std::string, double> before = Values();
  const auto later = state_->of_module("a_later_module").TryAcquire({"w", "ann"});
  const std::map<std::string, double> after = Values();
  for (const auto& [row, value] : before) EXPECT_EQ(after.at(row), value) << row;
  EXPECT_EQ(after.at("toolgate_bulkhead_in_use{a_later_module}"), 1);
}

TEST_F(SaturationMetricsTest, WorkersThatRunATaskAreBusy) {
  absl::Notification running;
  absl::Notification end;
  ASSERT_TRUE(workers_.Submit([&] {
    running.Notify();
    end.WaitForNotification();
  }));
  running.WaitForNotification();
  EXPECT_EQ(Values().at("toolgate_workers_busy"), 1);
  EXPECT_EQ(Values().at("toolgate_workers_limit"), 2);
  end.Notify();
  EXPECT_TRUE(workers_.Stop(absl::InfiniteDuration())) << "the task uses what is on this stack";
}

TEST_F(SaturationMetricsTest, UsersWithLimitsCount) {
  const std::vector<coordination::limits::Window> windows = {{5, absl::Hours(1)}};
  const coordination::limits::LogCheck check{
      {coordination::limits::Subject::Kind::kUser, "w", "ann"}, "create_block", windows};
  ASSERT_TRUE(limits_->CheckAndCharge({&check, 1}).ok());
  EXPECT_EQ(Values().at("toolgate_limiter_users"), 1);
  EXPECT_EQ(Values().at("toolgate_limiter_users_limit"), 3);
}

TEST_F(SaturationMetricsTest, TheAuditLagGrowsUntilTheEntryIsDurable) {
  v1::AuditEntry entry;
  entry.set_id("e");
  entry.set_workspace_id("w");
  ASSERT_TRUE(audit_->Add(entry).ok());
  clock_.Advance(absl::Milliseconds(1500));
  EXPECT_EQ(Values().at("toolgate_audit_lag_seconds"), 1.5);
  EXPECT_EQ(Values().at("toolgate_audit_pending_limit"), 100);
  ASSERT_TRUE(audit_->Flush().ok());
  EXPECT_EQ(Values().at("toolgate_audit_lag_seconds"), 0);
}

TEST_F(SaturationMetricsTest, LogLinesCountByLevel) {
  logger_.set_repeats({.max_lines = 1, .interval = absl::Hours(1)});
  for (int i = 0; i < 3; ++i) logger_.Error("failed");
  const auto values = Values();
  EXPECT_EQ(values.at("toolgate_log_lines_total{error}"), 1);
  EXPECT_EQ(values.at("toolgate_log_repeats_total{error}"), 2);
  EXPECT_EQ(values.at("toolgate_log_lines_total{info}"), 0);
}

}  // namespace
}  // namespace toolgate::services::app
