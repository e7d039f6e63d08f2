// The store of blobs over a real client and a server that checks every signature.
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "common/clock.h"
#include "common/fibers/cancellation.h"
#include "common/fibers/wait_timer.h"
#include "common/ids.h"
#include "gtest/gtest.h"
#include "observability/trace_context.h"
#include "storage/blobs/s3_blob_store.h"
#include "tests/support/s3_server.h"
#include "tests/support/temp_dir.h"

namespace toolgate::storage::blobs {
namespace {

class S3Test : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (testing::S3Server::Installed()) server_ = new testing::S3Server;
  }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }
  void SetUp() override {
    if (server_ == nullptr) GTEST_SKIP() << "s3rver is not installed: npm ci in tests/e2e";
    setenv("TOOLGATE_TEST_S3_KEY", "S3RVER", 1);
    setenv("TOOLGATE_TEST_S3_WRONG", "wrong", 1);
  }

  static S3BlobStore::Options PathStyle() {
    S3BlobStore::Options options;
    options.endpoint = server_->url();
    options.region = "eu-test-1";
    options.bucket = "images";
    options.path_style = true;
    options.access_key = {.env = "TOOLGATE_TEST_S3_KEY", .setting = "access_key"};
    options.secret_key = {.env = "TOOLGATE_TEST_S3_KEY", .setting = "secret_key"};
    options.timeout = absl::Seconds(30);
    options.max_attempts = 3;
    return options;
  }
  static std::unique_ptr<S3BlobStore> Store(S3BlobStore::Options options = PathStyle()) {
    return S3BlobStore::Create(std::move(options), std::make_shared<http::ClientPool>()).value();
  }

  static testing::S3Server* server_;
  const fibers::Cancellation never_ = {};
  fibers::WaitTimer waits_{Clock::Real()};
  const std::function<absl::StatusOr<bool>(fibers::Event&, absl::Duration)> wait_ = [this](fibers::Event& event,
                                                                                           absl::Duration timeout) {
    return waits_.Wait(event, never_, Clock::Real().Monotonic() + timeout);
  };
};

testing::S3Server* S3Test::server_ = nullptr;

TEST_F(S3Test, StoresAnswersAndDeletesABlob) {
  const auto store = Store();
  int retries = 0;
  const std::string bytes = IdSource::Real().RandomBytes(2'000'000);
  EXPECT_EQ(store->Put("a/b_1.png", "image/png", bytes, {wait_, {}, &retries}), absl::OkStatus());
  EXPECT_EQ(retries, 0);
  EXPECT_EQ(store->Has("a/b_1.png", {wait_}).value(), true);
  EXPECT_TRUE(store->Get("a/b_1.png", 2'000'000, {wait_}).value() == bytes);
  EXPECT_EQ(store->Get("a/b_1.png", 1'999'999, {wait_}).status().code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(store->Delete("a/b_1.png", {wait_}), absl::OkStatus());
  EXPECT_EQ(store->Has("a/b_1.png", {wait_}).value(), false);
  EXPECT_EQ(store->Get("a/b_1.png", 2'000'000, {wait_}).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store->Delete("a/b_1.png", {wait_}), absl::OkStatus());
}

TEST_F(S3Test, StoresAnEmptyBlobAndReplacesIt) {
  const auto store = Store();
  EXPECT_EQ(store->Put("x.bin", "application/octet-stream", "", {wait_}), absl::OkStatus());
  EXPECT_EQ(store->Put("x.bin", "application/octet-stream", "new", {wait_}), absl::OkStatus());
  EXPECT_EQ(store->Get("x.bin", 10, {wait_}).value(), "new");
}

TEST_F(S3Test, PutsThePrefixBeforeEachName) {
  S3BlobStore::Options options = PathStyle();
  options.prefix = "toolgate/";
  ASSERT_EQ(Store(options)->Put("p.png", "image/png", "x", {wait_}), absl::OkStatus());
  EXPECT_EQ(Store()->Get("toolgate/p.png", 10, {wait_}).value(), "x");
}

TEST_F(S3Test, RepeatsWhatFailedByChance) {
  int retries = 0;
  EXPECT_EQ(Store()->Put("flaky-1.png", "image/png", "x", {wait_, {}, &retries}), absl::OkStatus());
  EXPECT_EQ(retries, 1);
}

TEST_F(S3Test, SignsTheTraceWithTheRequest) {
  const observability::TraceContext call{1, 2, 4, 1, "vendor=1,other=a b"};
  const Scope scope{wait_, {&call, nullptr}};
  const auto store = Store();
  EXPECT_EQ(store->Put("traced.png", "image/png", "x", scope), absl::OkStatus());
  EXPECT_EQ(store->Get("traced.png", 10, scope).value(), "x");
  EXPECT_EQ(store->Has("traced.png", scope).value(), true);
}

TEST_F(S3Test, TellsAWrongSecretRegionAndBucket) {
  S3BlobStore::Options secret = PathStyle();
  secret.secret_key.env = "TOOLGATE_TEST_S3_WRONG";
  S3BlobStore::Options region = PathStyle();
  region.region = "us-east-1";
  S3BlobStore::Options key = PathStyle();
  key.access_key.env = "TOOLGATE_TEST_S3_WRONG";
  for (const S3BlobStore::Options& options : {secret, region, key}) {
    int retries = 0;
    EXPECT_EQ(Store(options)->Put("x.png", "image/png", "x", {wait_, {}, &retries}),
              absl::PermissionDeniedError("answered with the HTTP status 403; check its keys, region and bucket"));
    EXPECT_EQ(retries, 0);
  }
  S3BlobStore::Options bucket = PathStyle();
  bucket.bucket = "no-such-bucket";
  EXPECT_EQ(Store(bucket)->Put("x.png", "image/png", "x", {wait_}).code(), absl::StatusCode::kNotFound);
}

TEST_F(S3Test, NamesTheBucketInTheHostWhereThatIsTheStyle) {
  // Names below localhost are the loopback address (RFC 6761); not every resolver knows.
  S3BlobStore::Options options = PathStyle();
  options.path_style = false;
  options.endpoint = "http://s3.localhost:" + server_->port();
  const auto store = Store(options);
  EXPECT_EQ(store->UrlOf("v.png"), "http://images.s3.localhost:" + server_->port() + "/v.png");
  const absl::Status put = store->Put("v.png", "image/png", "x", {wait_});
  if (absl::IsUnavailable(put)) GTEST_SKIP() << "images.s3.localhost has no address here";
  EXPECT_EQ(put, absl::OkStatus());
}

TEST_F(S3Test, TellsWhenNobodyListens) {
  S3BlobStore::Options options = PathStyle();
  options.endpoint = "http://127.0.0.1:1";
  int retries = 0;
  EXPECT_EQ(Store(options)->Put("x.png", "image/png", "x", {wait_, {}, &retries}).code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(retries, 2);
}

}  // namespace
}  // namespace toolgate::storage::blobs
