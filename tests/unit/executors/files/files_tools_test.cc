#include "executors/files/files_tools.h"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::files {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

CatalogOptions With(const std::function<void(FilesSettings&)>& change) {
  CatalogOptions options;
  EXPECT_TRUE(AddDefaults({FilesFamily()}, options.settings).ok());
  change(*options.settings.MutableExtension(FilesSettings::files));
  return options;
}

std::vector<std::string> ProblemsOf(const CatalogOptions& options) {
  std::vector<std::string> problems;
  CheckFamilies({FilesFamily()}, options.settings, [&](std::string_view path, std::string_view what) {
    problems.push_back(std::string(path) + ": " + std::string(what));
  });
  return problems;
}

absl::Status Availability(const CatalogOptions& options, const std::string& workspace) {
  const auto catalog = MakeCatalog({FilesFamily()}, options);
  if (!catalog.ok()) return catalog.status();
  Caller caller;
  caller.workspace_id = workspace;
  return (*catalog)->Find("Read")->handlers.available(caller);
}

TEST(FilesToolsTest, WithoutADirectoryTheToolsAreAbsentWithAReason) {
  const auto error = GetToolError(Availability({}, "w"));
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kNotConfigured);
  EXPECT_THAT(error->message, HasSubstr("set files.root or files.workspaces"));
}

TEST(FilesToolsTest, TheyAreThereForWorkspacesWithADirectory) {
  const testing::TempDir dir;
  EXPECT_TRUE(Availability(With([&](FilesSettings& files) { files.set_root(dir.path()); }), "any").ok());
  const auto only = With([&](FilesSettings& files) { (*files.mutable_workspaces())["w"] = dir.path(); });
  EXPECT_TRUE(Availability(only, "w").ok());
  EXPECT_FALSE(Availability(only, "v").ok());
}

TEST(FilesToolsTest, AFolderThatIsNotThereStopsTheStart) {
  const auto status = Availability(With([&](FilesSettings& files) { files.set_root("/no/such"); }), "w");
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("files.root: the folder /no/such cannot be opened"));
}

TEST(FilesToolsTest, ChecksItsSettings) {
  EXPECT_THAT(ProblemsOf(With([](FilesSettings&) {})), IsEmpty());
  EXPECT_THAT(ProblemsOf(With([](FilesSettings& files) { files.set_root("relative"); })),
              ElementsAre(HasSubstr("files.root: must be an absolute path")));
  EXPECT_THAT(ProblemsOf(With([](FilesSettings& files) {
                files.set_root("/data");
                (*files.mutable_workspaces())["w"] = "/data/w";
                (*files.mutable_workspaces())["v"] = "/database";
              })),
              ElementsAre("files.workspaces.w: lies in the folder of files.root; each needs a folder of its own"));
  EXPECT_THAT(ProblemsOf(With([](FilesSettings& files) {
                (*files.mutable_workspaces())["a"] = "/x";
                (*files.mutable_workspaces())["b"] = "/x";
              })),
              UnorderedElementsAre(HasSubstr("files.workspaces.a: lies in"), HasSubstr("files.workspaces.b: lies in")));
  EXPECT_THAT(ProblemsOf(With([](FilesSettings& files) { files.add_deny("../x"); })),
              ElementsAre(HasSubstr("files.deny[0]: \"../x\" is no pattern of paths")));
  EXPECT_THAT(ProblemsOf(With([](FilesSettings& files) { files.set_max_file_bytes(files.max_total_bytes() + 1); })),
              ElementsAre(HasSubstr("files.max_file_bytes: is 4294967297; must be at most")));
}

TEST(FilesToolsTest, AllFamiliesOfACatalogueShareOneObject) {
  const testing::TempDir dir;
  const CatalogOptions options = With([&](FilesSettings& files) { files.set_root(dir.path()); });
  static const std::vector<EmbeddedFile> kNone;
  std::vector<std::shared_ptr<directory::Directories>> seen;
  const auto look = [&](const FamilyContext& context) -> absl::StatusOr<FamilyTools> {
    seen.push_back(DirectoriesOf(context).value());
    return FamilyTools();
  };
  Family files = FilesFamily();
  files.definitions = &kNone;
  files.make = look;
  const Family others{"others", &kNone, look};
  ASSERT_TRUE(MakeCatalog({files, others}, options).ok());
  ASSERT_TRUE(MakeCatalog({files, others}, options).ok());
  ASSERT_EQ(seen.size(), 4u);
  EXPECT_EQ(seen[0], seen[1]);
  EXPECT_EQ(seen[2], seen[3]);
  EXPECT_NE(seen[0], seen[2]);
}

}  // namespace
}  // namespace toolgate::executors::files
