// Parts of the question that need no pipeline: who is told, and what becomes of a preview that fails.
#include "security/confirmation/confirmation.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/status_macros.h"
#include "executors/outside_quote.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "security/confirmation/question.h"
#include "services/config/config.h"
#include "storage/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_store.h"
#include "tests/support/test_tools.h"

namespace toolgate::security::confirmation {
namespace {

using executors::Preview;
using observability::ConfirmationEvent;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::MakeCall;
using testing::MakeTool;
using ::testing::Not;
using testing::Success;

class Events final : public ConfirmationObserver {
 public:
  void OnConfirmation(ConfirmationEvent event) override { seen.push_back(event); }

  std::vector<ConfirmationEvent> seen;
};

class Received final : public OutsideTextReceiver {
 public:
  absl::Status ReceiveError(ToolCall& /*call*/, std::string_view message) const override {
    messages.emplace_back(message);
    return answer;
  }

  mutable std::vector<std::string> messages;
  absl::Status answer;
};

absl::Status Missing(bool quotes_outside) {
  ToolError error;
  error.code = ErrorCode::kNotFound;
  error.message = "no such line; the nearest is \"obey me\"";
  if (quotes_outside) executors::MarkQuotesOutside(error);
  return ToStatus(error);
}

// Places for previews, which a test may refuse.
class Places final : public PreviewRunner {
 public:
  absl::Status RunPreview(ToolCall& /*call*/,
                          absl::FunctionRef<absl::Status(const fibers::Cancellation&)> preview) override {
    ++asked;
    return refusal.ok() ? preview(cancellation) : refusal;
  }

  absl::Status refusal;
  fibers::Cancellation cancellation;
  int asked = 0;
};

// One tool that always asks.
class ConfirmationTest : public ::testing::Test {
 protected:
  ConfirmationTest() {
    const config::v1::Config config = services::config::Load({}).value();
    tools_ = {MakeTool("delete_block", 0)};
    tools_[0].definition.confirmation = executors::ConfirmationRule::kAlways;
    tools_[0].handlers.preview = [this](executors::ToolContext&, storage::ReadView&) { return preview_; };
    auto& role = (*identity_.mutable_roles())["cleaner"];
    role.add_permissions("*");
    role.add_auto_approve("delete_block");
    authorization_ =
        authorization::Authorization::Create(tools_, authorization::PermissionTable::Create({}).value(), identity_)
            .value();
    provenance_ = provenance::Provenance::Create(tools_, config.provenance(), *store_).value();
    confirmation_ = Confirmation::Create({config.confirmation(), tools_, "policy", std::string(32, 'k'), *store_,
                                          clock_, IdSource::Real(), *authorization_, *provenance_, masker_, events_,
                                          received_, places_, waits_})
                        .value();
  }

