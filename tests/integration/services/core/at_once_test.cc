// Tools that may run on gRPC's own threads.
#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "services/config/config.h"
#include "storage/forwarding_store.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"
#include "tests/support/test_tools.h"

namespace toolgate::services::core {
namespace {

using executors::ConfirmationRule;
using executors::ToolContext;
using executors::ToolOutput;
using testing::TestCore;

executors::ToolDefinition PointRead(const std::string& id) {
  executors::ToolDefinition definition = testing::MakeTool(id, 0).definition;
  definition.display_name = id;
  definition.argument_schema = Json::parse(R"({"type":"object","additionalProperties":false})");
  definition.annotations.read_only = true;
  definition.inline_reads = true;
  return definition;
}

std::shared_ptr<const executors::Catalog> TestCatalog() {
  executors::ToolDefinition slow = PointRead("slow");
  slow.inline_reads = false;
  executors::ToolDefinition asking = PointRead("asking");
  asking.confirmation = ConfirmationRule::kAlways;
  const auto handler = [](ToolContext&, storage::ReadView&) { return ToolOutput{.data_json = "{}"}; };
  executors::ToolHandlers asks{"asking", executors::ReadHandler(handler)};
  asks.preview = [](ToolContext&, storage::ReadView&) { return executors::Preview(); };
  return executors::Catalog::Create(
             {PointRead("read"), slow, asking},
             {{"read", executors::ReadHandler(handler)}, {"slow", executors::ReadHandler(handler)}, asks})
      .value();
}

class AtOnceTest : public ::testing::Test {
 protected:
  AtOnceTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    options.clock = &clock_;
    store_ = testing::MakeTestStore(options);
  }
  bool RunsAtOnce(std::string_view tool) {
    const TestCore core(*store_, clock_, config_, catalog_);
    return core.core().RunsAtOnce(*catalog_->Find(tool));
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  toolgate::config::v1::Config config_ = config::Load({}).value();
  std::shared_ptr<const executors::Catalog> catalog_ = TestCatalog();
  std::unique_ptr<storage::Store> store_;
};

TEST_F(AtOnceTest, APointReadDoes) { EXPECT_TRUE(RunsAtOnce("read")); }

TEST_F(AtOnceTest, AToolThatDoesNotSaySoDoesNot) { EXPECT_FALSE(RunsAtOnce("slow")); }

TEST_F(AtOnceTest, WhatAPersonMayBeAskedAboutDoesNot) {
  EXPECT_FALSE(RunsAtOnce("asking"));
  config_.mutable_confirmation()->add_require_for_tools("read");
  EXPECT_FALSE(RunsAtOnce("read"));
}

// A store on a server.
class DistantStore final : public storage::ForwardingStore {
 public:
  using ForwardingStore::ForwardingStore;
  bool ReadsMayWait() const override { return true; }
};

TEST_F(AtOnceTest, NothingDoesWhenReadsMayWait) {
  DistantStore distant(*store_);
  const TestCore core(distant, clock_, config_, catalog_);
  EXPECT_FALSE(core.core().RunsAtOnce(*catalog_->Find("read")));
}

TEST_F(AtOnceTest, WhatProvenanceConcernsDoesNot) {
  (*config_.mutable_provenance()->mutable_tools())["read"] = toolgate::config::v1::PROVENANCE_ACTION_ASK;
  EXPECT_FALSE(RunsAtOnce("read"));
}

}  // namespace
}  // namespace toolgate::services::core
