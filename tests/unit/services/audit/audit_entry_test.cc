#include "services/audit/audit_entry.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "security/safe_errors/masker.h"
#include "tests/support/test_tools.h"

namespace toolgate::services::audit {
namespace {

using security::safe_errors::Masker;
using testing::MakeCall;
using testing::MakeTool;
using testing::Success;

const Masker& TheMasker() {
  static const Masker masker;
  return masker;
}

struct Row {
  const char* name;
  std::string said;
  std::string stored;
};

// Texts that callers choose freely: secrets and personal data, and ids and names that resemble them slightly.
const Row kRows[] = {
    {"Uuid", "0198c5d2-7d3a-7c11-9a70-2f5c0f7a1b2c", "0198c5d2-7d3a-7c11-9a70-2f5c0f7a1b2c"},
    {"Ulid", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAV"},
    {"OwnId", "01jd5k3v9m0c8x7w6t5r4q3p2n", "01jd5k3v9m0c8x7w6t5r4q3p2n"},
    {"Timestamp", "1772442000123", "1772442000123"},
    {"Thread", "thread_abc123XYZ", "thread_abc123XYZ"},
    {"Slack", "C024BE91L/1712345678.000200", "C024BE91L/1712345678.000200"},
    {"Model", "anthropic/claude-3-5-sonnet-20241022", "anthropic/claude-3-5-sonnet-20241022"},
    {"ModelWithVersion", "gpt-4o-2024-08-06", "gpt-4o-2024-08-06"},
    {"Name", "Jane Doe-O'Neil, 3rd", "Jane Doe-O'Neil, 3rd"},
    {"ForeignName", "Żółć 山田", "Żółć 山田"},
    {"Email", "jane@example.org", "[masked:email]"},
    {"NameAndEmail", "Jane <jane@example.org>", "Jane <[masked:email]>"},
    {"Phone", "call of +49 30 901820", "call of [masked:phone]"},
    {"Card", "4111 1111 1111 1111", "[masked:card]"},
    {"Token", std::string("chat-ghp_") + "16C7e42F292c6912E7710c838347Ae178B4a", "chat-[masked:token]"},
    {"Password", "model?api_key=12ab34cd", "model?api_key=[masked:password]"},
    {"ConnectionString", "postgres://app:s3cret@db/x", "[masked:connection-string]"},
};

class AuditMaskTest : public ::testing::TestWithParam<Row> {
 protected:
  const std::string& said() const { return GetParam().said; }
  const std::string& stored() const { return GetParam().stored; }
};

TEST_P(AuditMaskTest, OfACall) {
  const executors::Tool tool = MakeTool("get_block", 0);
  const auto call = MakeCall(tool);
  call->caller.user_name = call->caller.conversation_id = call->caller.ai_model = call->request_id = said();
  call->SetArguments({{"text", said()}});
  call->state.findings.push_back({"rule", "family", "/" + said(), 0, 1});
  v1::AuditEntry entry;
  BeginAuditEntry(*call, TheMasker(), entry);
  const security::ToolResult result = Success();
  EndAuditEntry(*call, {&result, nullptr, absl::UnixEpoch(), absl::ZeroDuration()}, TheMasker(), entry);
  EXPECT_EQ(entry.user_name(), stored());
  EXPECT_EQ(entry.conversation_id(), stored());
  EXPECT_EQ(entry.ai_model(), stored());
  EXPECT_EQ(entry.request_id(), stored());
  EXPECT_EQ(entry.params_json(), DumpJson(Json{{"text", stored()}}));
  ASSERT_EQ(entry.injection_findings_size(), 1);
  EXPECT_EQ(entry.injection_findings(0).path(), "/" + stored());
  EXPECT_EQ(entry.user_id(), "ada");
  EXPECT_EQ(entry.workspace_id(), "w1");
}

TEST(AuditEntryTest, OfANameOnlySecretsAreMasked) {
  const std::string token = std::string("ghp_") + "16C7e42F292c6912E7710c838347Ae178B4a";
  executors::Tool tool = MakeTool("Write", 0);
  tool.definition.argument_schema = {{"properties", {{"file", {{"x-toolgate-mask", "secrets"}}}}}};
  const auto params = [&tool](const Json& arguments) { return MaskArguments(arguments, &tool, TheMasker()); };
  EXPECT_EQ(params({{"file", "jane@example.org.vcf"}, {"content", "jane@example.org"}}),
            R"({"file":"jane@example.org.vcf","content":"[masked:email]"})");
  EXPECT_EQ(params({{"content", "x"}, {"file", "10.0.0.7"}}), R"({"content":"x","file":"10.0.0.7"})");
  EXPECT_EQ(params({{"file", token}}), R"({"file":"[masked:token]"})");
  EXPECT_EQ(params({{"file", Json::array({"jane@example.org"})}}), R"({"file":["[masked:email]"]})");
  EXPECT_EQ(MaskArguments({{"file", "jane@example.org"}}, nullptr, TheMasker()), R"({"file":"[masked:email]"})");
}

TEST_P(AuditMaskTest, OfAnOperatorsAction) {
  Caller caller;
  caller.workspace_id = "w1";
  caller.user_id = "olga@example.org";
  caller.user_name = said();
  const v1::AuditEntry entry =
      MakeOperatorEntry({"e1", "breaker.reset", Json{{"name", said()}}}, caller, absl::UnixEpoch(), TheMasker());
  EXPECT_EQ(entry.user_name(), stored());
  EXPECT_EQ(entry.params_json(), DumpJson(Json{{"name", stored()}}));
  EXPECT_EQ(entry.tool_id(), "breaker.reset");
  EXPECT_EQ(entry.user_id(), "olga@example.org") << "says who it was";
}

INSTANTIATE_TEST_SUITE_P(All, AuditMaskTest, ::testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(OperatorEntryTest, ASecretAtTheCutIsMaskedWhole) {
  const std::string name = std::string(4080, 'x') + " jane.doe.of.a.long.name@example.org";
  const v1::AuditEntry entry =
      MakeOperatorEntry({"e1", "breaker.reset", Json{{"name", name}}}, Caller(), absl::UnixEpoch(), TheMasker());
  EXPECT_EQ(entry.params_json().find("jane"), std::string::npos);
}

}  // namespace
}  // namespace toolgate::services::audit
