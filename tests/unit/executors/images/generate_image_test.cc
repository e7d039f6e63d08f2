#include "executors/images/generate_image.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/digest.h"
#include "common/ids.h"
#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/blobs/blob_key.h"
#include "tests/support/bare_session.h"
#include "tests/support/fake_chat_model.h"
#include "tests/support/memory_blob_store.h"
#include "tests/support/sample_images.h"
#include "tests/support/store_fixture.h"

namespace toolgate::executors::images {
namespace {

namespace samples = testing::sample_images;
using ::testing::ElementsAre;
using testing::FakeChatModel;
using ::testing::HasSubstr;

class Messages final : public ProgressSink {
 public:
  void Report(const Progress& progress) override { texts.push_back(progress.message); }
  std::vector<std::string> texts;
};

class GenerateImageTest : public testing::StoreFixture {
 protected:
  GenerateImageTest() : blobs_(std::make_shared<testing::MemoryBlobStore>()) {
    answer_.message.images.push_back({"image/png", samples::BytesOf(samples::kPng), ""});
    answer_.model = "painter-1";
    answer_.input_tokens = 7;
    answer_.output_tokens = 1290;
    model_ = std::make_shared<FakeChatModel>(
        [this](const models::ModelRequest&) -> absl::StatusOr<models::ModelAnswer> { return answered_; });
    Answer();
    Make(blobs_);
  }

  // The model answers what `answer_` is now.
  void Answer() { answered_ = answer_; }
  void Make(std::shared_ptr<storage::blobs::BlobStore> store, int64_t max_inline_bytes = 1000) {
    tool_ = std::make_unique<GenerateImage>(
        model_, std::move(store), nullptr,
        GenerateImage::Options{"painter", testing::sample_images::kLimits, max_inline_bytes});
  }

  absl::StatusOr<ToolOutput> Run(const Json& arguments, bool dry_run = false) {
    ToolContext context = ContextOf(arguments);
    context.dry_run = dry_run;
    context.progress = &progress_;
    absl::StatusOr<Acted> acted = tool_->Run(context, session_);
    if (!acted.ok()) return acted.status();
    EXPECT_EQ(acted->settle, nullptr);
    return std::move(acted->output);
  }
  Recovered Recover() {
    ToolContext context = ContextOf(arguments_);
    return tool_->Recover(context, session_).value();
  }
  ToolContext ContextOf(const Json& arguments) {
    return {arguments, caller_, clock_.Now(), absl::UTCTimeZone(), cancellation_, IdSource::Real()};
  }
  std::string Key() const { return storage::blobs::ContentKey("w", samples::BytesOf(samples::kPng), "png"); }
  std::vector<double> Counts() const { return tool_->counts().values(); }
  static Json DataOf(const ToolOutput& output) { return ParseJson(output.data_json).value(); }

