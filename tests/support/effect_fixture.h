// A service with the scratch tools, for the tests of effects.
#ifndef TOOLGATE_TESTS_SUPPORT_EFFECT_FIXTURE_H_
#define TOOLGATE_TESTS_SUPPORT_EFFECT_FIXTURE_H_

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "services/config/config.h"
#include "tests/support/scratch_tool.h"
#include "tests/support/store_fixture.h"
#include "tests/support/test_core.h"

namespace toolgate::testing {

class EffectFixture : public StoreFixture {
 protected:
  EffectFixture() {
    std::filesystem::create_directory(folder());
    core_ = NewCore();
  }

  std::string folder() const { return dir_.path() + "/scratch"; }
  std::string File(const std::string& name) const { return ReadScratch(folder() + "/" + name); }
  bool Exists(const std::string& name) const { return std::filesystem::exists(folder() + "/" + name); }
  // Number of writes that took effect.
  int Acts() const {
    const std::string lines = ReadScratch(dir_.path() + "/acts");
    return static_cast<int>(std::count(lines.begin(), lines.end(), '\n'));
  }

  // Another process's service over the same store.
  std::unique_ptr<TestCore> NewCore() {
    return std::make_unique<TestCore>(*store_, clock_, services::config::Load({}).value(),
                                      ScratchCatalog(folder(), hooks_));
  }
  std::unique_ptr<security::ToolCall> WriteCall(const std::string& name, const std::string& text,
                                                const std::string& key = "") const {
    auto call = core_->Call("scratch_write");
    call->SetArguments({{"name", name}, {"text", text}});
    call->idempotency_key = key;
    return call;
  }
  // Stores an automation of `steps` and answers its id.
  std::string MakeAutomation(const Json& steps) {
    std::string id;
    Commit([&](storage::Transaction& tx) {
      const Json data{{"title", "Auto"}, {"steps", steps}};
      const auto block = tx.CreateBlock({"", "automation", "", DumpJson(data), std::nullopt});
      if (block.ok()) id = block->id;
      return block.status();
    });
    return id;
  }
  std::unique_ptr<security::ToolCall> TriggerCall(const std::string& automation, const std::string& key = "") const {
    auto call = core_->Call("trigger_automation");
    call->SetArguments({{"automationId", automation}});
    call->idempotency_key = key;
    return call;
  }
  std::unique_ptr<security::ToolCall> UndoCall(const std::string& key = "") const {
    auto call = core_->Call("undo");
    call->internal = executors::InternalTool::kUndo;
    call->idempotency_key = key;
    return call;
  }
  std::vector<v1::AuditEntry> Audit(const std::string& tool) {
    core_->Flush();
    return AuditLog(tool);
  }
  // One round of recovery by `core`, which must resolve everything.
  static void Recover(TestCore& core) {
    using services::execution::Recovery;
    const auto left = core.core().ResolveAbandonedClaims(Recovery::Abandoned::kNotOwnRunning, nullptr);
    ASSERT_TRUE(left.ok()) << left.status();
    EXPECT_EQ(*left, 0);
  }

  ScratchHooks hooks_;
  std::unique_ptr<TestCore> core_;
};

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_EFFECT_FIXTURE_H_
