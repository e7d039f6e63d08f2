#include "executors/family.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "common/clock.h"
#include "common/tool_error.h"
#include "executors/registration/registration.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "observability/provider_call.h"
#include "observability/sampled_metric.h"
#include "tests/support/gong/gong_family.h"
#include "tests/support/gong/settings.pb.h"

namespace toolgate::executors {
namespace {

using ::testing::ElementsAre;
using testing::GongFamily;
using testing::GongSettings;
using ::testing::HasSubstr;

std::string MessageOf(const absl::Status& status) { return std::string(status.message()); }

const std::vector<EmbeddedFile>& NoDefinitions() {
  static const auto* const none = new std::vector<EmbeddedFile>();
  return *none;
}

// A family that takes back effects of a kind and has no tool.
Family ReversingFamily(std::string_view name, std::string_view kind) {
  return {name, &NoDefinitions(), [kind](const FamilyContext&) -> absl::StatusOr<FamilyTools> {
            const Reverser reverse = [] { return nullptr; };
            return FamilyTools{{}, {}, {{std::string(kind), reverse}}};
          }};
}

TEST(FamilyTest, AFamilyMayShowMetricsAndTellOfProviders) {
  std::vector<std::string> metrics;
  std::vector<std::string> providers;
  CatalogOptions options;
  options.add_metric = [&](const observability::SampledMetric& metric) { metrics.push_back(metric.rows.name); };
  options.on_provider_call = [&](std::string_view provider, observability::ProviderOutcome, absl::Duration) {
    providers.emplace_back(provider);
  };
  const Family counting{
      "counting", &NoDefinitions(), [](const FamilyContext& context) -> absl::StatusOr<FamilyTools> {
        context.add_metric(observability::SampledValue("toolgate_counting", "Help.", [] { return 1.0; }));
        const observability::ProviderCall attempt(context.on_provider_call, Clock::Real(), "tavily");
        return FamilyTools();
      }};
  ASSERT_TRUE(MakeCatalog({counting}, options).ok());
  EXPECT_EQ(metrics, std::vector<std::string>{"toolgate_counting"});
  EXPECT_EQ(providers, std::vector<std::string>{"tavily"});
}

TEST(FamilyTest, ToolsAreMadeWithTheSettingsGiven) {
  CatalogOptions options;
  options.settings.MutableExtension(GongSettings::gong)->set_max_strokes(7);
  int strokes = 0;
  Family family = GongFamily();
  family.make = [&strokes, make = family.make](const FamilyContext& context) {
    strokes = context.settings.GetExtension(GongSettings::gong).max_strokes();
    return make(context);
  };
  const auto catalog = MakeCatalog({family}, options);
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  EXPECT_NE((*catalog)->Find("strike_gong"), nullptr);
  EXPECT_EQ(strokes, 7);
}

TEST(FamilyTest, SettingsThatAreNotGivenHaveTheirDefaults) {
  config::v1::Families settings;
  ASSERT_TRUE(AddDefaults({GongFamily()}, settings).ok());
  const GongSettings& gong = settings.GetExtension(GongSettings::gong);
  EXPECT_EQ(gong.max_strokes(), 3);
  EXPECT_EQ(gong.pause().seconds(), 1);
  EXPECT_EQ(gong.metal(), "bronze");
}

TEST(FamilyTest, TheBuiltInFamiliesMakeACatalogueWithOneMore) {
  std::vector<Family> families = registration::BuiltInFamilies();
  families.push_back(GongFamily());
  const auto catalog = MakeCatalog(families, {});
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  EXPECT_NE((*catalog)->Find("strike_gong"), nullptr);
  EXPECT_NE((*catalog)->Find("create_block"), nullptr);
}

TEST(FamilyTest, HandlersFindTheToolsAndReversersOfAllFamilies) {
  std::function<const Tool*(std::string_view)> find_tool;
  std::function<const AnyReverser*(std::string_view)> find_reverser;
  const Family curious{"curious", &NoDefinitions(), [&](const FamilyContext& context) -> absl::StatusOr<FamilyTools> {
                         find_tool = context.find_tool;
                         find_reverser = context.find_reverser;
                         return FamilyTools();
                       }};
  const auto catalog = MakeCatalog({curious, GongFamily(), ReversingFamily("later", "scratch")}, {});
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  EXPECT_EQ(find_tool("strike_gong"), (*catalog)->Find("strike_gong"));
  EXPECT_EQ(find_tool("none"), nullptr);
  EXPECT_NE(find_reverser("scratch"), nullptr);
  EXPECT_EQ(find_reverser("none"), nullptr);
}

TEST(FamilyTest, TwoFamiliesCannotTakeBackOneKindOfEffect) {
  EXPECT_EQ(MessageOf(MakeCatalog({ReversingFamily("a", "scratch"), ReversingFamily("b", "scratch")}, {}).status()),
            "family \"b\" takes back effects of the kind \"scratch\", as another family does");
}

TEST(FamilyTest, PermissionsAreThoseOfAllFamiliesInTheirOrder) {
  Family ringing = ReversingFamily("ringing", "scratch");
  ringing.permissions = {"bell:ring"};
  const auto catalog = MakeCatalog({ringing, GongFamily()}, {});
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  EXPECT_THAT((*catalog)->permissions(), ElementsAre("bell:ring", "gong:strike", "gong:wake"));
}

TEST(FamilyTest, TwoFamiliesCannotDeclareOnePermission) {
  Family ringing = ReversingFamily("ringing", "scratch");
  ringing.permissions = {"gong:wake"};
  EXPECT_EQ(
      MessageOf(MakeCatalog({GongFamily(), ringing}, {}).status()),
      "family \"ringing\" declares the permission \"gong:wake\", as another family does; its definitions may name "
      "it nevertheless");
}

TEST(FamilyTest, TwoFamiliesCannotShareASection) {
  EXPECT_EQ(MessageOf(MakeCatalog({GongFamily(), GongFamily()}, {}).status()),
            "family \"gong\" has settings under the key \"gong\", as another family does; rename the extension");
}

TEST(FamilyTest, SettingsMustBeAnExtensionOfTheFamilies) {
  Family family = GongFamily();
  family.settings->field = GongSettings::descriptor()->FindFieldByName("pause");
  EXPECT_THAT(MessageOf(MakeCatalog({family}, {}).status()),
              HasSubstr("family \"gong\" has settings that are no message in an extension of"));
}

TEST(FamilyTest, WrongDefaultsNameTheirLine) {
  Family family = GongFamily();
  family.settings->defaults = {"executors/gong/settings.yaml", "max_strokes: 3\nmetall: brass\n"};
  EXPECT_EQ(MessageOf(MakeCatalog({family}, {}).status()),
            "family \"gong\": executors/gong/settings.yaml:2:1: no field \"metall\" here; did you mean \"metal\"?");
}

TEST(FamilyTest, ADefinitionWithAnUnknownKindOfExecutorNamesItsFile) {
  const std::vector<EmbeddedFile> definitions = {
      {"executors/gong/definitions/x.json",
       R"({"id": "x", "name": "X", "description": "X", "category": "read", "module": "test", "permissions": ["a:b"],
           "confirmation": "never", "annotations": {"readOnly": true}, "executor": {"kind": "telepathy"},
           "arguments": {"type": "object"}, "result": {"type": "object"},
           "examples": [{"description": "One", "arguments": {}, "result": {}}]})"}};
  Family family = GongFamily();
  family.definitions = &definitions;
  EXPECT_EQ(MessageOf(MakeCatalog({family}, {}).status()),
            "executors/gong/definitions/x.json: /executor/kind must be one of native, http, grpc, mcp, process");
}

TEST(FamilyTest, AFamilyThatCannotBeMadeIsNamed) {
  Family family = GongFamily();
  family.make = [](const FamilyContext&) -> absl::StatusOr<FamilyTools> {
    return absl::UnavailableError("there is no gong");
  };
  const absl::Status status = MakeCatalog({family}, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(MessageOf(status), "family \"gong\": there is no gong");
}

TEST(FamilyTest, AFamilyMaySayWhyItsToolsAreAbsent) {
  Family family = GongFamily();
  family.make = [make = family.make](const FamilyContext& context) {
    absl::StatusOr<FamilyTools> tools = make(context);
    tools->available = AbsentBecause("there is no gong; set gong.place");
    return tools;
  };
  const auto catalog = MakeCatalog({family}, {});
  ASSERT_TRUE(catalog.ok()) << catalog.status();
  const auto error = GetToolError((*catalog)->Find("strike_gong")->handlers.available(Caller()));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kNotConfigured);
  EXPECT_EQ(error->message, "there is no gong; set gong.place");
}

TEST(FamilyTest, FamiliesAreToldTheDataDirectory) {
  CatalogOptions options;
  options.data_dir = "/data";
  std::string data_dir;
  Family family = GongFamily();
  family.make = [&data_dir, make = family.make](const FamilyContext& context) {
    data_dir = context.data_dir;
    return make(context);
  };
  ASSERT_TRUE(MakeCatalog({family}, options).ok());
  EXPECT_EQ(data_dir, "/data");
}

TEST(FamilyTest, AFamilysOwnCheckSeesItsSection) {
  config::v1::Families settings;
  settings.MutableExtension(GongSettings::gong)->set_metal("wood");
  std::vector<std::string> problems;
  CheckFamilies({GongFamily()}, settings, [&](std::string_view path, std::string_view what) {
    problems.push_back(std::string(path) + ": " + std::string(what));
  });
  EXPECT_THAT(problems, ElementsAre("gong.metal: is no metal of gongs; must be bronze or brass"));
}

}  // namespace
}  // namespace toolgate::executors
