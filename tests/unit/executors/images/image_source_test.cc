#include "executors/images/image_source.h"

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/tool_error.h"
#include "executors/outside_quote.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "storage/blobs/blob_key.h"
#include "tests/support/client_pool_of.h"
#include "tests/support/memory_blob_store.h"
#include "tests/support/sample_images.h"

namespace toolgate::executors::images {
namespace {

namespace samples = testing::sample_images;
using ::testing::HasSubstr;

absl::StatusOr<bool> NoWait(fibers::Event&, absl::Duration) { return false; }

std::string DataUrl(std::string_view type, std::string_view base64) {
  return "data:" + std::string(type) + ";base64," + std::string(base64);
}

class FindBaseImageTest : public ::testing::Test {
 protected:
  absl::StatusOr<models::Image> Find(std::string_view written, const formats::ImageLimits& limits = samples::kLimits) {
    return FindBaseImage(written, "w", &store_, limits, {NoWait});
  }
  ToolError ErrorFor(std::string_view written) { return GetToolError(Find(written).status()).value_or(ToolError()); }
  // URL of an image of that workspace.
  std::string Keep(std::string_view workspace, const std::string& bytes) {
    const std::string key = storage::blobs::ContentKey(workspace, bytes, "png");
    store_.blobs[key] = bytes;
    return store_.UrlOf(key);
  }

  testing::MemoryBlobStore store_;
};

TEST_F(FindBaseImageTest, TakesADataUrlAndTellsItsTypeByItsBytes) {
  const models::Image image = Find(DataUrl("image/png", samples::kJpeg)).value();
  EXPECT_EQ(image.media_type, "image/jpeg");
  EXPECT_EQ(image.bytes, samples::BytesOf(samples::kJpeg));
}

TEST_F(FindBaseImageTest, TakesAnEarlierImageOfTheWorkspace) {
  const std::string bytes = samples::BytesOf(samples::kPng);
  const models::Image image = Find(Keep("w", bytes)).value();
  EXPECT_EQ(image.media_type, "image/png");
  EXPECT_EQ(image.bytes, bytes);
}

TEST_F(FindBaseImageTest, TellsAnotherWorkspacesImageFromNoneByNothing) {
  const std::string there = Keep("other", samples::BytesOf(samples::kPng));
  const std::string nowhere = store_.UrlOf(storage::blobs::ContentKey("w", "x", "png"));
  EXPECT_EQ(ErrorFor(there).code, ErrorCode::kNotFound);
  EXPECT_EQ(ErrorFor(nowhere).code, ErrorCode::kNotFound);
  EXPECT_EQ(ErrorFor(there).message, ErrorFor(nowhere).message);
}

TEST_F(FindBaseImageTest, RefusesWhatIsNoImage) {
  for (const std::string& written :
       {std::string("https://example.com/a.png"), std::string("file:///etc/passwd"), std::string("cat"),
        std::string("data:image/png,raw"), DataUrl("image/png", "!!"), DataUrl("text/html", samples::kPng),
        DataUrl("image/svg+xml", "PHN2Zy8+"), DataUrl("image/png", "aGVsbG8=")}) {
    const ToolError error = ErrorFor(written);
    EXPECT_EQ(error.code, ErrorCode::kInvalidParams) << written;
    ASSERT_EQ(error.violations.size(), 1u) << written;
    EXPECT_EQ(error.violations[0].path, "/baseImage");
  }
}

TEST_F(FindBaseImageTest, RefusesAnImageBeyondTheLimits) {
  const auto error = GetToolError(Find(DataUrl("image/png", samples::kPng), {samples::kLimits.max_bytes, 5}).status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kInvalidParams);
  EXPECT_THAT(error->message, HasSubstr("has 3 by 2 pixels; at most 5 are accepted"));
}

TEST_F(FindBaseImageTest, SaysThatTheStoreFailed) {
  const std::string url = Keep("w", samples::BytesOf(samples::kPng));
  store_.failure = absl::UnavailableError("could not be reached");
  const ToolError error = ErrorFor(url);
  EXPECT_EQ(error.code, ErrorCode::kExecutionError);
  EXPECT_EQ(error.message, "the image to edit could not be read: the blob store could not be reached");
  EXPECT_TRUE(error.retryable);
  EXPECT_EQ(error.blame, Blame::kByCode) << "no caller can bring the store down";
}

models::ModelAnswer AnswerWith(models::Image image) {
  models::ModelAnswer answer;
  answer.message.images.push_back(std::move(image));
  return answer;
}

TEST(ExtractImageTest, TellsTheTypeByTheBytesAndDropsWhatIsGluedOn) {
  const std::string png = samples::BytesOf(samples::kPng);
  const CheckedImage image =
      ExtractImage(AnswerWith({"image/webp", png + "<script>", ""}), nullptr, samples::kLimits, NoWait).value();
  EXPECT_EQ(image.info.media_type, "image/png");
  EXPECT_EQ(image.bytes, png);
}

TEST(ExtractImageTest, QuotesTheModelThatMadeNone) {
  models::ModelAnswer answer;
  answer.message.text = "I cannot draw that. " + std::string(1000, 'x');
  const auto error = GetToolError(ExtractImage(answer, nullptr, samples::kLimits, NoWait).status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kExecutionError);
  EXPECT_EQ(error->blame, Blame::kRequest);
  EXPECT_THAT(error->message, HasSubstr("answered without an image; it wrote: I cannot draw that. xxx"));
  EXPECT_LT(error->message.size(), 400u);
  EXPECT_TRUE(QuotesOutside(*error));
  EXPECT_FALSE(QuotesOutside(*GetToolError(ExtractImage({}, nullptr, samples::kLimits, NoWait).status())));
}

TEST(ExtractImageTest, RefusesAnImageThatMayNotBeKept) {
  const auto error = GetToolError(
      ExtractImage(AnswerWith({"image/png", "<svg onload='x'/>", ""}), nullptr, samples::kLimits, NoWait).status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kExecutionError);
  EXPECT_EQ(error->blame, Blame::kRequest);
  EXPECT_THAT(error->message, HasSubstr("the model's image is markup such as SVG"));
}

TEST(ExtractImageTest, FollowsNoAddressUnlessItMay) {
  const auto error = GetToolError(
      ExtractImage(AnswerWith({"", "", "https://example.com/a.png"}), nullptr, samples::kLimits, NoWait).status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->blame, Blame::kRequest);
  EXPECT_THAT(error->message, HasSubstr("set images.fetch_urls"));
}

// Answers every request with one response, or fails.
class OneResponseClient final : public http::Client {
 public:
  explicit OneResponseClient(absl::StatusOr<http::Response> response) : response_(std::move(response)) {}

