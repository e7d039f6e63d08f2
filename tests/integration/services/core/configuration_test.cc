// Every configuration that passes the checks can be used to make a core; configurations that the checks refuse are
// refused by the layers as well, in the same words.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/config_path.h"
#include "common/proto_time.h"
#include "executors/registration/registration.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/duration.pb.h"
#include "google/protobuf/message.h"
#include "gtest/gtest.h"
#include "security/authorization/permissions.h"
#include "services/config/config.h"
#include "services/config/config_checks.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"

namespace toolgate::services::core {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using testing::TestCore;

class ConfigurationTest : public ::testing::Test {
 protected:
  ConfigurationTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    store_ = testing::MakeTestStore(options);
    core_ = std::make_unique<TestCore>(*store_, clock_, config_, catalog_);
  }

  std::vector<std::string> Problems(const toolgate::config::v1::Config& config) const {
    std::vector<std::string> problems;
    config::CheckConfig(config, executors::registration::BuiltInFamilies(), catalog_->tools(),
                        security::authorization::PermissionTable::Create(catalog_->permissions()).value(),
                        [&](std::string_view path, std::string_view what) {
                          problems.push_back(absl::StrCat(std::string(path), ": ", std::string(what)));
                        });
    return problems;
  }

  // Sets each number and time of the configuration, one after the other, to the smallest and the largest value that the
  // checks accept, and visits it with that.
  template <typename Visitor>
  void VisitBounds(Message& message, const std::string& path, const Visitor& visit) {
    const auto& reflection = *message.GetReflection();
    for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
      const FieldDescriptor* field = message.GetDescriptor()->field(i);
      if (field->is_repeated()) continue;
      const std::string name = absl::StrCat(path, path.empty() ? "" : ".", field->name());
      if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
        const int32_t before = reflection.GetInt32(message, field);
        VisitAccepted([&](int64_t value) { reflection.SetInt32(&message, field, static_cast<int32_t>(value)); }, name,
                      visit);
        reflection.SetInt32(&message, field, before);
      } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
        Message& inner = *reflection.MutableMessage(&message, field);
        if (field->message_type() != google::protobuf::Duration::descriptor()) {
          VisitBounds(inner, name, visit);
          continue;
        }
        const std::unique_ptr<Message> before(inner.New());
        before->CopyFrom(inner);
        VisitAccepted([&](int64_t value) { inner.CopyFrom(ToProtoDuration(absl::Milliseconds(value))); }, name, visit);
        inner.CopyFrom(*before);
      }
    }
  }

  template <typename Set, typename Visitor>
  void VisitAccepted(const Set& set, const std::string& name, const Visitor& visit) {
    int64_t smallest = -1;
    int64_t largest = -1;
    for (int64_t power = 1; power <= (int64_t{1} << 30); power *= 2) {
      for (const int64_t value : {power - 1, power}) {
        set(value);
        if (!Problems(config_).empty()) continue;
        if (smallest < 0) smallest = value;
        largest = value;
      }
    }
    ASSERT_GE(largest, 0) << name << " takes no value at all";
    for (const int64_t value : {smallest, largest}) {
      set(value);
      visit(absl::StrCat(name, " = ", value));
    }
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  std::unique_ptr<storage::Store> store_;
  std::shared_ptr<const executors::Catalog> catalog_ = executors::registration::BuiltInCatalog().value();
  toolgate::config::v1::Config config_ = config::Load({}).value();
  std::unique_ptr<TestCore> core_;
};

TEST_F(ConfigurationTest, ACoreCanBeMadeWithWhateverTheChecksLetPass) {
  int visited = 0;
  VisitBounds(config_, "", [&](const std::string& what) {
    ++visited;
    const auto state =
        security::execution_tracking::ExecutionState::Create(catalog_->tools(), config_.execution_tracking(), clock_);
    EXPECT_TRUE(state.ok()) << what << ": " << state.status();
    EXPECT_TRUE(core_->TryAgainWith(config_).ok()) << what << ": " << core_->TryAgainWith(config_);
  });
  EXPECT_GT(visited, 60);
}

TEST_F(ConfigurationTest, WhatTheChecksRefuseTheLayersRefuseInTheSameWords) {
  using Config = toolgate::config::v1::Config;
  const std::function<void(Config&)> changes[] = {
      [](Config& c) { (*c.mutable_execution_tracking()->mutable_max_in_flight_by_module())["nope"] = 1; },
      [](Config& c) { c.mutable_execution_tracking()->set_max_result_bytes(1); },
      [](Config& c) { c.mutable_injection_defence()->set_max_decode_depth(9); },
      [](Config& c) { (*c.mutable_identity()->mutable_roles())["r"].add_permissions("wiki:read"); },
      [](Config& c) { (*c.mutable_identity()->mutable_roles())["r"].add_auto_approve("nope"); },
      [](Config& c) {
        auto& policy = (*(*c.mutable_identity()->mutable_roles())["r"].mutable_arguments())["create_task"];
        (*policy.mutable_bind())["nope"] = "caller.user_id";
      },
      [](Config& c) { (*c.mutable_rate_limiting()->mutable_tools())["get_block"].add_windows()->set_audience("any"); },
      [](Config& c) { (*c.mutable_rate_limiting()->mutable_providers())["nope"]; },
      [](Config& c) { c.mutable_rate_limiting()->mutable_circuit_breaker()->set_half_open_probes(0); },
      [](Config& c) { c.mutable_confirmation()->add_require_for_tools("nope"); },
      [](Config& c) { c.mutable_confirmation()->clear_ttl(); },
      [](Config& c) { (*c.mutable_provenance()->mutable_tools())["nope"]; },
  };
  for (const auto& change : changes) {
    Config config = config_;
    change(config);
    const std::vector<std::string> problems = Problems(config);
    ASSERT_FALSE(problems.empty());
    const absl::Status refused = core_->TryAgainWith(config);
    EXPECT_EQ(std::string(refused.message()), problems.front());
    EXPECT_FALSE(ConfigPathOf(refused).empty()) << refused;
  }
}

}  // namespace
}  // namespace toolgate::services::core
