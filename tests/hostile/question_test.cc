// A person must see all that an approved call will do, wherever the question is shown.
#include "security/confirmation/question.h"

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "executors/files/settings.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using executors::files::FilesSettings;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using testing::TestServer;

class HostileQuestionTest : public ::testing::Test {
 protected:
  static v1::ExecuteRequest Write(const std::string& content, const std::string& file = "a") {
    return TestServer::Request("Write", DumpJson(Json{{"file", file}, {"content", content}}));
  }
  v1::ConfirmationRequest Ask(const v1::ExecuteRequest& request) {
    v1::ExecuteResponse response;
    const grpc::Status status = server_.Execute(request, response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_TRUE(response.has_confirmation_request()) << response.DebugString();
    return response.confirmation_request();
  }
  v1::PendingConfirmation Listed(const std::string& id) {
    v1::ListConfirmationsRequest request;
    *request.mutable_caller() = Write("").caller();
    v1::ListConfirmationsResponse response;
    grpc::ClientContext context;
    EXPECT_TRUE(server_.tools().ListConfirmations(&context, request, &response).ok());
    for (const auto& one : response.confirmations()) {
      if (one.confirmation_id() == id) return one;
    }
    ADD_FAILURE() << "not listed: " << id;
    return {};
  }
  grpc::Status Decide(const std::string& id, const std::string& digest) {
    v1::DecideConfirmationRequest request;
    *request.mutable_caller() = Write("").caller();
    request.set_confirmation_id(id);
    request.set_approve(true);
    request.set_question_digest(digest);
    v1::DecideConfirmationResponse response;
    grpc::ClientContext context;
    return server_.tools().DecideConfirmation(&context, request, &response);
  }
  std::vector<v1::AuditEntry> AuditOf(const std::string& tool) {
    v1::SearchEntriesRequest filters;
    filters.set_tool_id(tool);
    return server_.Audit(filters);
  }
  std::string Content(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(folder_.path() + "/" + file).rdbuf();
    return text.str();
  }

  testing::TempDir folder_;
  TestServer server_{[this](config::v1::Config& config) {
    config.mutable_families()->MutableExtension(FilesSettings::files)->set_root(folder_.path());
  }};
};

TEST_F(HostileQuestionTest, NothingThatWouldBeWrittenIsMasked) {
  for (const std::string text :
       {"-----BEGIN PRIVATE KEY-----\nrm -rf .\n-----END PRIVATE KEY-----", "export PASSWORD=$(rm -rf .)",
        "api_key=\"$(rm -rf .)\"", "curl -H \"Authorization: Bearer $(rm -rf .)\"", "psql postgres://u:$(rm -rf .)@h",
        "mail ann@example.org; rm -rf ."}) {
    const v1::ConfirmationRequest asked = Ask(Write(text));
    EXPECT_THAT(asked.summary(), HasSubstr("rm -rf .")) << text;
    EXPECT_THAT(asked.summary(), Not(HasSubstr("[masked"))) << text;
    const v1::PendingConfirmation listed = Listed(asked.confirmation_id());
    EXPECT_EQ(listed.summary(), asked.summary());
    EXPECT_EQ(listed.question_digest(), asked.question_digest());
    EXPECT_EQ(ParseJson(listed.arguments_json()).value()["content"], text);
  }
  EXPECT_THAT(Ask(Write("x", "icons/logo@2x.svg")).summary(), StartsWith("Create the new file \"icons/logo@2x.svg\""));
}

TEST_F(HostileQuestionTest, WhatRewritesATerminalIsEscaped) {
  const v1::ConfirmationRequest asked = Ask(Write("rm -rf .\r\x1b[2K\u202e\u200b\U000E0041\u009bls"));
  EXPECT_THAT(asked.summary(), HasSubstr("+rm -rf .\\u{d}\\u{1b}[2K\\u{202e}\\u{200b}\\u{e0041}\\u{9b}ls\n"));
  EXPECT_THAT(Listed(asked.confirmation_id()).arguments_json(), HasSubstr("\\u202e\\u200b"));
}

TEST_F(HostileQuestionTest, ATailBehindManyBlanksIsSeen) {
  const v1::ConfirmationRequest asked = Ask(Write("ls" + std::string(9000, ' ') + "; rm -rf ."));
  EXPECT_THAT(asked.summary(), HasSubstr("+ls\\u{20 x 9000}; rm -rf .\n"));
}

TEST_F(HostileQuestionTest, AChangeThatIsTooLongSaysSoFirst) {
  std::string content;
  for (int i = 0; i < 45'000; ++i) content += "x\n";
  const v1::ConfirmationRequest asked = Ask(Write(content));
  EXPECT_THAT(asked.summary(), StartsWith("NOT ALL OF THIS CHANGE IS SHOWN"));
  EXPECT_THAT(asked.summary(), HasSubstr("90000 bytes of new content"));
  EXPECT_THAT(asked.summary(), HasSubstr(security::confirmation::QuestionDigest(content)));
  server_.Refused(Write("#!/bin/sh\n" + content), "QUOTA_EXCEEDED");
}

TEST_F(HostileQuestionTest, AnApprovalIsOneOfWhatWasShown) {
  const std::string secret = "PASSWORD=hunter2hunter2";
  v1::ExecuteRequest request = Write(secret + "\n");
  const v1::ConfirmationRequest asked = Ask(request);
  EXPECT_EQ(asked.question_digest(), security::confirmation::QuestionDigest(asked.summary()));
  EXPECT_FALSE(Decide(asked.confirmation_id(), std::string(64, '0')).ok());
  EXPECT_TRUE(Decide(asked.confirmation_id(), asked.question_digest()).ok());
  request.set_confirmation_token(asked.token());
  server_.Run(request);
  EXPECT_EQ(Content("w/a"), secret + "\n");
  // The audit log knows the question by its digest, and neither it nor the log has the secret.
  const std::vector<v1::AuditEntry> entries = AuditOf("Write");
  ASSERT_EQ(entries.size(), 2u);
  for (const v1::AuditEntry& entry : entries) {
    EXPECT_EQ(entry.confirmation_id(), asked.confirmation_id());
    EXPECT_EQ(entry.question_digest(), asked.question_digest());
    EXPECT_THAT(entry.params_json(), Not(HasSubstr("hunter2")));
  }
  const std::vector<v1::AuditEntry> decided = AuditOf("confirmation.decide");
  ASSERT_EQ(decided.size(), 2u);
  for (const v1::AuditEntry& entry : decided) {
    EXPECT_EQ(entry.question_digest(), entry.success() ? asked.question_digest() : "");
  }
  EXPECT_THAT(server_.log(), Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace toolgate
