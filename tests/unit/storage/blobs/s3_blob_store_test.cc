#include "storage/blobs/s3_blob_store.h"

#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/ids.h"
#include "common/tool_error.h"
#include "gtest/gtest.h"
#include "observability/trace_ids.h"
#include "observability/tracing/attribute_names.h"
#include "observability/tracing/trace_recording.h"
#include "tests/support/client_pool_of.h"
#include "tests/support/fake_clock.h"
#include "tests/support/kept_traces.h"
#include "tests/support/temp_dir.h"

namespace toolgate::storage::blobs {
namespace {

namespace tracing = observability::tracing;
using testing::FindAttribute;
using testing::FindText;

// Answers each request with the next of the responses, or with the last one again.
class FakeHttpClient final : public http::Client {
 public:
  using Answer = absl::StatusOr<http::Response>;

  explicit FakeHttpClient(std::deque<Answer> answers) : answers_(std::move(answers)) {}

  std::unique_ptr<http::Exchange> Start(http::Request request) override {
    requests.push_back(std::move(request));
    Answer answer = answers_.front();
    if (answers_.size() > 1) answers_.pop_front();
    return std::make_unique<FakeExchange>(std::move(answer));
  }

  std::vector<http::Request> requests;

 private:
  class FakeExchange final : public http::Exchange {
   public:
    explicit FakeExchange(Answer answer) : answer_(std::move(answer)) {}
    absl::StatusOr<http::ResponseHead> Head(fibers::Wait) override {
      if (!answer_.ok()) return answer_.status();
      return answer_->head;
    }
    absl::StatusOr<std::string> Next(fibers::Wait) override { return std::exchange(answer_->body, ""); }
    bool may_have_been_sent() const override { return true; }

   private:
    Answer answer_;
  };

  std::deque<Answer> answers_;
};

http::Response Status(int status, std::string body = "") { return {{status, {}}, std::move(body)}; }

class S3BlobStoreTest : public ::testing::Test {
 protected:
  S3BlobStoreTest() {
    setenv("TOOLGATE_TEST_ACCESS", "AKID", 1);
    setenv("TOOLGATE_TEST_SECRET", " s3cret\n", 1);
    unsetenv("TOOLGATE_TEST_UNSET");
    options_.endpoint = "https://s3.example.com";
    options_.region = "eu-central-1";
    options_.bucket = "images";
    options_.access_key = {.env = "TOOLGATE_TEST_ACCESS", .setting = "images.store.access_key"};
    options_.secret_key = {.env = "TOOLGATE_TEST_SECRET", .setting = "images.store.secret_key"};
    options_.timeout = absl::Seconds(30);
    options_.max_attempts = 3;
    options_.section = "images.store";
  }
  std::unique_ptr<S3BlobStore> Store(std::deque<FakeHttpClient::Answer> answers) {
    client_ = std::make_shared<FakeHttpClient>(std::move(answers));
    return S3BlobStore::Create(options_, testing::ClientPoolOf(client_)).value();
  }
  absl::Status Put(S3BlobStore& store, int* retries = nullptr) {
    const auto wait = [this](fibers::Event&, absl::Duration timeout) -> absl::StatusOr<bool> {
      waits_.push_back(timeout);
      return false;
    };
    return store.Put("w/a.png", "image/png", "bytes", {wait, span_, retries});
  }
  static std::string ValueOf(const http::Request& request, std::string_view name) {
    for (const http::Header& header : request.headers) {
      if (header.name == name) return header.value;
    }
    return "";
  }
  std::string CreateError() const { return std::string(S3BlobStore::Check(options_).message()); }

  // Has the calls that follow recorded.
  void Sample() { span_ = {&call_, &recording_}; }