  const Caller caller_{.workspace_id = "w", .user_id = "ann"};
  const fibers::Cancellation cancellation_;
  const Json arguments_ = {{"prompt", "a cat\nin a hat"}, {"mode", "generate"}};
  Messages progress_;
  std::shared_ptr<testing::MemoryBlobStore> blobs_;
  models::ModelAnswer answer_;
  absl::StatusOr<models::ModelAnswer> answered_;
  std::shared_ptr<FakeChatModel> model_;
  std::unique_ptr<GenerateImage> tool_;
  testing::BareSession session_{*store_, "w", "key"};
};

TEST_F(GenerateImageTest, StoresTheImageAndAnswersItsAddress) {
  const ToolOutput output = Run(arguments_).value();
  const std::string bytes = samples::BytesOf(samples::kPng);
  EXPECT_EQ(DataOf(output), (Json{{"mediaType", "image/png"},
                                  {"width", 3},
                                  {"height", 2},
                                  {"bytes", bytes.size()},
                                  {"sha256", HexEncode(Sha256(bytes))},
                                  {"model", "painter-1"},
                                  {"imageUrl", "https://images.test/" + Key()}}));
  EXPECT_EQ(blobs_->blobs[Key()], bytes);
  EXPECT_EQ(blobs_->types[Key()], "image/png");
  EXPECT_EQ(output.description, "Made an image: \"a cat\"");
  EXPECT_EQ(output.tokens_used, 1297);
  EXPECT_FALSE(output.reversible);
  EXPECT_TRUE(output.untrusted);
  EXPECT_EQ(Counts(), (std::vector<double>{0, 0, 0, 1}));
}

TEST_F(GenerateImageTest, ReportsEachStep) {
  ASSERT_TRUE(Run(arguments_).ok());
  EXPECT_THAT(progress_.texts, ElementsAre("Asking the image model", "Checking the image", "Storing the image"));
}

TEST_F(GenerateImageTest, AnswersWhatTheModelWroteBesideTheImage) {
  answer_.message.text = "Here is your cat.";
  Answer();
  const ToolOutput output = Run(arguments_).value();
  EXPECT_EQ(DataOf(output)["text"], "Here is your cat.");
  EXPECT_TRUE(output.untrusted);
}

TEST_F(GenerateImageTest, AddsTheRepeatsOfTheStore) {
  blobs_->repeats = 2;
  EXPECT_EQ(Run(arguments_)->retry_count, 2);
}

TEST_F(GenerateImageTest, EditsAnEarlierImage) {
  const Json first = DataOf(Run(arguments_).value());
  ASSERT_TRUE(Run({{"prompt", "bluer"}, {"mode", "edit"}, {"baseImage", first["imageUrl"]}}).ok());
  const models::ModelRequest request = model_->requests()[1];
  ASSERT_EQ(request.messages[0].images.size(), 1u);
  EXPECT_EQ(request.messages[0].images[0].bytes, samples::BytesOf(samples::kPng));
  EXPECT_FALSE(request.extra.contains("image_config"));
}

TEST_F(GenerateImageTest, AsksNoModelForWrongArguments) {
  EXPECT_FALSE(Run({{"prompt", "x"}, {"mode", "edit"}}).ok());
  EXPECT_FALSE(Run({{"prompt", "x"}, {"mode", "edit"}, {"baseImage", "cat"}}).ok());
  EXPECT_TRUE(model_->requests().empty());
  EXPECT_EQ(session_.checkpoint(), "");
}

TEST_F(GenerateImageTest, ActsOnNothingInADryRun) {
  const ToolOutput output = Run(arguments_, /*dry_run=*/true).value();
  EXPECT_EQ(DataOf(output), (Json{{"model", "painter"}}));
  EXPECT_FALSE(output.reversible);
  EXPECT_TRUE(model_->requests().empty());
  EXPECT_TRUE(blobs_->blobs.empty());
  EXPECT_EQ(session_.checkpoint(), "");
}

TEST_F(GenerateImageTest, AnswersASmallImageItselfWithoutAStore) {
  Make(nullptr);
  const Json data = DataOf(Run(arguments_).value());
  EXPECT_EQ(data["imageData"], samples::kPng);
  EXPECT_FALSE(data.contains("imageUrl"));
  Make(nullptr, 10);
  const auto error = GetToolError(Run(arguments_).status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kExecutionError);
  EXPECT_THAT(error->message, HasSubstr("set images.store.kind"));
}

TEST_F(GenerateImageTest, PassesTheModelsErrorOn) {
  answered_ = MakeError(ErrorCode::kTimeout, "slow");
  EXPECT_EQ(GetToolError(Run(arguments_).status())->code, ErrorCode::kTimeout);
  EXPECT_EQ(Counts(), (std::vector<double>{1, 0, 0, 0}));
}

TEST_F(GenerateImageTest, KeepsNoImageThatIsNone) {
  answer_.message.images[0].bytes = "GIF89a";
  Answer();
  EXPECT_EQ(GetToolError(Run(arguments_).status())->code, ErrorCode::kExecutionError);
  EXPECT_TRUE(blobs_->blobs.empty());
  EXPECT_EQ(Counts(), (std::vector<double>{0, 1, 0, 0}));
}

TEST_F(GenerateImageTest, SaysThatTheImageCouldNotBeStored) {
  blobs_->failure = absl::UnavailableError("answered with the HTTP status 503");
  const auto error = GetToolError(Run(arguments_).status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->message,
            "the image was generated, but could not be stored: the blob store answered with the HTTP status 503");
  EXPECT_TRUE(error->retryable);
  EXPECT_EQ(Counts(), (std::vector<double>{0, 0, 1, 0}));
}

TEST_F(GenerateImageTest, IsRolledBackWhenTheModelHadNotBeenAsked) {
  EXPECT_EQ(Recover().outcome, Recovered::Outcome::kRolledBack);
}

TEST_F(GenerateImageTest, IsFinishedWhenTheImageHadBeenStored) {
  answer_.message.text = "Here.";
  Answer();
  const ToolOutput output = Run(arguments_).value();
  const Recovered recovered = Recover();
  EXPECT_EQ(recovered.outcome, Recovered::Outcome::kFinished);
  EXPECT_EQ(recovered.acted.output.data_json, output.data_json);
  EXPECT_EQ(recovered.acted.output.description, output.description);
  EXPECT_EQ(recovered.acted.output.tokens_used, 1297);
  EXPECT_FALSE(recovered.acted.output.reversible);
  EXPECT_TRUE(recovered.acted.output.untrusted);
}

TEST_F(GenerateImageTest, SaysThatAnImageWasLostBeforeItWasStored) {
  ASSERT_TRUE(Run(arguments_).ok());
  blobs_->blobs.clear();
  const Recovered recovered = Recover();
  EXPECT_EQ(recovered.outcome, Recovered::Outcome::kPartlyRolledBack);
  EXPECT_THAT(std::string(recovered.failure.message()),
              HasSubstr("before the image was stored; no image was kept, and the provider may charge for it"));
}

TEST_F(GenerateImageTest, SaysThatTheModelMayHaveWorkedInVain) {
  answered_ = MakeError(ErrorCode::kTimeout, "slow");
  ASSERT_FALSE(Run(arguments_).ok());
  const Recovered recovered = Recover();
  EXPECT_EQ(recovered.outcome, Recovered::Outcome::kPartlyRolledBack);
  EXPECT_THAT(std::string(recovered.failure.message()), HasSubstr("while the image model worked"));
}

TEST_F(GenerateImageTest, IsRecoveredLaterWhileTheStoreIsOutOfReach) {
  ASSERT_TRUE(Run(arguments_).ok());
  blobs_->failure = absl::UnavailableError("could not be reached");
  ToolContext context = ContextOf(arguments_);
  EXPECT_EQ(tool_->Recover(context, session_).status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(GenerateImageTest, KnowsTheKeyBeforeItStores) {
  std::string checkpoint;
  blobs_->before_put = [&] { checkpoint = std::string(session_.checkpoint()); };
  ASSERT_TRUE(Run(arguments_).ok());
  EXPECT_EQ(ParseJson(checkpoint).value()["key"], Key());
}

}  // namespace
}  // namespace toolgate::executors::images
