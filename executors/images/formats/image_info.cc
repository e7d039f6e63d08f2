#include "executors/images/formats/image_info.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/images/formats/format_parsers.h"

namespace toolgate::executors::images::formats {
namespace {

struct ImageFormat {
  bool (*begins)(std::string_view);
  absl::StatusOr<ImageInfo> (*parse)(std::string_view);
};

constexpr std::array<ImageFormat, 4> kFormats = {{
    {BeginsAsPng, ParsePng},
    {BeginsAsJpeg, ParseJpeg},
    {BeginsAsWebp, ParseWebp},
    {BeginsAsGif, ParseGif},
}};

// SVG and HTML run scripts where they are shown, so they are told from mere rubbish.
bool IsMarkup(std::string_view bytes) {
  const absl::string_view head = absl::StripLeadingAsciiWhitespace(ToAbsl(bytes.substr(0, 256)));
  return absl::StartsWith(head, "<") || absl::StartsWith(head, "\xEF\xBB\xBF<");
}

absl::Status UnknownFormat(std::string_view bytes) {
  if (bytes.empty()) return absl::InvalidArgumentError("is empty");
  if (IsMarkup(bytes)) {
    return absl::InvalidArgumentError(
        "is markup such as SVG or HTML, which may carry scripts; only PNG, JPEG, WebP "
        "and GIF are accepted");
  }
  return absl::InvalidArgumentError("is of an unknown type; only PNG, JPEG, WebP and GIF are accepted");
}

absl::Status CheckPixels(const ImageInfo& info, int64_t max_pixels) {
  if (info.width < 1 || info.height < 1) return absl::InvalidArgumentError("has no pixels");
  // Neither side exceeds 32 bits, so the product fits.
  if (info.width * info.height <= max_pixels) return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrCat("has ", info.width, " by ", info.height, " pixels; at most ", max_pixels, " are accepted"));
}

}  // namespace

absl::Status Broken(std::string_view format, std::string_view problem) {
  return absl::InvalidArgumentError(absl::StrCat("is not a valid ", ToAbsl(format), ": ", ToAbsl(problem)));
}

absl::StatusOr<ImageInfo> InspectImage(std::string_view bytes, const ImageLimits& limits) {
  const auto* const format =
      std::find_if(kFormats.begin(), kFormats.end(), [&](const ImageFormat& one) { return one.begins(bytes); });
  if (format == kFormats.end()) return UnknownFormat(bytes);
  ASSIGN_OR_RETURN(const ImageInfo info, format->parse(bytes));
  if (static_cast<int64_t>(info.bytes) > limits.max_bytes) {
    return absl::OutOfRangeError(
        absl::StrCat("has ", info.bytes, " bytes; at most ", limits.max_bytes, " are accepted"));
  }
  RETURN_IF_ERROR(CheckPixels(info, limits.max_pixels));
  return info;
}

}  // namespace toolgate::executors::images::formats
