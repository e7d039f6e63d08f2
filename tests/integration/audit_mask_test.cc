// Statements of callers and operators about themselves are masked in storage, and can still be searched for by their
// original text.
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::TestServer;

class AuditMaskTest : public ::testing::Test {
 protected:
  static v1::ExecuteRequest Request(std::string_view conversation, std::string_view request_id = "r1") {
    v1::ExecuteRequest request = TestServer::Request("list_tasks", "{}");
    request.mutable_caller()->set_conversation_id(std::string(conversation));
    request.set_request_id(std::string(request_id));
    return request;
  }
  // The conversations of the found entries, newest first.
  std::vector<std::string> Found(std::string_view conversation, std::string_view request_id = "") {
    v1::SearchEntriesRequest filter;
    filter.set_conversation_id(std::string(conversation));
    filter.set_request_id(std::string(request_id));
    std::vector<std::string> found;
    for (const v1::AuditEntry& entry : server_.Audit(filter)) found.push_back(entry.conversation_id());
    return found;
  }

  TestServer server_;
};

TEST_F(AuditMaskTest, AConversationIsFoundByTheIdThatItWasGiven) {
  const char* const kUuid = "0198c5d2-7d3a-7c11-9a70-2f5c0f7a1b2c";
  const char* const kSecret = "chat?api_key=12ab34cd";
  server_.Run(Request(kUuid));
  server_.Run(Request(kSecret));
  server_.Run(Request("other"));
  EXPECT_THAT(Found(kUuid), ElementsAre(kUuid));
  EXPECT_THAT(Found(kSecret), ElementsAre("chat?api_key=[masked:password]"));
  EXPECT_THAT(Found("chat?api_key=[masked:password]"), ElementsAre("chat?api_key=[masked:password]"))
      << "also by the id as it is shown";
  EXPECT_THAT(Found("none"), IsEmpty());
  EXPECT_TRUE(server_.VerifyChain().valid());
}

TEST_F(AuditMaskTest, ARequestIsFoundByTheIdThatItWasGiven) {
  server_.Run(Request("a", "turn of jane@example.org"));
  server_.Run(Request("b", "turn-2"));
  EXPECT_THAT(Found("", "turn of jane@example.org"), ElementsAre("a"));
  EXPECT_THAT(Found("", "turn-2"), ElementsAre("b"));
}

TEST_F(AuditMaskTest, AnOperatorsEntryHoldsNoSecret) {
  v1::ResetBreakerRequest request;
  request.mutable_caller()->set_workspace_id("w");
  request.mutable_caller()->set_user_id("olga");
  request.mutable_caller()->set_user_name("Olga, olga@example.org");
  request.set_name("tool:postgres://app:s3cret@db/x");
  v1::ResetBreakerResponse response;
  grpc::ClientContext context;
  EXPECT_EQ(v1::AdminService::NewStub(server_.channel())->ResetBreaker(&context, request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
  const std::vector<v1::AuditEntry> entries = server_.Audit();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].user_name(), "Olga, [masked:email]");
  EXPECT_THAT(entries[0].params_json(), HasSubstr("[masked:connection-string]"));
  EXPECT_THAT(entries[0].DebugString(), Not(HasSubstr("s3cret")));
}

TEST_F(AuditMaskTest, ASecretInAPropertysNameLeavesInNoForm) {
  const std::string_view arguments = R"({"type":"page","data":{"title":"T"},"postgres://app:s3~cret@db/x":1})";
  const grpc::Status status = server_.Refused(TestServer::Request("create_block", arguments), "INVALID_PARAMS");
  EXPECT_THAT(status.error_details(), HasSubstr("[masked:connection-string]"));
  for (const std::string& text :
       {status.error_message(), status.error_details(), server_.Audit()[0].DebugString(), server_.log()}) {
    EXPECT_THAT(text, Not(HasSubstr("s3~0cret")));
    EXPECT_THAT(text, Not(HasSubstr("s3~cret")));
  }
}

}  // namespace
}  // namespace toolgate
