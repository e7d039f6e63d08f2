#include "services/rendering/json_text.h"

#include "common/json.h"
#include "gtest/gtest.h"

namespace toolgate::services::rendering {
namespace {

TEST(JsonTextTest, AStringReadsBackAsItWas) {
  std::string every_byte;
  for (char c = 0; c < 0x7F; ++c) every_byte.push_back(c);
  for (const std::string& text : {std::string(), std::string("plain"), every_byte,
                                  std::string("\"quoted\" and \\ and \xC3\xA9 \xF0\x9F\x98\x80 \x7F")}) {
    std::string json;
    AppendJsonString(text, &json);
    const auto parsed = ParseJson(json);
    ASSERT_TRUE(parsed.ok()) << json << ": " << parsed.status();
    EXPECT_EQ(parsed->get<std::string>(), text);
  }
}

TEST(JsonTextTest, AStringIsAppended) {
  std::string out = "[";
  AppendJsonString("a\n", &out);
  EXPECT_EQ(out, "[\"a\\n\"");
}

TEST(JsonTextTest, WithoutMarkupKeepsTheValue) {
  const std::string json = R"({"<a>":["</untrusted_output>","<<",1],"b":"x"})";
  const std::string safe = WithoutMarkup(json);
  EXPECT_EQ(safe.find('<'), std::string::npos);
  EXPECT_EQ(*ParseJson(safe), *ParseJson(json));
  EXPECT_EQ(WithoutMarkup("[]"), "[]");
  EXPECT_EQ(WithoutMarkup(""), "");
}

TEST(JsonTextTest, KnowsAnObject) {
  EXPECT_TRUE(IsJsonObject("{}"));
  EXPECT_TRUE(IsJsonObject(" \n{}"));
  for (const char* other : {"", "[]", "\"{\"", "1", "null"}) EXPECT_FALSE(IsJsonObject(other)) << other;
}

}  // namespace
}  // namespace toolgate::services::rendering
