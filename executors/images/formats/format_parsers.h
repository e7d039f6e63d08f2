// The parser of each format; InspectImage chooses among them by the first bytes.
#ifndef TOOLGATE_EXECUTORS_IMAGES_FORMATS_FORMAT_PARSERS_H_
#define TOOLGATE_EXECUTORS_IMAGES_FORMATS_FORMAT_PARSERS_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "executors/images/formats/image_info.h"

namespace toolgate::executors::images::formats {

// Whether a file begins as its format's files do.
bool BeginsAsPng(std::string_view bytes);
bool BeginsAsJpeg(std::string_view bytes);
bool BeginsAsWebp(std::string_view bytes);
bool BeginsAsGif(std::string_view bytes);

// Each takes a file that begins so. INVALID_ARGUMENT as InspectImage; no limits.
absl::StatusOr<ImageInfo> ParsePng(std::string_view bytes);
absl::StatusOr<ImageInfo> ParseJpeg(std::string_view bytes);
absl::StatusOr<ImageInfo> ParseWebp(std::string_view bytes);
absl::StatusOr<ImageInfo> ParseGif(std::string_view bytes);

// "is not a valid PNG: it ends early".
absl::Status Broken(std::string_view format, std::string_view problem);

inline constexpr std::string_view kEndsEarly = "it ends early";

}  // namespace toolgate::executors::images::formats

#endif  // TOOLGATE_EXECUTORS_IMAGES_FORMATS_FORMAT_PARSERS_H_
