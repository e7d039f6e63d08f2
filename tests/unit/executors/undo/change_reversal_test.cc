#include "executors/undo/change_reversal.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/absl_bridge.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/event.h"
#include "common/ids.h"
#include "common/status_macros.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_store.h"

namespace toolgate::executors::undo {
namespace {

using storage::Changes;
using storage::Effect;
using storage::Transaction;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class BareSession final : public EffectSession {
 public:
  explicit BareSession(const std::unique_ptr<storage::Store>& store) : store_(store) {}
  absl::Status Read(absl::FunctionRef<absl::Status(storage::ReadView&)> body) override {
    return store_->Read("w", body);
  }
  std::string_view key() const override { return "key"; }
  std::string_view checkpoint() const override { return ""; }
  absl::Status Checkpoint(std::string) override { return absl::OkStatus(); }
  absl::Status CheckState(absl::FunctionRef<absl::StatusOr<std::string>()>) override { return absl::OkStatus(); }
  absl::StatusOr<bool> Wait(fibers::Event&, absl::Duration) override { return false; }
  absl::Status Output(std::string_view, std::string_view) override { return absl::OkStatus(); }

 private:
  const std::unique_ptr<storage::Store>& store_;
};

// Effects of the kinds "inside" and "outside", whose reversals note their payloads.
class ChangeReversalTest : public ::testing::Test {
 protected:
  ChangeReversalTest() {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    store_ = testing::MakeTestStore(options);
  }

  // Effects of the kind "inside".
  class Inside final : public EffectReversal {
   public:
    explicit Inside(ChangeReversalTest& test) : test_(test) { ++test_.prepared_; }
    absl::Status TakeBack(const Effect& effect, ToolContext&, storage::ReadView&) override {
      if (effect.payload == test_.refuses_) return MakeError(ErrorCode::kConflict, "changed since");
      test_.reversed_.push_back(effect.payload);
      redos_.push_back({"inside", "again " + effect.payload});
      return absl::OkStatus();
    }
    absl::Status Write(Transaction& tx) const override {
      if (test_.prepared_ <= test_.out_of_date_) return absl::AbortedError("changed meanwhile");
      for (const Effect& redo : redos_) RETURN_IF_ERROR(tx.RecordEffect(redo));
      return absl::OkStatus();
    }

   private:
    ChangeReversalTest& test_;
    std::vector<Effect> redos_;
  };

