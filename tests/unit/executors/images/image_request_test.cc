#include "executors/images/image_request.h"

#include "common/tool_error.h"
#include "gtest/gtest.h"

namespace toolgate::executors::images {
namespace {

TEST(ReadImageRequestTest, MakesASquareUnlessToldOtherwise) {
  const ImageRequest request = ReadImageRequest({{"prompt", "a cat"}, {"mode", "generate"}}).value();
  EXPECT_EQ(request.mode, ImageRequest::Mode::kGenerate);
  EXPECT_EQ(request.prompt, "a cat");
  EXPECT_EQ(request.aspect_ratio, "1:1");
  EXPECT_EQ(ReadImageRequest({{"prompt", "a"}, {"aspectRatio", "9:16"}}).value().aspect_ratio, "9:16");
}

TEST(ReadImageRequestTest, LeavesTheRatioOfAnEditedImageAlone) {
  const ImageRequest request =
      ReadImageRequest({{"prompt", "bluer"}, {"mode", "edit"}, {"baseImage", "/blobs/x.png"}}).value();
  EXPECT_EQ(request.mode, ImageRequest::Mode::kEdit);
  EXPECT_EQ(request.base_image, "/blobs/x.png");
  EXPECT_EQ(request.aspect_ratio, "");
}

TEST(ReadImageRequestTest, NeedsAnImageToEdit) {
  const auto error = GetToolError(ReadImageRequest({{"prompt", "bluer"}, {"mode", "edit"}}).status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kMissingRequired);
  EXPECT_EQ(error->violations[0].path, "/baseImage");
}

TEST(ReadImageRequestTest, TakesNoImageToGenerateOne) {
  const auto error =
      GetToolError(ReadImageRequest({{"prompt", "a cat"}, {"mode", "generate"}, {"baseImage", "x"}}).status());
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code, ErrorCode::kInvalidParams);
  EXPECT_EQ(error->violations[0].path, "/baseImage");
}

TEST(BuildModelRequestTest, AsksForAnImageOfTheRatio) {
  const models::ModelRequest request = BuildModelRequest({.prompt = "a cat", .aspect_ratio = "4:3"}, std::nullopt);
  ASSERT_EQ(request.messages.size(), 1u);
  EXPECT_EQ(request.messages[0].role, models::Role::kUser);
  EXPECT_EQ(request.messages[0].text, "a cat");
  EXPECT_TRUE(request.messages[0].images.empty());
  EXPECT_EQ(request.extra, (Json{{"modalities", {"image", "text"}}, {"image_config", {{"aspect_ratio", "4:3"}}}}));
}

TEST(BuildModelRequestTest, SendsTheImageToEdit) {
  const models::ModelRequest request = BuildModelRequest({.mode = ImageRequest::Mode::kEdit, .prompt = "bluer"},
                                                         models::Image{"image/png", "bytes", ""});
  ASSERT_EQ(request.messages[0].images.size(), 1u);
  EXPECT_EQ(request.messages[0].images[0].bytes, "bytes");
  EXPECT_EQ(request.extra, (Json{{"modalities", {"image", "text"}}}));
}

}  // namespace
}  // namespace toolgate::executors::images