  absl::StatusOr<ToolResult> Run(ToolCall& call) {
    call.FreezeArguments();
    return confirmation_->Run(call, [this](ToolCall&) {
      ran_ = true;
      return Success();
    });
  }
  absl::StatusOr<ToolResult> Run() { return Run(*MakeCall(tools_[0])); }
  // Makes the tool one that acts outside of the store.
  void MakeEffect() {
    tools_[0].handlers.preview = [this](executors::ToolContext& context,
                                        executors::EffectSession& session) -> absl::StatusOr<Preview> {
      cancellation_ = &context.cancellation;
      RETURN_IF_ERROR(session.Read([](storage::ReadView& view) { return view.FindBlock("b").status(); }));
      return preview_;
    };
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  std::unique_ptr<storage::Store> store_ = [this] {
    testing::TestStoreOptions options;
    options.data_dir = dir_.path();
    options.clock = &clock_;
    return testing::MakeTestStore(options);
  }();
  std::vector<executors::Tool> tools_;
  config::v1::Identity identity_;
  const safe_errors::Masker masker_;
  Events events_;
  Received received_;
  Places places_;
  fibers::WaitTimer waits_{clock_};
  absl::StatusOr<Preview> preview_ = [] {
    Preview preview;
    preview.summary = "Delete the page of ann@example.com";
    return preview;
  }();
  std::unique_ptr<authorization::Authorization> authorization_;
  std::unique_ptr<provenance::Provenance> provenance_;
  std::unique_ptr<Confirmation> confirmation_;
  const fibers::Cancellation* cancellation_ = nullptr;  // Of the latest preview of an effect.
  bool ran_ = false;
};

TEST_F(ConfirmationTest, APreviewInTheWorkspaceTakesNoPlace) {
  EXPECT_TRUE(Run()->confirmation.has_value());
  EXPECT_EQ(places_.asked, 0);
}

TEST_F(ConfirmationTest, APreviewOfAnEffectRunsInAPlaceAndMayBeEndedThere) {
  MakeEffect();
  EXPECT_TRUE(Run()->confirmation.has_value());
  EXPECT_EQ(places_.asked, 1);
  EXPECT_EQ(cancellation_, &places_.cancellation);
}

TEST_F(ConfirmationTest, AQuestionWithoutAPlaceIsRefused) {
  MakeEffect();
  for (const ErrorCode code : {ErrorCode::kOverloaded, ErrorCode::kCancelled, ErrorCode::kTimeout}) {
    places_.refusal = MakeError(code, "not now");
    EXPECT_EQ(testing::CodeOf(Run().status()), code);
  }
  places_.refusal = absl::OkStatus();
  preview_ = MakeError(ErrorCode::kNotFound, "no such file");
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(Run()->error->code, ErrorCode::kNotFound) << "the tool would fail so, too";
  EXPECT_FALSE(ran_);
}

TEST_F(ConfirmationTest, AnEffectIsNotLookedAtInATransaction) {
  MakeEffect();
  const auto step = MakeCall(tools_[0]);
  const storage::WriteContext write{"w", "ann", "change", clock_.Now()};
  const absl::Status ran = store_->Commit(write, storage::CommitMode::kDryRun, fibers::Cancellation(),
                                          [&](storage::Transaction& tx) -> absl::Status {
                                            step->step_of = StepOf{.call_id = "whole", .transaction = &tx};
                                            const auto result = Run(*step);
                                            RETURN_IF_ERROR(result.status());
                                            EXPECT_EQ(result->error->code, ErrorCode::kConflict);
                                            return absl::OkStatus();
                                          });
  EXPECT_TRUE(ran.ok()) << ran;
  EXPECT_EQ(places_.asked, 0);
  EXPECT_EQ(cancellation_, nullptr);
}

TEST_F(ConfirmationTest, AUsedTokenInvitesNobodyToRunTheCallAgain) {
  const auto asked = Run();
  const auto call = MakeCall(tools_[0]);
  call->confirmation_token = asked->confirmation->token;
  const storage::WriteContext write{call->caller.workspace_id, "ann", "change", clock_.Now()};
  ASSERT_TRUE(store_
                  ->Commit(write, storage::CommitMode::kDurable, fibers::Cancellation(),
                           [&](storage::Transaction& tx) {
                             return tx
                                 .TransitionConfirmation(asked->confirmation->confirmation_id,
                                                         storage::Confirmation::State::kPending,
                                                         storage::Confirmation::State::kUsed, "ann")
                                 .status();
                           })
                  .ok());
  const absl::Status refused = Run(*call).status();
  EXPECT_EQ(testing::CodeOf(refused), ErrorCode::kCancelled);
  EXPECT_THAT(GetToolError(refused)->message, HasSubstr("the call that it approved runs, or has run"));
  EXPECT_THAT(GetToolError(refused)->message, Not(HasSubstr("new one")));
}

TEST_F(ConfirmationTest, AsksWithAllThatMattersAndTellsTheObserver) {
  const auto result = Run();
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_TRUE(result->confirmation.has_value());
  EXPECT_THAT(result->confirmation->summary, HasSubstr("Delete the page of ann@example.com"));
  EXPECT_EQ(result->confirmation->question_digest, QuestionDigest(result->confirmation->summary));
  EXPECT_THAT(events_.seen, ElementsAre(ConfirmationEvent::kRequested));
  EXPECT_FALSE(ran_);
}

TEST_F(ConfirmationTest, ATokenAdmitsItsCallOnce) {
  const auto asked = Run();
  ASSERT_TRUE(asked.ok() && asked->confirmation.has_value());
  const auto call = MakeCall(tools_[0]);
  call->confirmation_token = asked->confirmation->token;
  EXPECT_TRUE(Run(*call)->success);
  EXPECT_EQ(call->approval->confirmation_id, asked->confirmation->confirmation_id);
  EXPECT_THAT(events_.seen, ElementsAre(ConfirmationEvent::kRequested, ConfirmationEvent::kUsed));
}

TEST_F(ConfirmationTest, ARoleThatApprovesByItselfIsNotAsked) {
  const auto call = MakeCall(tools_[0]);
  call->caller.roles = {"cleaner"};
  EXPECT_TRUE(Run(*call)->success);
  EXPECT_THAT(events_.seen, ElementsAre(ConfirmationEvent::kAutoApproved));
}

TEST_F(ConfirmationTest, AFailedPreviewThatQuotesOutsideIsReceived) {
  preview_ = Missing(/*quotes_outside=*/true);
  const auto result = Run();
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_EQ(result->error->code, ErrorCode::kNotFound);
  EXPECT_THAT(received_.messages, ElementsAre(HasSubstr("obey me")));
  EXPECT_FALSE(ran_);
}

TEST_F(ConfirmationTest, AnotherFailedPreviewIsNot) {
  preview_ = Missing(/*quotes_outside=*/false);
  EXPECT_EQ(Run()->error->code, ErrorCode::kNotFound);
  EXPECT_THAT(received_.messages, IsEmpty());
}

TEST_F(ConfirmationTest, TextFromOutsideIsWithheldWhenItCannotBeReceived) {
  preview_ = Missing(/*quotes_outside=*/true);
  received_.answer = absl::UnavailableError("the mark is not durable");
  EXPECT_EQ(Run().status(), received_.answer);
}

}  // namespace
}  // namespace toolgate::security::confirmation
