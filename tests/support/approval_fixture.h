// The whole pipeline over a store in which another caller may write between a question and its answer.
#ifndef TOOLGATE_TESTS_SUPPORT_APPROVAL_FIXTURE_H_
#define TOOLGATE_TESTS_SUPPORT_APPROVAL_FIXTURE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "executors/registration/registration.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/interrupted_store.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"

namespace toolgate::testing {

// A todo's "priority" is a critical field.
class ApprovalFixture : public ::testing::Test {
 protected:
  // `max_undo_bytes`: limit of one change's undo entry.
  explicit ApprovalFixture(int64_t max_undo_bytes = storage::kMaxUndoBytes) {
    TestStoreOptions options;
    options.data_dir = dir_.path();
    options.clock = &clock_;
    options.max_undo_bytes = max_undo_bytes;
    store_ = MakeTestStore(options);
    interrupted_ = std::make_unique<InterruptedStore>(*store_);
    Start();
  }

  // Uses the present config_.
  void Start() {
    executors::CatalogOptions options;
    options.critical_fields = {"priority"};
    core_ = std::make_unique<TestCore>(*interrupted_, clock_, config_,
                                       executors::registration::BuiltInCatalog(options).value());
  }
  storage::Store& bare_store() { return *store_; }
  TestCore& core() { return *core_; }
  InterruptedStore& store() { return *interrupted_; }

  absl::StatusOr<security::ToolResult> Try(std::string_view tool, Json arguments, std::string_view token = "") {
    const auto call = core_->Call(tool);
    call->SetArguments(std::move(arguments));
    call->confirmation_token = token;
    return core_->Run(*call);
  }
  security::ToolResult Run(std::string_view tool, Json arguments, std::string_view token = "") {
    auto result = Try(tool, std::move(arguments), token);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? *std::move(result) : security::ToolResult();
  }
  security::ConfirmationRequest Ask(std::string_view tool, Json arguments) {
    const security::ToolResult result = Run(tool, std::move(arguments));
    EXPECT_TRUE(result.confirmation.has_value());
    return result.confirmation.value_or(security::ConfirmationRequest());
  }

  std::string MakeBlock(std::string_view type, const Json& data, std::string_view parent = "") {
    Json arguments = {{"type", std::string(type)}, {"data", data}};
    if (!parent.empty()) arguments["parentId"] = std::string(parent);
    return ParseJson(Run("create_block", std::move(arguments)).data_json).value()["blockId"].get<std::string>();
  }
  void Update(const std::string& id, const Json& data) {
    EXPECT_TRUE(Run("update_block", {{"blockId", id}, {"data", data}}).success);
  }
  bool Exists(const std::string& id) { return Run("get_block", {{"blockId", id}}).success; }

  toolgate::config::v1::Config config_ = services::config::Load({}).value();

 private:
  TempDir dir_;
  FakeClock clock_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<InterruptedStore> interrupted_;
  std::unique_ptr<TestCore> core_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_APPROVAL_FIXTURE_H_
