#include "common/yaml/yaml_proto.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/util/message_differencer.h"
#include "gtest/gtest.h"
#include "tests/support/gong/settings.pb.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::yaml {
namespace {

using config::v1::Config;
using google::protobuf::util::MessageDifferencer;
using ::testing::ElementsAre;
using testing::GongSettings;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

int LineCount(const std::string& text) { return 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n')); }

class YamlProtoTest : public ::testing::Test {
 protected:
  absl::Status Merge(std::string_view text) { return MergeYaml("file.yaml", text, options_, config_, places_); }

  std::string Problems(std::string_view text) { return std::string(Merge(text).message()); }

  YamlOptions options_;
  Config config_;
  YamlPlaces places_;
};

TEST_F(YamlProtoTest, ReadsEveryKindOfValue) {
  ASSERT_EQ(Merge(R"(
server:
  listen: 127.0.0.1:50051   # A comment.
  max_message_bytes: 4096
  reflection: false
  drain_timeout: 1m30s
injection_defence: { enforcement: REPORT, threshold: 0.5 }
identity:
  roles:
    reader:
      permissions: ["block:read", task:read]
rate_limiting:
  tools:
    browser.search:
      windows:
        - { audience: user, max_calls: 100, window: 5h }
        - audience: guest
          max_calls: 20
          window: 5h
)"),
            absl::OkStatus());
  EXPECT_EQ(config_.server().listen(), "127.0.0.1:50051");
  EXPECT_EQ(config_.server().max_message_bytes(), 4096);
  EXPECT_TRUE(config_.server().has_reflection());
  EXPECT_FALSE(config_.server().reflection());
  EXPECT_EQ(config_.server().drain_timeout().seconds(), 90);
  EXPECT_EQ(config_.injection_defence().enforcement(), config::v1::ENFORCEMENT_REPORT);
  EXPECT_EQ(config_.injection_defence().threshold(), 0.5);
  EXPECT_THAT(config_.identity().roles().at("reader").permissions(), ElementsAre("block:read", "task:read"));
  const auto& limits = config_.rate_limiting().tools().at("browser.search");
  ASSERT_THAT(limits.windows(), SizeIs(2));
  EXPECT_EQ(limits.windows(1).max_calls(), 20);
  EXPECT_EQ(limits.windows(1).window().seconds(), 5 * 3600);
}

TEST_F(YamlProtoTest, RemembersWhereEachValueWasWritten) {
  ASSERT_EQ(Merge("server:\n  listen: a:1\nrate_limiting:\n  tools:\n    browser.search:\n      windows:\n"
                  "        - max_calls: 3\n"),
            absl::OkStatus());
  EXPECT_THAT(places_, ::testing::Contains(Pair("server.listen", "file.yaml:2:11")));
  EXPECT_THAT(places_, ::testing::Contains(
                           Pair("rate_limiting.tools[\"browser.search\"].windows[0].max_calls", "file.yaml:7:22")));
}

TEST_F(YamlProtoTest, ScalarsAndListsReplaceWhileMapsMerge) {
  ASSERT_EQ(Merge("server: {listen: a:1, max_connections: 5}\n"
                  "identity: {roles: {a: {permissions: [x:y, z:y]}, b: {permissions: [\"*\"]}}}\n"),
            absl::OkStatus());
  ASSERT_EQ(Merge("server: {listen: b:2}\nidentity: {roles: {a: {permissions: [q:r]}, c: {}}}\n"), absl::OkStatus());
  EXPECT_EQ(config_.server().listen(), "b:2");
  EXPECT_EQ(config_.server().max_connections(), 5);
  EXPECT_THAT(config_.identity().roles(), SizeIs(3));
  EXPECT_THAT(config_.identity().roles().at("a").permissions(), ElementsAre("q:r"));
  EXPECT_THAT(config_.identity().roles().at("b").permissions(), ElementsAre("*"));
  EXPECT_THAT(places_, Not(::testing::Contains(Pair("identity.roles.a.permissions[1]", ::testing::_))));
}

TEST_F(YamlProtoTest, AFileThatSaysNothingChangesNothing) {
  for (const std::string_view text : {"", "# Only a comment.\n", "---\n", "{}", "server:\n", "server: {}\n"}) {
    ASSERT_EQ(Merge(text), absl::OkStatus()) << text;
  }
  config_.clear_server();
  EXPECT_TRUE(MessageDifferencer::Equals(config_, Config()));
}

TEST_F(YamlProtoTest, EnumsTakeBothNames) {
  ASSERT_EQ(Merge("injection_defence: {enforcement: ENFORCEMENT_ENFORCE}\n"
                  "rate_limiting: {enforcement: ENFORCE, on_store_failure: FAIL_OPEN}\n"),
            absl::OkStatus());
  EXPECT_EQ(config_.injection_defence().enforcement(), config::v1::ENFORCEMENT_ENFORCE);
  EXPECT_EQ(config_.rate_limiting().on_store_failure(), config::v1::ON_STORE_FAILURE_FAIL_OPEN);
}

struct Broken {
  std::string_view name;
  std::string_view text;
  std::string_view problem;
};

TEST_F(YamlProtoTest, ProblemsSayWhereWhatAndHow) {
  const Broken cases[] = {
      {"unknown field", "server:\n  lisen: a:1\n",
       "file.yaml:2:3: server: no field \"lisen\" here; did you mean \"listen\"?"},
      {"unknown field without a neighbour", "storage:\n  zzz: 1\n",
       "file.yaml:2:3: storage: no field \"zzz\" here; there are data_dir, sqlite, postgres"},
      {"unknown field at the top", "servr: {}\n", "file.yaml:1:1: no field \"servr\" here; did you mean \"server\"?"},
      {"duplicate key", "server:\n  listen: a:1\n  listen: b:2\n",
       "file.yaml:3:3: server.listen: given twice, first in line 2"},
      {"duplicate map key", "identity:\n  roles:\n    a: {}\n    \"a\": {}\n",
       "file.yaml:4:5: identity.roles.a: given twice, first in line 3"},
      {"text for a number", "server: {max_connections: yes}\n",
       "file.yaml:1:27: server.max_connections: expected a whole number from -2147483648 to 2147483647, found \"yes\""},
      {"quoted number", "server:\n  max_connections: \"5\"\n",
       "file.yaml:2:20: server.max_connections: expected a whole number from -2147483648 to 2147483647, found the "
       "quoted "
       "text \"5\""},
      {"number beyond the range", "server: {max_connections: 2147483648}\n",
       "file.yaml:1:27: server.max_connections: expected a whole number from -2147483648 to 2147483647, found "
       "\"2147483648\""},
      {"fraction for a whole number", "server: {max_connections: 1.5}\n",
       "file.yaml:1:27: server.max_connections: expected a whole number from -2147483648 to 2147483647, found \"1.5\""},
      {"infinite number", "injection_defence: {threshold: inf}\n",
       "file.yaml:1:32: injection_defence.threshold: expected a number, found \"inf\""},
      {"word for a boolean", "server: {reflection: on}\n",
       "file.yaml:1:22: server.reflection: expected true or false, found \"on\""},
      {"number for text", "storage: {data_dir: 7}\n",
       "file.yaml:1:21: storage.data_dir: expected text; put it in quotes to make it text, found \"7\""},
      {"boolean for text", "storage: {data_dir: true}\n",
       "file.yaml:1:21: storage.data_dir: expected text; put it in quotes to make it text, found \"true\""},
      {"nothing for text", "storage:\n  data_dir:\n",
       "file.yaml:2:3: storage.data_dir: expected text (\"\" for none), found nothing"},
      {"list for text", "storage: {data_dir: [a]}\n", "file.yaml:1:21: storage.data_dir: expected text, found a list"},
      {"NUL in text", "storage: {data_dir: \"a\\0b\"}\n", "file.yaml:1:21: storage.data_dir: a NUL character in text"},
      {"wrong enum value", "injection_defence: {enforcement: REPROT}\n",
       "file.yaml:1:34: injection_defence.enforcement: expected ENFORCE or REPORT, found \"REPROT\"; did you mean "
       "REPORT?"},
      {"unspecified enum value", "injection_defence: {enforcement: ENFORCEMENT_UNSPECIFIED}\n",
       "file.yaml:1:34: injection_defence.enforcement: expected ENFORCE or REPORT, found \"ENFORCEMENT_UNSPECIFIED\""},
      {"number for an enum", "injection_defence: {enforcement: 1}\n",
       "file.yaml:1:34: injection_defence.enforcement: expected ENFORCE or REPORT, found \"1\""},
      {"duration without a unit", "audit: {retention: 90}\n",
       "file.yaml:1:20: audit.retention: expected a duration such as 90s, 1h30m, 250ms or 7d, found \"90\""},
      {"text for a list", "confirmation: {require_for_tools: get_block}\n",
       "file.yaml:1:35: confirmation.require_for_tools: expected a list ([] for an empty one), found \"get_block\""},
      {"item of a list", "confirmation:\n  require_for_tools:\n    - a\n    - [b]\n",
       "file.yaml:4:7: confirmation.require_for_tools[1]: expected text, found a list"},
      {"list for a message", "server: [1]\n", "file.yaml:1:9: server: expected a map of fields, found a list"},
      {"text for a map", "identity: {roles: x}\n",
       "file.yaml:1:19: identity.roles: expected a map ({} for an empty one), found \"x\""},
      {"text for the whole", "hello\n", "file.yaml:1:1: expected a map of fields, found \"hello\""},
      {"list as a key", "server:\n  ? [a]\n  : 1\n", "file.yaml:2:5: server: expected a name as the key, found a list"},
      {"tag", "storage: {data_dir: !secret x}\n", "file.yaml:1:21: a tag; values are typed by their field"},
      {"two documents", "server: {}\n---\nserver: {}\n", "file.yaml:2:1: a second document; only one is read"},
      {"alias inside its anchor", "server: &a\n  listen: *a\n",
       "file.yaml:2:11: an alias inside the value that it stands for"},
  };
  for (const Broken& test : cases) {
    const absl::Status status = Merge(test.text);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << test.name;
    EXPECT_EQ(std::string(status.message()), test.problem) << test.name;
  }
  EXPECT_TRUE(MessageDifferencer::Equals(config_, Config())) << "a broken file must change nothing";
  EXPECT_TRUE(places_.empty());
}

TEST_F(YamlProtoTest, BrokenYamlNamesItsLine) {
  EXPECT_THAT(Problems("server:\n  listen: [a\nstorage: {}\n"), HasSubstr("file.yaml:3:"));
  EXPECT_THAT(Problems("server:\n\tlisten: a\n"), HasSubstr("file.yaml:2:8: not well-formed YAML"));
  EXPECT_THAT(Problems("a: *nobody\n"), HasSubstr("file.yaml:1:4: not well-formed YAML"));
  EXPECT_THAT(Problems("a: \"\xff\"\n"), HasSubstr("not well-formed UTF-8"));
}

TEST_F(YamlProtoTest, TellsOfAllProblemsAtOnce) {
  const std::string problems = Problems("server:\n  listen: 1\n  max_connections: x\nstorag: {}\n");
  EXPECT_EQ(LineCount(problems), 3);
}

TEST_F(YamlProtoTest, TellsOfSoManyProblemsOnly) {
  std::string text = "server:\n";
  for (int i = 0; i < 30; ++i) absl::StrAppend(&text, "  unknown", i, ": 1\n");
  const std::string problems = Problems(text);
  EXPECT_EQ(LineCount(problems), 21);
  EXPECT_TRUE(problems.ends_with("file.yaml: and 10 more")) << problems;
}

TEST_F(YamlProtoTest, AnchorsMayBeUsed) {
  ASSERT_EQ(Merge("identity:\n  roles:\n    a: &reader {permissions: [block:read]}\n    b: *reader\n"),
            absl::OkStatus());
  EXPECT_THAT(config_.identity().roles().at("b").permissions(), ElementsAre("block:read"));
}

TEST_F(YamlProtoTest, AliasesCannotMultiply) {
  // Each role holds 1,000 permissions; 1,000 roles are aliases of it.
  std::string text = "identity:\n  roles:\n    r: &r\n      permissions:\n";
  for (int i = 0; i < 1000; ++i) text += "        - block:read\n";
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&text, "    r", i, ": *r\n");
  EXPECT_THAT(Problems(text), HasSubstr("more than 100000 values, aliases included"));
}

TEST_F(YamlProtoTest, SizeAndDepthAreBounded) {
  EXPECT_THAT(Problems("# " + std::string(1 << 20, 'x')), HasSubstr("at most 1048576 are read"));
  EXPECT_THAT(Problems("server: " + std::string(100, '[')), HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(Problems("server: " + std::string(100'000, '[')), HasSubstr("nested deeper than 64 levels"));
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "- ";
  EXPECT_THAT(Problems(deep), HasSubstr("nested deeper than 64 levels"));
}

TEST_F(YamlProtoTest, PutsInTheEnvironmentWhereAllowed) {
  options_.environment = [](std::string_view name) -> std::optional<std::string> {
    if (name == "HOME_DIR") return "/home/x";
    if (name == "LOOP") return "${LOOP}";
    return std::nullopt;
  };
  ASSERT_EQ(Merge("storage: {data_dir: \"${HOME_DIR}/data-${LOOP}\"}\n"
                  "confirmation: {critical_fields: [\"$${HOME_DIR}\", \"$x\", \"a$\"]}\n"),
            absl::OkStatus());
  EXPECT_EQ(config_.storage().data_dir(), "/home/x/data-${LOOP}");
  EXPECT_THAT(config_.confirmation().critical_fields(), ElementsAre("${HOME_DIR}", "$x", "a$"));
}

TEST_F(YamlProtoTest, AMissingVariableIsAProblem) {
  options_.environment = [](std::string_view) { return std::nullopt; };
  EXPECT_EQ(Problems("storage:\n  data_dir: ${NOPE}\n"),
            "file.yaml:2:13: storage.data_dir: the environment variable \"NOPE\" is not set");
  EXPECT_THAT(Problems("storage:\n  data_dir: ${NOPE\n"), HasSubstr("\"${\" without \"}\""));
}

TEST_F(YamlProtoTest, AVariablesValueIsNeverShown) {
  options_.environment = [](std::string_view) { return "hunter2\xff"; };
  EXPECT_THAT(Problems("storage: {data_dir: \"${SECRET}\"}\n"), Not(HasSubstr("hunter2")));
}

TEST_F(YamlProtoTest, WithoutAnEnvironmentTextsStay) {
  ASSERT_EQ(Merge("storage: {data_dir: \"${A}\"}\n"), absl::OkStatus());
  EXPECT_EQ(config_.storage().data_dir(), "${A}");
}

TEST_F(YamlProtoTest, WhatIsWrittenReadsBackTheSame) {
  ASSERT_EQ(
      Merge("server: {listen: \"a b: #c\", metrics_listen: \"\", reflection: false, drain_timeout: 1h0.5s}\n"
            "storage: {data_dir: \"12\"}\n"
            "identity: {roles: {\"x.y\": {permissions: [\"*\", \"true\", \"\\u00e9\\n\\\"\", \"-\", \"${A}\"]}}}\n"
            "rate_limiting: {enforcement: REPORT, tools: {a: {windows: [{max_calls: 1}, {}]}}}\n"
            "injection_defence: {threshold: 0.1}\n"),
      absl::OkStatus());
  const std::string yaml = ToYaml(config_);
  Config again;
  ASSERT_EQ(MergeYaml("again", yaml, options_, again, places_), absl::OkStatus()) << yaml;
  EXPECT_TRUE(MessageDifferencer::Equals(config_, again)) << yaml;
}

TEST_F(YamlProtoTest, ExtensionsOfAFlattenedMessageAreKeysOfTheMessageAroundIt) {
  options_.extensions = {GongSettings::descriptor()->extension(0)};
  ASSERT_EQ(Merge("gong:\n  max_strokes: 3\nserver: {listen: a}\n"), absl::OkStatus());
  EXPECT_EQ(config_.families().GetExtension(GongSettings::gong).max_strokes(), 3);
  EXPECT_EQ(places_["gong.max_strokes"], "file.yaml:2:16");
  ASSERT_EQ(Merge("gong: {metal: brass}\n"), absl::OkStatus());
  EXPECT_EQ(config_.families().GetExtension(GongSettings::gong).max_strokes(), 3) << "merged key by key";
  EXPECT_THAT(ToYaml(config_), HasSubstr("\ngong:\n  max_strokes: 3\n  metal: brass\n"));
  EXPECT_THAT(Problems("gong: {max_strokes: x}\n"), HasSubstr("file.yaml:1:21: gong.max_strokes: expected a whole"));
}

TEST_F(YamlProtoTest, AFlattenedMessageIsNoKeyAndExtensionsMustBeNamed) {
  EXPECT_THAT(Problems("families: {}\n"), HasSubstr("file.yaml:1:1: no field \"families\" here"));
  EXPECT_THAT(Problems("gong: {max_strokes: 3}\n"), HasSubstr("file.yaml:1:1: no field \"gong\" here"));
}

}  // namespace
}  // namespace toolgate::yaml
