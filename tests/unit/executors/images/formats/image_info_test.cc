#include "executors/images/formats/image_info.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/sample_images.h"

namespace toolgate::executors::images::formats {
namespace {

namespace samples = testing::sample_images;
using ::testing::HasSubstr;

struct Sample {
  std::string name;
  std::string bytes;
  std::string_view media_type;
  std::string_view extension;
};

std::vector<Sample> Samples() {
  return {{"Png", samples::BytesOf(samples::kPng), "image/png", "png"},
          {"Jpeg", samples::BytesOf(samples::kJpeg), "image/jpeg", "jpg"},
          {"ProgressiveJpeg", samples::BytesOf(samples::kProgressiveJpeg), "image/jpeg", "jpg"},
          {"LossyWebp", samples::BytesOf(samples::kLossyWebp), "image/webp", "webp"},
          {"LosslessWebp", samples::BytesOf(samples::kLosslessWebp), "image/webp", "webp"},
          {"ExtendedWebp", samples::BytesOf(samples::kExtendedWebp), "image/webp", "webp"},
          {"Gif", samples::BytesOf(samples::kGif), "image/gif", "gif"},
          {"AnimatedGif", samples::BytesOf(samples::kAnimatedGif), "image/gif", "gif"}};
}

class EveryFormatTest : public ::testing::TestWithParam<Sample> {};

TEST_P(EveryFormatTest, IsToldWithItsSize) {
  const absl::StatusOr<ImageInfo> info = InspectImage(GetParam().bytes, samples::kLimits);
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->media_type, GetParam().media_type);
  EXPECT_EQ(info->extension, GetParam().extension);
  EXPECT_EQ(info->width, 3);
  EXPECT_EQ(info->height, 2);
  EXPECT_EQ(info->bytes, GetParam().bytes.size());
}

TEST_P(EveryFormatTest, IsRefusedWhereverItIsCutOff) {
  const std::string& whole = GetParam().bytes;
  for (size_t length = 0; length < whole.size(); ++length) {
    // Memory of exactly that size, so that a sanitizer sees a read behind it.
    const std::vector<char> part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
    EXPECT_EQ(InspectImage({part.data(), part.size()}, samples::kLimits).status().code(),
              absl::StatusCode::kInvalidArgument)
        << length;
  }
}

TEST_P(EveryFormatTest, EndsBeforeWhatIsGluedOn) {
  const absl::StatusOr<ImageInfo> info = InspectImage(GetParam().bytes + "<script>alert(1)</script>", samples::kLimits);
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->bytes, GetParam().bytes.size());
}

TEST_P(EveryFormatTest, HasAtMostTheBytesOfTheLimit) {
  const auto size = static_cast<int64_t>(GetParam().bytes.size());
  EXPECT_TRUE(InspectImage(GetParam().bytes, {size, samples::kLimits.max_pixels}).ok());
  EXPECT_EQ(InspectImage(GetParam().bytes, {size - 1, samples::kLimits.max_pixels}).status().code(),
            absl::StatusCode::kOutOfRange);
}

TEST_P(EveryFormatTest, HasAtMostThePixelsOfTheLimit) {
  EXPECT_TRUE(InspectImage(GetParam().bytes, {samples::kLimits.max_bytes, 6}).ok());
  const absl::Status status = InspectImage(GetParam().bytes, {samples::kLimits.max_bytes, 5}).status();
  EXPECT_EQ(status, absl::OutOfRangeError("has 3 by 2 pixels; at most 5 are accepted"));
}

INSTANTIATE_TEST_SUITE_P(Formats, EveryFormatTest, ::testing::ValuesIn(Samples()),
                         [](const auto& test) { return test.param.name; });

std::string With(std::string_view sample, size_t at, std::string_view bytes) {
  std::string changed = samples::BytesOf(sample);
  return changed.replace(at, bytes.size(), bytes);
}

struct BrokenCase {
  std::string name;
  std::string bytes;
  std::string problem;  // Part of the message.
};

class BrokenImageTest : public ::testing::TestWithParam<BrokenCase> {};

TEST_P(BrokenImageTest, IsRefusedWithTheReason) {
  const absl::Status status = InspectImage(GetParam().bytes, samples::kLimits).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().problem));
}

INSTANTIATE_TEST_SUITE_P(Cases, BrokenImageTest,
                         ::testing::ValuesIn(std::vector<BrokenCase>{
                             {"Nothing", "", "is empty"},
                             {"Svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>", "is markup such as SVG"},
                             {"SvgBehindBlanksAndXml", "\n  <?xml version=\"1.0\"?><svg/>", "is markup such as SVG"},
                             {"Html", "<!DOCTYPE html><script>alert(1)</script>", "is markup"},
                             {"Text", "an image of a cat", "unknown type"},
                             {"Bmp", std::string("BM\x1A\0\0\0", 6), "unknown type"},
                             {"RiffOfAnotherKind", "RIFF\x04\x01\x01\x01WAVEfmt ", "unknown type"},
                             {"PngWithoutWidth", With(samples::kPng, 16, std::string_view("\0\0\0\0", 4)), "no pixels"},
                             {"PngOfNegativeWidth", With(samples::kPng, 16, "\xFF\xFF\xFF\xFF"), "impossible values"},
                             {"PngOfNoDepth", With(samples::kPng, 24, "\x03"), "impossible values"},
                             {"PngOfNoColour", With(samples::kPng, 25, "\x05"), "impossible values"},
                             {"PngWithoutHeader", With(samples::kPng, 12, "IDAT"), "does not begin with its header"},
                             {"PngWithAnImpossibleChunk", With(samples::kPng, 37, "1234"), "it has an invalid chunk"},
                             {"PngWithoutData", With(samples::kPng, 52, "teXt"), "no pixels"},
                             {"JpegWithoutHeight", With(samples::kJpeg, 163, std::string_view("\0\0", 2)),
                              "impossible values"},
                             {"JpegWithAStrayMarker", With(samples::kJpeg, 21, "\xD0"), "wrong place"},
                             {"JpegWithoutAMarker", With(samples::kJpeg, 20, "x"), "a marker is missing"},
                             {"WebpWithoutStartCode", With(samples::kLossyWebp, 23, "xxx"), "impossible values"},
                             {"WebpOfALaterVersion", With(samples::kLosslessWebp, 24, "\xF0"), "impossible values"},
                             {"WebpWithoutPicture", With(samples::kExtendedWebp, 45, "EXIF"), "no pixels"},
                             {"GifWithAnImpossibleBlock", With(samples::kGif, 19, "x"), "it has an invalid block"},
                             {"GifWithoutPicture", "GIF89a\x03" + std::string("\0\x02\0\0\0\0", 6) + ";", "no pixels"},
                         }),
                         [](const auto& test) { return test.param.name; });

TEST(ImageInfoTest, CountsAPictureThatReachesBeyondTheGifsScreen) {
  // The screen is 1 by 1, its picture still 3 by 2.
  const absl::StatusOr<ImageInfo> info =
      InspectImage(With(samples::kGif, 6, std::string_view("\1\0\1\0", 4)), samples::kLimits);
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->width, 3);
  EXPECT_EQ(info->height, 2);
}

TEST(ImageInfoTest, RefusesABombByItsHeaderAlone) {
  const std::string bomb = With(samples::kPng, 16, std::string_view("\x7F\xFF\xFF\xFF\x7F\xFF\xFF\xFF", 8));
  EXPECT_EQ(InspectImage(bomb, samples::kLimits).status().code(), absl::StatusCode::kOutOfRange);
}

}  // namespace
}  // namespace toolgate::executors::images::formats
