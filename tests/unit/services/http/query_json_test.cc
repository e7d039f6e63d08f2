#include "services/http/query_json.h"

#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "toolgate/v1/audit_service.pb.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::http {
namespace {

TEST(QueryJsonTest, BecomesTheObjectOfTheMessage) {
  const struct {
    std::string_view query;
    std::string_view json;
  } rows[] = {
      {"", "{}"},
      {"page_size=5", R"({"page_size":"5"})"},
      {"pageSize=5&pageToken=a%3Db", R"({"page_size":"5","page_token":"a=b"})"},
      {"caller.user_id=ann&caller.workspaceId=w", R"({"caller":{"user_id":"ann","workspace_id":"w"}})"},
      {"ai_actions_only=true&success=false", R"({"ai_actions_only":true,"success":false})"},
      {"start_time=2026-03-02T09:00:00Z", R"({"start_time":"2026-03-02T09:00:00Z"})"},
      {"text=a+b%2Bc&&", R"({"text":"a b+c"})"},
      {"text", R"({"text":""})"},
  };
  for (const auto& row : rows) {
    const auto json = QueryToJson(row.query, *v1::SearchEntriesRequest::descriptor());
    ASSERT_TRUE(json.ok()) << row.query << ": " << json.status();
    EXPECT_EQ(*json, *ParseJson(row.json)) << row.query;
  }
}

TEST(QueryJsonTest, RepeatsAListsName) {
  const auto json = QueryToJson("modules=notes&modules=kanban", *v1::ListToolsRequest::descriptor());
  ASSERT_TRUE(json.ok()) << json.status();
  EXPECT_EQ(*json, *ParseJson(R"({"modules":["notes","kanban"]})"));
}

TEST(QueryJsonTest, RefusesWhatTheMessageHasNot) {
  const struct {
    std::string_view query;
    std::string_view named;
  } rows[] = {
      {"pagesize=5", "pagesize"},
      {"caller.name=x", "caller.name"},
      {"caller=x", "caller"},
      {"page_size.x=1", "page_size.x"},
      {"page_size=1&page_size=2", "page_size"},
      {"text=%", "text"},
      {"text=%4", "text"},
      {"text=%zz", "text"},
      {"text=%FF", "text"},
      {"text=%00", "text"},
      {"=x", "\"\""},
  };
  for (const auto& row : rows) {
    const auto json = QueryToJson(row.query, *v1::SearchEntriesRequest::descriptor());
    EXPECT_EQ(json.status().code(), absl::StatusCode::kInvalidArgument) << row.query;
    EXPECT_NE(json.status().ToString().find(row.named), std::string::npos) << json.status();
  }
}

TEST(QueryJsonTest, KeepsAPlusInAPath) {
  std::string text;
  EXPECT_TRUE(DecodePercent("a+b%2e", /*plus_is_blank=*/false, text));
  EXPECT_EQ(text, "a+b.");
}

}  // namespace
}  // namespace toolgate::services::http
