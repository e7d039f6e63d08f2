#include "storage/blobs/open_blob_store.h"

#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace toolgate::storage::blobs {
namespace {

BlobStoreSettings SettingsOfKind(BlobStoreSettings::Kind kind) {
  BlobStoreSettings settings;
  settings.set_kind(kind);
  return settings;
}

std::vector<std::string> Problems(const BlobStoreSettings& settings) {
  std::vector<std::string> problems;
  CheckBlobStore(settings, "images.store", [&](std::string_view path, std::string_view problem) {
    problems.push_back(std::string(path) + ": " + std::string(problem));
  });
  return problems;
}

TEST(OpenBlobStoreTest, OpensNoneWhereNoneIsWanted) {
  EXPECT_EQ(OpenBlobStore(SettingsOfKind(BlobStoreSettings::NONE), "/data", "s", nullptr).value(), nullptr);
  EXPECT_EQ(OpenBlobStore(SettingsOfKind(BlobStoreSettings::LOCAL), "", "s", nullptr).value(), nullptr);
}

TEST(OpenBlobStoreTest, OpensAFolderOfTheDataDirectoryOrAnotherOne) {
  const testing::TempDir dir;
  BlobStoreSettings settings = SettingsOfKind(BlobStoreSettings::LOCAL);
  const auto store = OpenBlobStore(settings, dir.path() + "/data", "s", nullptr).value();
  ASSERT_NE(store, nullptr);
  EXPECT_FALSE(std::filesystem::exists(dir.path() + "/data/blobs")) << "it is made with the first blob";
  const auto no_wait = [](fibers::Event&, absl::Duration) -> absl::StatusOr<bool> { return false; };
  EXPECT_EQ(store->Put("a.png", "image/png", "x", {no_wait}), absl::OkStatus());
  EXPECT_TRUE(std::filesystem::is_regular_file(dir.path() + "/data/blobs/a.png"));
  settings.set_folder(dir.path() + "/elsewhere");
  EXPECT_NE(OpenBlobStore(settings, "", "s", nullptr).value(), nullptr);
  EXPECT_TRUE(std::filesystem::is_directory(dir.path() + "/elsewhere"));
}

TEST(OpenBlobStoreTest, NamesTheSettingOfAFolderThatCannotBe) {
  BlobStoreSettings settings = SettingsOfKind(BlobStoreSettings::LOCAL);
  settings.set_folder("/proc/no/folder");
  const absl::Status status = OpenBlobStore(settings, "", "images.store", nullptr).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(std::string(status.message()).starts_with("images.store.folder: there can be no folder /proc/no/folder"))
      << status;
}

TEST(CheckBlobStoreTest, ReportsTheSettingThatIsWrong) {
  BlobStoreSettings settings = SettingsOfKind(BlobStoreSettings::S3);
  settings.set_endpoint("https://s3.example.com");
  settings.set_region("us-east-1");
  settings.set_bucket("images");
  EXPECT_EQ(Problems(settings), std::vector<std::string>());
  settings.set_bucket("");
  EXPECT_EQ(
      Problems(settings),
      std::vector<std::string>{"images.store.bucket: must have 3 to 63 lower-case letters, digits, \"-\" and \".\""});
  settings = SettingsOfKind(BlobStoreSettings::LOCAL);
  settings.set_public_url("cdn.example.com");
  EXPECT_EQ(Problems(settings),
            std::vector<std::string>{"images.store.public_url: must be a URL, or a path that begins with \"/\""});
}

}  // namespace
}  // namespace toolgate::storage::blobs
