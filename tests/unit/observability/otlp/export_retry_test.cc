#include "observability/otlp/export_retry.h"

#include <optional>
#include <string>

#include "absl/random/random.h"
#include "common/proto_bytes.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "observability/otlp/grpc_transport.h"

namespace toolgate::observability::otlp {
namespace {

using ::grpc::Status;
using ::grpc::StatusCode;

// Of a status that asks to be repeated after `seconds`.
std::string RetryDetails(int seconds) {
  google::rpc::RetryInfo info;
  info.mutable_retry_delay()->set_seconds(seconds);
  google::rpc::Status status;
  EXPECT_TRUE(PackProto(info, *status.add_details()).ok());
  return SerializeProto(status).value();
}

class ExportRetryTest : public ::testing::Test {
 protected:
  std::optional<absl::Duration> First(const Status& status) {
    return ExportRetry(random_).WaitAfter(GrpcTransport::FailureOf(status));
  }

  absl::BitGen random_;
};

TEST_F(ExportRetryTest, RepeatsExactlyWhatTheSpecificationLists) {
  const StatusCode repeated[] = {StatusCode::CANCELLED,    StatusCode::DEADLINE_EXCEEDED, StatusCode::ABORTED,
                                 StatusCode::OUT_OF_RANGE, StatusCode::UNAVAILABLE,       StatusCode::DATA_LOSS};
  for (const StatusCode code : repeated) EXPECT_TRUE(First({code, ""}).has_value()) << code;
  const StatusCode final[] = {StatusCode::UNKNOWN,
                              StatusCode::INVALID_ARGUMENT,
                              StatusCode::NOT_FOUND,
                              StatusCode::ALREADY_EXISTS,
                              StatusCode::PERMISSION_DENIED,
                              StatusCode::UNAUTHENTICATED,
                              StatusCode::FAILED_PRECONDITION,
                              StatusCode::UNIMPLEMENTED,
                              StatusCode::INTERNAL};
  for (const StatusCode code : final) {
    EXPECT_FALSE(First({code, ""}).has_value()) << code;
    EXPECT_FALSE(First({code, "", RetryDetails(1)}).has_value()) << code;
  }
}

TEST_F(ExportRetryTest, ExhaustionIsRepeatedOnlyIfTheReceiverSaysWhen) {
  EXPECT_FALSE(First({StatusCode::RESOURCE_EXHAUSTED, ""}).has_value());
  EXPECT_FALSE(First({StatusCode::RESOURCE_EXHAUSTED, "", "\xff not a status"}).has_value());
  EXPECT_EQ(First({StatusCode::RESOURCE_EXHAUSTED, "", RetryDetails(7)}), absl::Seconds(7));
}

TEST_F(ExportRetryTest, TheReceiversDelayCountsInsteadOfTheBackOff) {
  EXPECT_EQ(First({StatusCode::UNAVAILABLE, "", RetryDetails(3)}), absl::Seconds(3));
  EXPECT_GE(First({StatusCode::UNAVAILABLE, "", RetryDetails(0)}), absl::Milliseconds(800));
  EXPECT_GE(First({StatusCode::UNAVAILABLE, "", RetryDetails(-5)}), absl::Milliseconds(800));
}

TEST_F(ExportRetryTest, TheBackOffGrowsWithinItsBounds) {
  for (int run = 0; run < 100; ++run) {
    ExportRetry retry(random_);
    const double middle[] = {1, 1.5, 2.25, 3.375, 5, 5, 5};
    for (const double seconds : middle) {
      const absl::Duration wait = retry.WaitAfter({.status = absl::UnavailableError(""), .retryable = true}).value();
      EXPECT_GE(wait, absl::Seconds(seconds * 0.8) - absl::Nanoseconds(1));
      EXPECT_LE(wait, absl::Seconds(seconds * 1.2) + absl::Nanoseconds(1));
    }
  }
}

TEST_F(ExportRetryTest, TheBackOffIsSpread) {
  EXPECT_NE(First({StatusCode::UNAVAILABLE, ""}), First({StatusCode::UNAVAILABLE, ""}));
}

}  // namespace
}  // namespace toolgate::observability::otlp
