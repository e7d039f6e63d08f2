#include "storage/blobs/timed_blob_store.h"

#include <memory>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"
#include "tests/support/memory_blob_store.h"

namespace toolgate::storage::blobs {
namespace {

using observability::BlobOperation;
using ::testing::ElementsAre;
using ::testing::Pair;

absl::StatusOr<bool> EndsAtOnce(fibers::Event&, absl::Duration) { return false; }

class TimedBlobStoreTest : public ::testing::Test {
 protected:
  TimedBlobStoreTest() {
    auto memory = std::make_unique<testing::MemoryBlobStore>();
    memory_ = memory.get();
    memory_->before_put = [this] { clock_.Advance(absl::Seconds(2)); };
    store_ = std::make_unique<TimedBlobStore>(
        std::move(memory), clock_,
        [this](BlobOperation operation, absl::Duration took) { told_.emplace_back(operation, took); });
  }

  testing::FakeClock clock_;
  testing::MemoryBlobStore* memory_;
  std::unique_ptr<TimedBlobStore> store_;
  std::vector<std::pair<BlobOperation, absl::Duration>> told_;
};

TEST_F(TimedBlobStoreTest, TellsHowLongEachOperationTook) {
  EXPECT_EQ(store_->Put("a.png", "image/png", "x", {EndsAtOnce}), absl::OkStatus());
  EXPECT_EQ(store_->Get("a.png", 10, {EndsAtOnce}).value(), "x");
  EXPECT_TRUE(store_->Has("a.png", {EndsAtOnce}).value());
  EXPECT_EQ(store_->Delete("a.png", {EndsAtOnce}), absl::OkStatus());
  EXPECT_THAT(
      told_,
      ElementsAre(Pair(BlobOperation::kWrite, absl::Seconds(2)), Pair(BlobOperation::kRead, absl::ZeroDuration()),
                  Pair(BlobOperation::kRead, absl::ZeroDuration()), Pair(BlobOperation::kWrite, absl::ZeroDuration())));
}

TEST_F(TimedBlobStoreTest, TellsOfFailuresAndPassesThemOn) {
  memory_->failure = absl::UnavailableError("could not be reached");
  int retries = 0;
  memory_->repeats = 2;
  EXPECT_EQ(store_->Put("a.png", "image/png", "x", {EndsAtOnce, {}, &retries}), memory_->failure);
  EXPECT_EQ(retries, 2);
  EXPECT_THAT(told_, ElementsAre(Pair(BlobOperation::kWrite, absl::Seconds(2))));
}

TEST_F(TimedBlobStoreTest, AsksTheOtherStoreForAddressesWithoutTellingOfThat) {
  EXPECT_EQ(store_->UrlOf("a.png"), memory_->UrlOf("a.png"));
  EXPECT_EQ(store_->KeyOf(memory_->UrlOf("a.png")), "a.png");
  memory_->configured = absl::FailedPreconditionError("has no key");
  EXPECT_EQ(store_->Configured(), memory_->configured);
  EXPECT_TRUE(told_.empty());
}

}  // namespace
}  // namespace toolgate::storage::blobs
