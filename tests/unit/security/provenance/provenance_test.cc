// Limits that the configuration sets for a conversation after it has read data from outside.
#include "security/provenance/provenance.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_store.h"
#include "tests/support/test_tools.h"
#include "tests/support/unreliable_store.h"

namespace toolgate::security::provenance {
namespace {

using config::v1::PROVENANCE_ACTION_ALLOW;
using config::v1::PROVENANCE_ACTION_ASK;
using config::v1::PROVENANCE_ACTION_REFUSE;
using config::v1::PROVENANCE_ACTION_UNSPECIFIED;
using config::v1::ProvenanceAction;
using ::testing::HasSubstr;
using testing::MakeCall;
using testing::MakeTool;

class ProvenanceTest : public ::testing::Test {
 protected:
  ProvenanceTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    store_ = testing::MakeTestStore(options);
    for (const char* id : {"plain", "send", "pay", "order", "look", "save"})
      tools_.push_back(MakeTool(id, tools_.size()));
    Annotations("plain") = {};
    Annotations("send") = {.open_world = true};
    Annotations("pay") = {.reversible = false};
    Annotations("order") = {.open_world = true, .reversible = false};
    Annotations("look") = {.read_only = true, .open_world = true, .reversible = false};
    Annotations("save") = {.remembered = true};
    config_ = services::config::Load({}).value().provenance();
  }

  executors::Tool& Tool(std::string_view id) {
    for (executors::Tool& tool : tools_) {
      if (tool.definition.id == id) return tool;
    }
    ADD_FAILURE() << "no tool " << id;
    return tools_[0];
  }
  executors::Annotations& Annotations(std::string_view id) { return Tool(id).definition.annotations; }

