#include "executors/images/images_tools.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "common/tool_error.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::images {
namespace {

using storage::blobs::BlobStoreSettings;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ImagesToolsTest : public ::testing::Test {
 protected:
  ImagesToolsTest() {
    unsetenv("TOOLGATE_TEST_IMAGE_KEY");
    EXPECT_TRUE(AddDefaults({ImagesFamily()}, options_.settings).ok());
    settings().mutable_provider()->set_api_key_env("TOOLGATE_TEST_IMAGE_KEY");
    options_.data_dir = temp_.path() + "/data";
  }
  ImagesSettings& settings() { return *options_.settings.MutableExtension(ImagesSettings::images); }
  // Why the tool is not there for a caller; OK: it is.
  absl::Status Availability() const {
    const auto catalog = MakeCatalog({ImagesFamily()}, options_);
    EXPECT_TRUE(catalog.ok()) << catalog.status();
    return (*catalog)->Find("generate_image")->handlers.available(Caller());
  }
  std::string Absence() const {
    const auto error = GetToolError(Availability());
    if (!error.has_value()) return "";
    EXPECT_EQ(error->code, ErrorCode::kNotConfigured);
    return error->message;
  }
  std::vector<std::string> Problems() const {
    std::vector<std::string> problems;
    CheckFamilies({ImagesFamily()}, options_.settings, [&](std::string_view path, std::string_view problem) {
      problems.push_back(std::string(path) + ": " + std::string(problem));
    });
    return problems;
  }

  testing::TempDir temp_;
  CatalogOptions options_;
};

TEST_F(ImagesToolsTest, IsAbsentWithoutAKey) {
  EXPECT_THAT(Absence(), HasSubstr("image_model is not configured"));
  EXPECT_THAT(Absence(), HasSubstr("TOOLGATE_TEST_IMAGE_KEY"));
}

TEST_F(ImagesToolsTest, IsThereWithAKey) {
  setenv("TOOLGATE_TEST_IMAGE_KEY", "sk-test", 1);
  EXPECT_EQ(Availability(), absl::OkStatus());
}

TEST_F(ImagesToolsTest, IsThereWithoutAStore) {
  settings().mutable_provider()->set_keyless(true);
  options_.data_dir.clear();
  EXPECT_EQ(Availability(), absl::OkStatus());
}

TEST_F(ImagesToolsTest, IsAbsentWhenItsStoreCannotBe) {
  settings().mutable_provider()->set_keyless(true);
  settings().mutable_store()->set_folder("/proc/no/folder");
  EXPECT_THAT(Absence(), HasSubstr("images.store.folder: there can be no folder /proc/no/folder"));
  settings().mutable_store()->set_kind(BlobStoreSettings::S3);
  settings().mutable_store()->set_endpoint("https://s3.example.com");
  settings().mutable_store()->set_bucket("images");
  settings().mutable_store()->set_access_key_env("TOOLGATE_TEST_IMAGE_KEY");
  EXPECT_THAT(Absence(), HasSubstr("images.store.access_key_env names the variable TOOLGATE_TEST_IMAGE_KEY"));
}

TEST_F(ImagesToolsTest, HasDefaultsThatCanWork) { EXPECT_THAT(Problems(), ElementsAre()); }

TEST_F(ImagesToolsTest, ReportsSettingsThatCannotWork) {
  settings().mutable_provider()->set_model("");
  settings().mutable_store()->set_kind(BlobStoreSettings::S3);
  EXPECT_THAT(Problems(),
              ElementsAre("images.store.endpoint: must be a URL such as https://s3.eu-central-1.amazonaws.com",
                          "images.provider.model: is empty; must name a model that makes images"));
}

TEST_F(ImagesToolsTest, PassesItsSettingsOn) {
  settings().set_max_image_bytes(5000);
  settings().set_max_pixels(7);
  settings().set_max_inline_bytes(9);
  const GenerateImage::Options options = OptionsOf(settings());
  EXPECT_EQ(options.model, "google/gemini-2.5-flash-image");
  EXPECT_EQ(options.limits.max_bytes, 5000);
  EXPECT_EQ(options.limits.max_pixels, 7);
  EXPECT_EQ(options.max_inline_bytes, 9);
}

TEST_F(ImagesToolsTest, ShowsItsMetric) {
  std::vector<std::string> names;
  options_.add_metric = [&](const observability::SampledMetric& metric) {
    names.push_back(metric.rows.name);
    EXPECT_EQ(metric.read().size(), metric.rows.rows.size());
  };
  ASSERT_TRUE(MakeCatalog({ImagesFamily()}, options_).ok());
  EXPECT_THAT(names, ElementsAre("toolgate_images_total"));
}

}  // namespace
}  // namespace toolgate::executors::images
