#include "observability/library_log.h"

#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>

#include <memory>
#include <string>

#include "absl/strings/str_replace.h"
#include "common/absl_bridge.h"
#include "gtest/gtest.h"
#include "tests/support/fake_clock.h"
#include "tests/support/memory_sink.h"

namespace toolgate::observability {
namespace {

class LibraryLogTest : public ::testing::Test {
 protected:
  // As grpc_init() does.
  LibraryLogTest() { gpr_log_verbosity_init(); }

  toolgate::testing::FakeClock clock_;
  toolgate::testing::MemorySink sink_;
  Logger logger_{sink_, clock_, LogLevel::kInfo, LogFormat::kJson};
  std::unique_ptr<LibraryLog> log_ = std::make_unique<LibraryLog>(logger_, [](std::string_view text) {
    return absl::StrReplaceAll(ToAbsl(text), {{"hunter2", "[masked]"}});
  });
};

TEST_F(LibraryLogTest, WhatGrpcSaysIsALineOfTheLog) {
  gpr_log("/build/src/core/tls.cc", 12, GPR_LOG_SEVERITY_ERROR, "handshake with %s failed", "a \"peer\"");
  const Json line = sink_.Last();
  EXPECT_EQ(line["message"], "library log");
  EXPECT_EQ(line["level"], "warning");
  EXPECT_EQ(line["library"], "grpc");
  EXPECT_EQ(line["text"], "handshake with a \"peer\" failed");
  EXPECT_EQ(line["source"], "tls.cc:12");
}

TEST_F(LibraryLogTest, WhatProtobufSaysIsALineOfTheLog) {
  GOOGLE_LOG(ERROR) << "no UTF-8";
  const Json line = sink_.Last();
  EXPECT_EQ(line["level"], "warning");
  EXPECT_EQ(line["library"], "protobuf");
  EXPECT_EQ(line["text"], "no UTF-8");
}

TEST_F(LibraryLogTest, SecretsAreMasked) {
  GOOGLE_LOG(WARNING) << "the password is hunter2";
  EXPECT_EQ(sink_.Last()["text"], "the password is [masked]");
}

TEST_F(LibraryLogTest, TheLevelOfTheLogHolds) {
  logger_.set_level(LogLevel::kError);
  GOOGLE_LOG(ERROR) << "no UTF-8";
  EXPECT_TRUE(sink_.lines().empty());
}

TEST_F(LibraryLogTest, NothingIsLoggedAfterItsEnd) {
  log_.reset();
  GOOGLE_LOG(ERROR) << "too late";
  gpr_log("late.cc", 1, GPR_LOG_SEVERITY_ERROR, "too late");
  EXPECT_TRUE(sink_.lines().empty());
}

}  // namespace
}  // namespace toolgate::observability