  // The policy for `tool`, in a conversation that is marked or not.
  std::optional<Action> Says(std::string_view tool, bool marked = true) {
    const auto provenance = Provenance::Create(tools_, config_, *store_);
    EXPECT_TRUE(provenance.ok()) << provenance.status();
    if (!provenance.ok()) return std::nullopt;
    const auto call = MakeCall(Tool(tool));
    call->caller.conversation_id = marked ? "marked" : "clean";
    if (marked) {
      EXPECT_TRUE((*provenance)->Mark(*call, clock_.Now()).ok());
    }
    call->state.conversation_untrusted = false;
    const auto action = (*provenance)->Decide(*call);
    EXPECT_TRUE(action.ok()) << action.status();
    return action.ok() ? std::optional<Action>(*action) : std::nullopt;
  }
  std::string Problem() {
    const auto provenance = Provenance::Create(tools_, config_, *store_);
    EXPECT_EQ(provenance.status().code(), absl::StatusCode::kInvalidArgument);
    return std::string(provenance.status().message());
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  std::unique_ptr<storage::Store> store_;
  std::vector<executors::Tool> tools_;
  config::v1::Provenance config_;
};

TEST_F(ProvenanceTest, ByDefaultWhatReachesOutsideOrLastsAsks) {
  EXPECT_EQ(Says("plain"), Action::kAllow);
  EXPECT_EQ(Says("send"), Action::kAsk);
  EXPECT_EQ(Says("pay"), Action::kAsk);
  EXPECT_EQ(Says("order"), Action::kAsk);
  EXPECT_EQ(Says("look"), Action::kAsk);
  EXPECT_EQ(Says("save"), Action::kAsk);
  for (const executors::Tool& tool : tools_) EXPECT_EQ(Says(tool.definition.id, /*marked=*/false), Action::kAllow);
}

struct PolicyRow {
  const char* name;
  ProvenanceAction open_world;
  ProvenanceAction irreversible;
  Action send;   // Open world.
  Action pay;    // Irreversible.
  Action order;  // Both.
  Action look;   // Open world; changes nothing, so nothing needs to be reversible.
};

class PolicyTest : public ProvenanceTest, public ::testing::WithParamInterface<PolicyRow> {};

TEST_P(PolicyTest, TheStrictestOfWhatAppliesHolds) {
  config_.set_open_world(GetParam().open_world);
  config_.set_irreversible(GetParam().irreversible);
  EXPECT_EQ(Says("plain"), Action::kAllow);
  EXPECT_EQ(Says("send"), GetParam().send);
  EXPECT_EQ(Says("pay"), GetParam().pay);
  EXPECT_EQ(Says("order"), GetParam().order);
  EXPECT_EQ(Says("look"), GetParam().look);
}

constexpr Action kNo = Action::kRefuse, kAsk = Action::kAsk, kYes = Action::kAllow;

INSTANTIATE_TEST_SUITE_P(
    Rows, PolicyTest,
    ::testing::Values(PolicyRow{"AllowAllow", PROVENANCE_ACTION_ALLOW, PROVENANCE_ACTION_ALLOW, kYes, kYes, kYes, kYes},
                      PolicyRow{"AllowAsk", PROVENANCE_ACTION_ALLOW, PROVENANCE_ACTION_ASK, kYes, kAsk, kAsk, kYes},
                      PolicyRow{"AllowRefuse", PROVENANCE_ACTION_ALLOW, PROVENANCE_ACTION_REFUSE, kYes, kNo, kNo, kYes},
                      PolicyRow{"AskAllow", PROVENANCE_ACTION_ASK, PROVENANCE_ACTION_ALLOW, kAsk, kYes, kAsk, kAsk},
                      PolicyRow{"AskRefuse", PROVENANCE_ACTION_ASK, PROVENANCE_ACTION_REFUSE, kAsk, kNo, kNo, kAsk},
                      PolicyRow{"RefuseAllow", PROVENANCE_ACTION_REFUSE, PROVENANCE_ACTION_ALLOW, kNo, kYes, kNo, kNo},
                      PolicyRow{"RefuseAsk", PROVENANCE_ACTION_REFUSE, PROVENANCE_ACTION_ASK, kNo, kAsk, kNo, kNo}),
    [](const auto& row) { return row.param.name; });

TEST_F(ProvenanceTest, WhatLaterConversationsAreGivenHasAPolicyOfItsOwn) {
  for (const auto& [policy, action] :
       {std::pair{PROVENANCE_ACTION_ALLOW, kYes}, {PROVENANCE_ACTION_ASK, kAsk}, {PROVENANCE_ACTION_REFUSE, kNo}}) {
    config_.set_remembered(policy);
    EXPECT_EQ(Says("save"), action);
    EXPECT_EQ(Says("save", /*marked=*/false), Action::kAllow);
    EXPECT_EQ(Says("plain"), Action::kAllow);
    EXPECT_EQ(Says("send"), Action::kAsk) << "the others keep theirs";
  }
  Annotations("save").open_world = true;
  config_.set_remembered(PROVENANCE_ACTION_ALLOW);
  EXPECT_EQ(Says("save"), Action::kAsk) << "the strictest of what applies";
}

TEST_F(ProvenanceTest, AToolsOwnRowReplacesBothAndMayBeLaxerOrStricter) {
  config_.set_open_world(PROVENANCE_ACTION_REFUSE);
  (*config_.mutable_tools())["order"] = PROVENANCE_ACTION_ALLOW;
  (*config_.mutable_tools())["send"] = PROVENANCE_ACTION_ASK;
  (*config_.mutable_tools())["plain"] = PROVENANCE_ACTION_REFUSE;
  EXPECT_EQ(Says("order"), Action::kAllow);
  EXPECT_EQ(Says("send"), Action::kAsk);
  EXPECT_EQ(Says("plain"), Action::kRefuse);
  EXPECT_EQ(Says("pay"), Action::kAsk) << "the others keep theirs";
  EXPECT_EQ(Says("plain", /*marked=*/false), Action::kAllow);
}

TEST_F(ProvenanceTest, ACallBelievesInNoMarkThatIsNotDurable) {
  testing::UnreliableStore store(*store_);
  const auto provenance = Provenance::Create(tools_, config_, store).value();
  const auto call = MakeCall(Tool("look"));
  call->caller.conversation_id = "talk";
  store.fail_commits = absl::UnavailableError("the disk is full");
  EXPECT_EQ(provenance->Mark(*call, clock_.Now()).code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(call->state.conversation_untrusted);
  store.fail_commits = absl::OkStatus();
  EXPECT_TRUE(provenance->Mark(*call, clock_.Now()).ok()) << "tried again";
  EXPECT_TRUE(call->state.conversation_untrusted);
  EXPECT_EQ(store.commits, 2);
}

TEST_F(ProvenanceTest, WhatIsNotSaidStopsTheStart) {
  config_.set_open_world(PROVENANCE_ACTION_UNSPECIFIED);
  EXPECT_EQ(Problem(), "provenance.open_world: must be ALLOW, ASK or REFUSE");
  config_.set_open_world(PROVENANCE_ACTION_ASK);
  config_.set_irreversible(PROVENANCE_ACTION_UNSPECIFIED);
  EXPECT_EQ(Problem(), "provenance.irreversible: must be ALLOW, ASK or REFUSE");
  config_.set_irreversible(PROVENANCE_ACTION_ASK);
  config_.set_remembered(PROVENANCE_ACTION_UNSPECIFIED);
  EXPECT_EQ(Problem(), "provenance.remembered: must be ALLOW, ASK or REFUSE");
  config_.set_remembered(PROVENANCE_ACTION_ASK);
  (*config_.mutable_tools())["send"] = PROVENANCE_ACTION_UNSPECIFIED;
  EXPECT_EQ(Problem(), "provenance.tools.send: must be ALLOW, ASK or REFUSE");
  config_.mutable_tools()->clear();
  (*config_.mutable_tools())["sent"] = PROVENANCE_ACTION_ASK;
  EXPECT_THAT(Problem(), HasSubstr("provenance.tools.sent: there is no tool \"sent\"; did you mean \"send\"?"));
}

}  // namespace
}  // namespace toolgate::security::provenance
