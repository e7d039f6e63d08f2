#include "executors/models/image_data.h"

#include <string>

#include "gtest/gtest.h"

namespace toolgate::executors::models {
namespace {

TEST(ImageDataTest, ReadsDataUrls) {
  const auto image = ImageFromUrl("data:image/PNG;base64,cGl4");
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ(image->media_type, "image/png");
  EXPECT_EQ(image->bytes, "pix");
  EXPECT_EQ(image->url, "");
  EXPECT_EQ(ImageUrl(*image), "data:image/png;base64,cGl4");
}

TEST(ImageDataTest, KeepsWebAddresses) {
  const auto image = ImageFromUrl("https://cdn.example/1.png");
  ASSERT_TRUE(image.has_value());
  EXPECT_EQ(image->url, "https://cdn.example/1.png");
  EXPECT_EQ(image->bytes, "");
  EXPECT_EQ(ImageUrl(*image), "https://cdn.example/1.png");
}

struct BadUrl {
  const char* name;
  std::string url;
};

class BadImageTest : public ::testing::TestWithParam<BadUrl> {};

TEST_P(BadImageTest, IsNone) { EXPECT_FALSE(ImageFromUrl(GetParam().url).has_value()); }

INSTANTIATE_TEST_SUITE_P(
    Urls, BadImageTest,
    ::testing::Values(BadUrl{"Empty", ""}, BadUrl{"NoComma", "data:image/png;base64"},
                      BadUrl{"NoBase64", "data:image/png,pix"}, BadUrl{"NoData", "data:image/png;base64,"},
                      BadUrl{"BadBase64", "data:image/png;base64,c*l4"},
                      BadUrl{"NoImage", "data:text/html;base64,cGl4"}, BadUrl{"NoSubtype", "data:image/;base64,cGl4"},
                      BadUrl{"BadSubtype", "data:image/p\"g;base64,cGl4"}, BadUrl{"File", "file:///etc/passwd"},
                      BadUrl{"Script", "javascript:alert(1)"}, BadUrl{"Blank", "https://a b"},
                      BadUrl{"LineBreak", "https://a\r\nb"}, BadUrl{"Long", "https://" + std::string(9000, 'a')}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace toolgate::executors::models