  std::unique_ptr<http::Exchange> Start(http::Request request) override {
    last = std::move(request);
    return std::make_unique<OneExchange>(response_);
  }

  http::Request last;

 private:
  class OneExchange final : public http::Exchange {
   public:
    explicit OneExchange(absl::StatusOr<http::Response> response) : response_(std::move(response)) {}
    absl::StatusOr<http::ResponseHead> Head(fibers::Wait) override {
      if (!response_.ok()) return response_.status();
      return response_->head;
    }
    absl::StatusOr<std::string> Next(fibers::Wait) override { return std::exchange(response_->body, ""); }
    bool may_have_been_sent() const override { return true; }

   private:
    absl::StatusOr<http::Response> response_;
  };

  const absl::StatusOr<http::Response> response_;
};

TEST(ImageFetcherTest, FetchesFromPublicAddressesWithinBounds) {
  const auto client = std::make_shared<OneResponseClient>(http::Response{{200, {}}, samples::BytesOf(samples::kPng)});
  ImageFetcher fetcher({}, testing::ClientPoolOf(client));
  const CheckedImage image = ExtractImage(AnswerWith({"", "", "https://example.com/a.png"}), &fetcher,
                                          {5000, samples::kLimits.max_pixels}, NoWait)
                                 .value();
  EXPECT_EQ(image.info.media_type, "image/png");
  EXPECT_EQ(client->last.url, "https://example.com/a.png");
  EXPECT_FALSE(client->last.private_addresses);
  EXPECT_EQ(client->last.max_body_bytes, 5000);
  EXPECT_EQ(client->last.max_redirects, 3);
}

TEST(ImageFetcherTest, SaysTheCauseAndNoAddress) {
  struct Case {
    absl::StatusOr<http::Response> response;
    std::string cause;
    bool retryable;
  };
  for (const Case& one : {Case{http::Response{{404, {}}, ""}, "the HTTP status was 404", false},
                          Case{http::Response{{503, {}}, ""}, "the HTTP status was 503", true},
                          Case{absl::PermissionDeniedError("10.0.0.1"), "it is not a public address", false},
                          Case{absl::OutOfRangeError("10.0.0.1"), "it is too large", false},
                          Case{absl::DeadlineExceededError("10.0.0.1"), "its server took too long", true},
                          Case{absl::InvalidArgumentError("10.0.0.1"), "it is not a valid address", false},
                          Case{absl::UnavailableError("10.0.0.1"), "its server could not be reached", true}}) {
    ImageFetcher fetcher({}, testing::ClientPoolOf(std::make_shared<OneResponseClient>(one.response)));
    const auto error = GetToolError(fetcher.Fetch("https://example.com/a.png", 100, NoWait).status());
    ASSERT_TRUE(error.has_value());
    EXPECT_THAT(error->message, HasSubstr("could not be fetched: " + one.cause));
    EXPECT_EQ(error->message.find("10.0.0.1"), std::string::npos);
    EXPECT_EQ(error->retryable, one.retryable) << one.cause;
    EXPECT_EQ(error->blame, Blame::kRequest) << one.cause;
  }
}

TEST(ImageFetcherTest, PassesTheEndOfTheCallOn) {
  ImageFetcher fetcher(
      {}, testing::ClientPoolOf(std::make_shared<OneResponseClient>(MakeError(ErrorCode::kCancelled, "left"))));
  EXPECT_EQ(GetToolError(fetcher.Fetch("https://example.com/a.png", 100, NoWait).status())->code,
            ErrorCode::kCancelled);
}

}  // namespace
}  // namespace toolgate::executors::images
