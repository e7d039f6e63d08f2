// Processes that are killed at every point of a generated image: around each commit, before and after the model is
// asked, and before and after the image is stored. The next process recovers; a repeat with the key then gets the
// outcome, and never asks the model again.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "executors/images/generate_image.h"
#include "executors/images/images_definitions.h"
#include "gtest/gtest.h"
#include "storage/blobs/local_blob_store.h"
#include "storage/store.h"
#include "tests/support/fake_chat_model.h"
#include "tests/support/mortal_process.h"
#include "tests/support/sample_images.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_core.h"
#include "tests/support/test_store.h"

namespace toolgate {
namespace {

using executors::images::GenerateImage;
using security::ToolResult;
using testing::IsKilled;
using testing::KillPoints;

constexpr char kKey[] = "the-key";
constexpr int kNever = 1'000'000;

// A folder of blobs in which putting one is two points.
class DeadlyBlobStore final : public storage::blobs::BlobStore {
 public:
  DeadlyBlobStore(const std::string& folder, KillPoints& points)
      : store_(storage::blobs::LocalBlobStore::Create({folder, ""}).value()), points_(points) {}

  absl::Status Configured() const override { return store_->Configured(); }
  absl::Status Put(std::string_view key, std::string_view media_type, std::string_view bytes,
                   const storage::blobs::Scope& scope) override {
    points_.Pass();
    const absl::Status put = store_->Put(key, media_type, bytes, scope);
    points_.Pass();
    return put;
  }
  absl::StatusOr<std::string> Get(std::string_view key, int64_t max_bytes,
                                  const storage::blobs::Scope& scope) override {
    return store_->Get(key, max_bytes, scope);
  }
  absl::StatusOr<bool> Has(std::string_view key, const storage::blobs::Scope& scope) override {
    return store_->Has(key, scope);
  }
  absl::Status Delete(std::string_view key, const storage::blobs::Scope& scope) override {
    return store_->Delete(key, scope);
  }
  std::string UrlOf(std::string_view key) const override { return store_->UrlOf(key); }
  std::optional<std::string> KeyOf(std::string_view url) const override { return store_->KeyOf(url); }

 private:
  const std::unique_ptr<storage::blobs::LocalBlobStore> store_;
  KillPoints& points_;
};

// A service with generate_image alone, over the files of a folder. Its model notes each request in the file "asked".
class PainterProcess {
 public:
  explicit PainterProcess(const std::string& dir, int kill_at = kNever) : dir_(dir), points_(kill_at) {
    testing::TestStoreOptions options;
    options.data_dir = dir + "/data";
    sqlite_ = testing::MakeTestStore(options);
    store_ = std::make_unique<testing::DeadlyStore>(*sqlite_, points_);
    core_ = std::make_unique<testing::TestCore>(*store_, Clock::Real(), services::config::Load({}).value(), Tools());
  }

  absl::StatusOr<ToolResult> Paint() {
    const auto call = core_->Call("generate_image");
    call->SetArguments({{"prompt", "a cat"}});
    call->idempotency_key = kKey;
    return core_->Run(*call);
  }
  int64_t Recover() {
    using services::execution::Recovery;
    return core_->core().ResolveAbandonedClaims(Recovery::Abandoned::kNotOwnRunning, nullptr).value();
  }

 private:
  std::shared_ptr<const executors::Catalog> Tools() {
    const auto model = std::make_shared<testing::FakeChatModel>([this](const executors::models::ModelRequest&) {
      points_.Pass();
      std::ofstream(dir_ + "/asked", std::ios::app) << "x";
      points_.Pass();
      executors::models::ModelAnswer answer;
      answer.message.images.push_back({"image/png", testing::sample_images::BytesOf(testing::sample_images::kPng), ""});
      return answer;
    });
    const auto tool =
        std::make_shared<GenerateImage>(model, std::make_shared<DeadlyBlobStore>(dir_ + "/blobs", points_), nullptr,
                                        GenerateImage::Options{"painter", testing::sample_images::kLimits, 0});
    executors::ToolHandlers handlers;
    handlers.id = "generate_image";
    handlers.run = executors::EffectHandler([tool](executors::ToolContext& context, executors::EffectSession& session) {
      return tool->Run(context, session);
    });
    handlers.recover = [tool](executors::ToolContext& context, executors::EffectSession& session) {
      return tool->Recover(context, session);
    };
    const EmbeddedFile& file = executors::images::DefinitionFiles().front();
    return executors::Catalog::Create({executors::ParseToolDefinition(file.path, file.text).value()},
                                      {std::move(handlers)})
        .value();
  }

  const std::string dir_;
  KillPoints points_;
  std::unique_ptr<storage::Store> sqlite_;
  std::unique_ptr<testing::DeadlyStore> store_;
  std::unique_ptr<testing::TestCore> core_;
};

// Files below the folder, whatever they are called.
int CountFiles(const std::string& folder) {
  const std::filesystem::recursive_directory_iterator files(folder);
  return static_cast<int>(
      std::count_if(begin(files), end(files), [](const auto& entry) { return entry.is_regular_file(); }));
}

TEST(ImageCrashTest, AnImageIsKeptOnceOrNotAtAllAndAskedForOnce) {
  int rounds = 0;
  int finished = 0;
  int lost = 0;
  for (bool killed = true; killed; ++rounds) {
    SCOPED_TRACE(rounds);
    const testing::TempDir dir;
    killed = IsKilled([&] { PainterProcess(dir.path(), rounds).Paint().IgnoreError(); });
    const std::uintmax_t asked_before =
        std::filesystem::exists(dir.path() + "/asked") ? std::filesystem::file_size(dir.path() + "/asked") : 0;
    PainterProcess next(dir.path());
    EXPECT_EQ(next.Recover(), 0);
    const absl::StatusOr<ToolResult> result = next.Paint();
    ASSERT_TRUE(result.ok()) << result.status();
    if (result->success) {
      ++finished;
      EXPECT_EQ(std::filesystem::file_size(dir.path() + "/asked"), 1u);
      EXPECT_EQ(CountFiles(dir.path() + "/blobs"), 1);
    } else {
      ++lost;
      EXPECT_LE(asked_before, 1u);
      EXPECT_EQ(CountFiles(dir.path() + "/blobs"), 0);
      const bool exists = std::filesystem::exists(dir.path() + "/asked");
      EXPECT_EQ(exists ? std::filesystem::file_size(dir.path() + "/asked") : 0, asked_before) << "asked again";
    }
    if (::testing::Test::HasFailure()) return;
  }
  // Three points for each of four commits (claim, two checkpoints, settlement), two of the model and two of the store.
  EXPECT_GT(rounds, 12);
  EXPECT_GT(finished, 3);
  EXPECT_GT(lost, 3);
}

}  // namespace
}  // namespace toolgate
