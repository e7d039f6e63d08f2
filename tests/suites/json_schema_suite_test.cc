// The official JSON Schema test suite, which Debian packages inside libtest-json-schema-acceptance-perl. Set
// TOOLGATE_JSON_SCHEMA_SUITE to a directory with `tests` and `remotes` to run another copy of it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/json.h"
#include "gtest/gtest.h"
#include "security/param_validation/formats.h"
#include "security/param_validation/json_schema.h"

namespace toolgate::security::param_validation {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPackaged = "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance";
constexpr std::string_view kHowToGet =
    "the official JSON Schema test suite is missing: apt-get install libtest-json-schema-acceptance-perl, or point "
    "TOOLGATE_JSON_SCHEMA_SUITE at a copy";

fs::path SuiteDirectory() {
  const char* const chosen = std::getenv("TOOLGATE_JSON_SCHEMA_SUITE");
  return chosen != nullptr ? fs::path(chosen) : fs::path(kPackaged);
}

// The suite has numbers beyond the limits of arguments, so it is read by the lenient parser.
Json ReadJson(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

std::vector<fs::path> JsonFiles(const fs::path& directory) {
  std::set<fs::path> files;
  if (fs::is_directory(directory)) {
    for (const auto& entry : fs::directory_iterator(directory)) {
      if (entry.path().extension() == ".json") files.insert(entry.path());
    }
  }
  return {files.begin(), files.end()};
}

// Served from http://localhost:1234/, as the suite requires.
SchemaDocuments Remotes() {
  SchemaDocuments documents;
  const fs::path root = SuiteDirectory() / "remotes";
  if (!fs::is_directory(root)) return documents;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".json") continue;
    documents.emplace("http://localhost:1234/" + fs::relative(entry.path(), root).string(), ReadJson(entry.path()));
  }
  return documents;
}

// Runs every test of a file; returns their number.
int RunFile(const fs::path& path, const JsonSchemaOptions& options) {
  int count = 0;
  for (const Json& group : ReadJson(path)) {
    const std::string name = path.filename().string() + ": " + group["description"].get<std::string>();
    const auto schema = JsonSchema::Compile(group["schema"], options);
    EXPECT_TRUE(schema.ok()) << name << ": " << schema.status();
    for (const Json& test : group["tests"]) {
      ++count;
      if (!schema.ok()) continue;
      const bool valid = test["valid"].get<bool>();
      EXPECT_EQ((*schema)->IsValid(test["data"]), valid) << name << ": " << test["description"];
      const std::vector<Violation> violations = (*schema)->Validate(test["data"]);
      EXPECT_EQ(violations.empty(), valid) << name << ": " << test["description"];
      if (!valid) continue;
      Json read = test["data"];
      (*schema)->RemoveNulls(read);
      EXPECT_EQ(read, test["data"]) << name << ": " << test["description"] << ": a valid value is changed";
    }
  }
  return count;
}

TEST(JsonSchemaSuiteTest, PassesEveryRequiredTest) {
  const SchemaDocuments remotes = Remotes();
  int count = 0;
  for (const fs::path& file : JsonFiles(SuiteDirectory() / "tests" / "draft2020-12")) {
    count += RunFile(file, {.documents = &remotes});
  }
  EXPECT_GE(count, 1176) << kHowToGet;
}

TEST(JsonSchemaSuiteTest, PassesTheOptionalTestsOfWhatItSupports) {
  const SchemaDocuments remotes = Remotes();
  int count = 0;
  for (const char* const name :
       {"bignum", "cross-draft", "dependencies-compatibility", "ecmascript-regex", "float-overflow", "format-assertion",
        "no-schema", "non-bmp-regex", "refOfUnknownKeyword"}) {
    const fs::path file = SuiteDirectory() / "tests" / "draft2020-12" / "optional" / (std::string(name) + ".json");
    ASSERT_TRUE(fs::exists(file)) << kHowToGet;
    count += RunFile(file, {.assert_formats = true, .documents = &remotes});
  }
  EXPECT_GE(count, 140);
}

TEST(JsonSchemaSuiteTest, PassesTheTestsOfEveryFormatItAsserts) {
  int formats = 0;
  for (const fs::path& file : JsonFiles(SuiteDirectory() / "tests" / "draft2020-12" / "optional" / "format")) {
    if (FindFormat(file.stem().string()) == nullptr && file.stem() != "unknown") continue;
    RunFile(file, {.assert_formats = true});
    ++formats;
  }
  EXPECT_GE(formats, 19) << kHowToGet;
}

// The supported parts of the drafts before 2020-12.
TEST(JsonSchemaSuiteTest, ReadsDraft7) {
  const SchemaDocuments remotes = Remotes();
  int count = 0;
  for (const char* const name : {"additionalItems", "additionalProperties", "allOf", "anyOf", "const", "contains",
                                 "dependencies", "enum", "exclusiveMaximum", "if-then-else", "items", "maximum", "not",
                                 "oneOf", "pattern", "patternProperties", "properties", "required", "type"}) {
    const fs::path file = SuiteDirectory() / "tests" / "draft7" / (std::string(name) + ".json");
    ASSERT_TRUE(fs::exists(file)) << kHowToGet;
    for (const Json& group : ReadJson(file)) {
      Json schema = group["schema"];
      if (schema.is_object()) schema["$schema"] = "http://json-schema.org/draft-07/schema#";
      const auto compiled = JsonSchema::Compile(schema, {.documents = &remotes});
      ASSERT_TRUE(compiled.ok()) << name << ": " << compiled.status();
      for (const Json& test : group["tests"]) {
        EXPECT_EQ((*compiled)->IsValid(test["data"]), test["valid"].get<bool>())
            << name << ": " << group["description"] << ": " << test["description"];
        ++count;
      }
    }
  }
  EXPECT_GE(count, 250);
}

}  // namespace
}  // namespace toolgate::security::param_validation