  S3BlobStore::Options options_;
  std::shared_ptr<FakeHttpClient> client_;
  testing::FakeClock clock_;
  observability::TraceIds ids_{IdSource::Real()};
  const observability::TraceContext call_{1, 2, 4, 1, "vendor=1"};
  tracing::TraceRecording recording_{{1, 2, 3, 1, {}}, ids_, clock_};
  tracing::CallSpan span_;
  std::vector<absl::Duration> waits_;
};

TEST_F(S3BlobStoreTest, PutsAnObjectWithItsTypeAndASignature) {
  const auto store = Store({Status(200)});
  EXPECT_EQ(Put(*store), absl::OkStatus());
  ASSERT_EQ(client_->requests.size(), 1u);
  const http::Request& request = client_->requests[0];
  EXPECT_EQ(request.method, "PUT");
  EXPECT_EQ(request.url, "https://images.s3.example.com/w/a.png");
  EXPECT_EQ(request.body, "bytes");
  EXPECT_EQ(ValueOf(request, "content-type"), "image/png");
  ASSERT_TRUE(request.signature.has_value());
  EXPECT_EQ(request.signature->access_key, "AKID");
  EXPECT_EQ(request.signature->secret_key, "s3cret");
  EXPECT_EQ(request.signature->region, "eu-central-1");
  EXPECT_EQ(request.signature->service, "s3");
  EXPECT_TRUE(request.private_addresses);
  EXPECT_EQ(request.max_redirects, 0);
}

TEST_F(S3BlobStoreTest, KnowsBothStylesOfAddresses) {
  struct Case {
    std::string endpoint;
    bool path_style;
    std::string prefix;
    std::string public_url;
    std::string object;
    std::string url;
  };
  for (const Case& one : {
           Case{"https://s3.example.com", false, "", "", "https://images.s3.example.com/k.png", ""},
           Case{"https://s3.example.com/", true, "", "", "https://s3.example.com/images/k.png", ""},
           Case{"http://minio:9000/base", true, "t/", "", "http://minio:9000/base/images/t/k.png", ""},
           Case{"https://s3.example.com", false, "t/", "https://cdn.example.com/",
                "https://images.s3.example.com/t/k.png", "https://cdn.example.com/t/k.png"},
       }) {
    options_.endpoint = one.endpoint;
    options_.path_style = one.path_style;
    options_.prefix = one.prefix;
    options_.public_url = one.public_url;
    const auto store = Store({Status(204)});
    const auto wait = [](fibers::Event&, absl::Duration) -> absl::StatusOr<bool> { return false; };
    EXPECT_EQ(store->Delete("k.png", {wait}), absl::OkStatus());
    EXPECT_EQ(client_->requests[0].url, one.object);
    EXPECT_EQ(store->UrlOf("k.png"), one.url.empty() ? one.object : one.url);
    EXPECT_EQ(store->KeyOf(store->UrlOf("k.png")), "k.png");
    EXPECT_EQ(store->KeyOf("https://evil.com/k.png"), std::nullopt);
  }
}

TEST_F(S3BlobStoreTest, RepeatsWhatMayMendAndWaitsInBetween) {
  const auto store = Store({absl::UnavailableError("reset"), Status(503), Status(200)});
  int retries = 0;
  EXPECT_EQ(Put(*store, &retries), absl::OkStatus());
  EXPECT_EQ(retries, 2);
  EXPECT_EQ(client_->requests.size(), 3u);
  ASSERT_EQ(waits_.size(), 2u);
  EXPECT_LT(waits_[0], absl::Milliseconds(500));
  EXPECT_LT(waits_[1], absl::Seconds(1));
}

TEST_F(S3BlobStoreTest, WaitsAsLongAsTheServiceAsks) {
  const auto store = Store({http::Response{{503, {{"retry-after", "7"}}}, ""}, Status(200)});
  EXPECT_EQ(Put(*store), absl::OkStatus());
  ASSERT_EQ(waits_.size(), 1u);
  EXPECT_GE(waits_[0], absl::Seconds(7));
  EXPECT_EQ(Put(*Store({http::Response{{503, {{"retry-after", "120"}}}, ""}})).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(client_->requests.size(), 1u);
}

TEST_F(S3BlobStoreTest, KeepsItsBudgetOfRepeats) {
  const auto store = Store({Status(503)});
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(Put(*store).ok());
  EXPECT_LE(waits_.size(), 11u);
}

TEST_F(S3BlobStoreTest, EachAttemptIsASpanThatTheServiceIsToldOf) {
  Sample();
  const auto store = Store({absl::UnavailableError("connect to 10.1.2.3:9000 failed"), Status(503), Status(200)});
  EXPECT_EQ(Put(*store), absl::OkStatus());
  const struct {
    int64_t resends;
    int64_t status;
    std::string_view error;
  } rows[] = {{0, 0, "UNAVAILABLE"}, {1, 503, "503"}, {2, 200, ""}};
  ASSERT_EQ(recording_.spans().size(), std::size(rows));
  const auto number = [this](const tracing::Span& span, std::string_view name) {
    const auto value = FindAttribute(recording_, &span, name);
    return value.has_value() ? std::get<int64_t>(*value) : 0;
  };
  for (size_t i = 0; i < std::size(rows); ++i) {
    const tracing::Span& span = recording_.spans()[i];
    EXPECT_EQ(span.name, "PUT blob");
    EXPECT_EQ(span.kind, tracing::SpanKind::kClient);
    EXPECT_EQ(span.parent_id, 4u);
    EXPECT_EQ(span.failed, !rows[i].error.empty());
    EXPECT_EQ(FindText(recording_, &span, tracing::kErrorType), rows[i].error);
    EXPECT_EQ(FindText(recording_, &span, tracing::kHttpRequestMethod), "PUT");
    EXPECT_EQ(FindText(recording_, &span, tracing::kServerAddress), "images.s3.example.com");
    EXPECT_EQ(number(span, tracing::kServerPort), 443);
    EXPECT_EQ(number(span, tracing::kHttpRequestResendCount), rows[i].resends);
    EXPECT_EQ(number(span, tracing::kHttpResponseStatusCode), rows[i].status);
    const std::string parent = ValueOf(client_->requests[i], "traceparent");
    EXPECT_NE(parent.find(absl::StrCat(absl::Hex(span.id, absl::kZeroPad16))), std::string::npos) << parent;
    EXPECT_EQ(ValueOf(client_->requests[i], "tracestate"), "vendor=1");
    for (const tracing::Attribute& attribute : recording_.AttributesOf(i)) {
      const auto* const text = std::get_if<std::string_view>(&attribute.value);
      EXPECT_TRUE(text == nullptr || text->find("a.png") == std::string_view::npos) << *text << " names a blob";
    }
  }
}

TEST_F(S3BlobStoreTest, TellsOfNoTraceOutsideOfCalls) {
  const auto store = Store({Status(200)});
  EXPECT_EQ(Put(*store), absl::OkStatus());
  EXPECT_EQ(ValueOf(client_->requests[0], "traceparent"), "");
}

TEST_F(S3BlobStoreTest, GivesUpAfterAllAttempts) {
  int retries = 0;
  const auto store = Store({Status(500)});
  EXPECT_EQ(Put(*store, &retries), absl::UnavailableError("answered with the HTTP status 500"));
  EXPECT_EQ(retries, 2);
  EXPECT_EQ(client_->requests.size(), 3u);
}

TEST_F(S3BlobStoreTest, TellsNoAddressOfAFailedConnection) {
  const auto store = Store({absl::UnavailableError("connect to 10.1.2.3:9000 failed")});
  EXPECT_EQ(Put(*store), absl::UnavailableError("could not be reached"));
  EXPECT_EQ(Put(*Store({absl::DeadlineExceededError("10.1.2.3")})), absl::UnavailableError("took too long to answer"));
  EXPECT_EQ(client_->requests.size(), 3u);
}

TEST_F(S3BlobStoreTest, RepeatsNoRefusal) {
  struct Case {
    int status;
    absl::StatusCode code;
  };
  for (const Case& one : {Case{400, absl::StatusCode::kUnavailable}, Case{401, absl::StatusCode::kPermissionDenied},
                          Case{403, absl::StatusCode::kPermissionDenied}, Case{404, absl::StatusCode::kNotFound},
                          Case{301, absl::StatusCode::kUnavailable}}) {
    const auto store = Store({Status(one.status, "<Error>AKID s3cret</Error>")});
    const absl::Status put = Put(*store);
    EXPECT_EQ(put.code(), one.code) << one.status;
    EXPECT_EQ(put.message().find("AKID"), absl::string_view::npos);
    EXPECT_EQ(client_->requests.size(), 1u) << one.status;
  }
}

TEST_F(S3BlobStoreTest, EndsWithTheCall) {
  const auto store = Store({Status(503)});
  const auto wait = [](fibers::Event&, absl::Duration) -> absl::StatusOr<bool> {
    return MakeError(ErrorCode::kCancelled, "the client left");
  };
  const absl::Status put = store->Put("a.png", "image/png", "x", {wait});
  EXPECT_EQ(GetToolError(put)->code, ErrorCode::kCancelled);
  EXPECT_EQ(client_->requests.size(), 1u);
}

TEST_F(S3BlobStoreTest, SaysWhichKeyIsMissing) {
  options_.secret_key.env = "TOOLGATE_TEST_UNSET";
  EXPECT_EQ(Store({Status(200)})->Configured(),
            absl::FailedPreconditionError("has no key: images.store.secret_key_env names the variable "
                                          "TOOLGATE_TEST_UNSET, which is not set"));
  options_.access_key.env = "";
  const auto store = Store({Status(200)});
  EXPECT_EQ(store->Configured(),
            absl::FailedPreconditionError("has no key: images.store.access_key_env and _file are empty"));
  EXPECT_EQ(Put(*store).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(client_->requests.empty());
}

TEST_F(S3BlobStoreTest, ReadsAKeyThatChanges) {
  const testing::TempDir dir;
  options_.access_key.file = dir.path() + "/key";
  const auto store = Store({Status(200)});
  EXPECT_EQ(store->Configured(),
            absl::FailedPreconditionError("has no key: images.store.access_key_file names a file that cannot be read: "
                                          "No such file or directory"));
  std::ofstream(options_.access_key.file) << "first\n";
  EXPECT_EQ(Put(*store), absl::OkStatus());
  std::ofstream(options_.access_key.file) << "second\n";
  EXPECT_EQ(Put(*store), absl::OkStatus());
  EXPECT_EQ(client_->requests[0].signature->access_key, "first");
  EXPECT_EQ(client_->requests[1].signature->access_key, "second");
}

TEST_F(S3BlobStoreTest, RefusesOptionsThatCanBeNoStore) {
  const S3BlobStore::Options good = options_;
  for (const char* const endpoint :
       {"", "s3.example.com", "ftp://s3.example.com", "https://u:p@s3.example.com", "https://s3.example.com?x"}) {
    options_.endpoint = endpoint;
    EXPECT_EQ(CreateError(), "images.store.endpoint: must be a URL such as https://s3.eu-central-1.amazonaws.com");
  }
  options_ = good;
  options_.bucket = "No/Bucket";
  EXPECT_EQ(CreateError(), "images.store.bucket: must have 3 to 63 lower-case letters, digits, \"-\" and \".\"");
  options_ = good;
  options_.region = "";
  EXPECT_EQ(CreateError(), "images.store.region: is empty; services without regions accept us-east-1");
  options_ = good;
  options_.prefix = "/x";
  EXPECT_TRUE(CreateError().starts_with("images.store.prefix: ")) << CreateError();
}

}  // namespace
}  // namespace toolgate::storage::blobs