  ChangeReversal Reversal() {
    const Reverser inside = [this] { return std::make_unique<Inside>(*this); };
    const OutsideReverser outside = [this](const Effect& effect, ToolContext&,
                                           EffectSession&) -> absl::StatusOr<Effect> {
      if (effect.payload == refuses_ || effect.payload == refuses_too_)
        return MakeError(ErrorCode::kConflict, "changed since");
      reversed_.push_back(effect.payload);
      return Effect{"outside", "again " + effect.payload};
    };
    const auto reversers = std::make_shared<const Reversers>(Reversers{{"inside", inside}, {"outside", outside}});
    return ChangeReversal([reversers](std::string_view kind) -> const AnyReverser* {
      const auto found = reversers->find(ToAbsl(kind));
      return found == reversers->end() ? nullptr : &found->second;
    });
  }
  absl::Status Commit(absl::FunctionRef<absl::Status(Transaction&)> body) {
    return store_->Commit({"w", "ann", "change", clock_.Now()}, storage::CommitMode::kDurable, fibers::Cancellation(),
                          body);
  }
  // Acts and settles.
  absl::Status TakeBack(const std::vector<Effect>& effects, const std::vector<Effect>& earlier = {}) {
    auto calls = std::make_shared<std::vector<CallChange>>(1);
    calls->front().changes.effects = effects;
    if (!earlier.empty()) {
      *calls = {{calls->front().changes, "e2", "Later"}, {Changes(), "e1", "Earlier"}};
      calls->back().changes.effects = earlier;
    }
    const ChangeReversal reversal = Reversal();
    const auto acted = reversal.AsEffect(calls, context_, session_);
    if (!acted.ok()) return acted.status();
    absl::Status settled = acted->prepare();
    if (settled.ok()) {
      settled = Commit([&](Transaction& tx) {
        const absl::Status status = acted->settle(tx);
        for (const Effect& redo : tx.changes().effects) redos_.push_back(redo.payload);
        return status;
      });
    }
    if (absl::IsAborted(settled) && !GetToolError(settled).has_value()) return settled;
    return settled.ok() ? settled : acted->take_back();
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  std::unique_ptr<storage::Store> store_;
  const Json arguments_ = Json::object();
  const Caller caller_;
  const fibers::Cancellation cancellation_;
  ToolContext context_{arguments_, caller_, clock_.Now(), absl::UTCTimeZone(), cancellation_, IdSource::Real()};
  BareSession session_{store_};
  int prepared_ = 0;
  int out_of_date_ = 0;  // Number of preparations that are.
  std::string refuses_;
  std::string refuses_too_;
  std::vector<std::string> reversed_;
  std::vector<std::string> redos_;
};

TEST_F(ChangeReversalTest, TakesBackOutsideFirstAndTheLastEffectFirst) {
  ASSERT_TRUE(TakeBack({{"inside", "1"}, {"outside", "2"}, {"series", "{}"}, {"inside", "3"}, {"outside", "4"}}).ok());
  EXPECT_THAT(reversed_, ElementsAre("4", "2", "3", "1"));
  EXPECT_THAT(redos_, ElementsAre("again 4", "again 2", "again 3", "again 1"));
}

TEST_F(ChangeReversalTest, BringsBackWhatItTookBackWhenTheRestCannotBe) {
  refuses_ = "2";
  EXPECT_FALSE(TakeBack({{"outside", "2"}, {"outside", "4"}}).ok());
  EXPECT_THAT(reversed_, ElementsAre("4", "again 4"));
  reversed_.clear();
  refuses_ = "1";
  EXPECT_TRUE(TakeBack({{"inside", "1"}, {"outside", "2"}, {"outside", "4"}}).ok());
  EXPECT_THAT(reversed_, ElementsAre("4", "2", "again 2", "again 4")) << "the settlement was refused";
}

TEST_F(ChangeReversalTest, TakesBackTheLatestCallFirst) {
  ASSERT_TRUE(TakeBack({{"outside", "3"}, {"inside", "4"}}, {{"inside", "1"}, {"outside", "2"}}).ok());
  EXPECT_THAT(reversed_, ElementsAre("3", "2", "4", "1"));
  EXPECT_THAT(redos_, ElementsAre("again 3", "again 2", "again 4", "again 1"));
}

TEST_F(ChangeReversalTest, BringsBackLaterCallsWhenAnEarlierOneCannotBeTakenBack) {
  refuses_ = "1";
  const absl::Status refused = TakeBack({{"outside", "3"}}, {{"outside", "1"}, {"outside", "2"}});
  EXPECT_THAT(reversed_, ElementsAre("3", "2", "again 2", "again 3"));
  EXPECT_EQ(GetToolError(refused)->message, "\"Earlier\": changed since");
  EXPECT_THAT(GetToolError(refused)->facts, ::testing::Contains(::testing::Pair("entryId", "e1")));
}

TEST_F(ChangeReversalTest, IsNotSettledWhenItCanNeitherGoOnNorBack) {
  refuses_ = "1";
  refuses_too_ = "again 2";
  const auto calls = std::make_shared<std::vector<CallChange>>(1);
  calls->front().changes.effects = {{"outside", "1"}, {"outside", "2"}};
  const ChangeReversal reversal = Reversal();
  const auto acted = reversal.AsEffect(calls, context_, session_);
  ASSERT_TRUE(acted.ok());
  const absl::Status settled = Commit([&](Transaction& tx) { return acted->settle(tx); });
  EXPECT_TRUE(absl::IsUnavailable(settled)) << settled;
  EXPECT_FALSE(GetToolError(settled).has_value()) << "recovery goes on with it";
}

TEST_F(ChangeReversalTest, TouchesNothingWhenAKindIsUnknown) {
  EXPECT_EQ(GetToolError(TakeBack({{"gone", "1"}, {"outside", "2"}}))->code, ErrorCode::kCannotUndo);
  EXPECT_THAT(reversed_, IsEmpty());
}

TEST_F(ChangeReversalTest, InTheStoreAloneRefusesEffects) {
  const ChangeReversal reversal = Reversal();
  EXPECT_FALSE(reversal.NeedsEffect({}));
  EXPECT_TRUE(Commit([&](Transaction& tx) { return reversal.InStore({}, tx); }).ok());
  for (const std::string kind : {"inside", "outside"}) {
    Changes changes;
    changes.effects = {{kind, "1"}};
    EXPECT_TRUE(reversal.NeedsEffect(changes)) << kind;
    EXPECT_EQ(reversal.ActsOutside(changes), kind == "outside") << kind;
    EXPECT_EQ(Commit([&](Transaction& tx) { return reversal.InStore(changes, tx); }).code(), absl::StatusCode::kAborted)
        << kind;
  }
  EXPECT_THAT(reversed_, IsEmpty());
}

TEST_F(ChangeReversalTest, WhatIsOutOfDateIsPreparedAgain) {
  out_of_date_ = 1;
  EXPECT_TRUE(absl::IsAborted(TakeBack({{"inside", "1"}})));
  EXPECT_THAT(redos_, IsEmpty());
  ASSERT_TRUE(TakeBack({{"inside", "1"}}).ok());
  EXPECT_THAT(redos_, ElementsAre("again 1"));
}

}  // namespace
}  // namespace toolgate::executors::undo
