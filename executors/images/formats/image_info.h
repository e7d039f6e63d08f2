// Tells the type and the size of an image from its bytes.
#ifndef TOOLGATE_EXECUTORS_IMAGES_FORMATS_IMAGE_INFO_H_
#define TOOLGATE_EXECUTORS_IMAGES_FORMATS_IMAGE_INFO_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace toolgate::executors::images::formats {

struct ImageInfo {
  std::string_view media_type;  // "image/png".
  std::string_view extension;   // Of a file's name, without the dot: "png".
  int64_t width = 0;            // In pixels.
  int64_t height = 0;
  // Bytes of the image itself. Anything behind them, such as a second file that is glued on, is no part of it.
  size_t bytes = 0;
};

// Those of ImagesSettings.
struct ImageLimits {
  int64_t max_bytes;
  int64_t max_pixels;  // Width times height: what a program that shows it must hold in memory.
};

// Reads PNG, JPEG, WebP and GIF, and walks the structure to its end without decoding a pixel. Time is linear in the
// bytes, and nothing is allocated. INVALID_ARGUMENT: another type (SVG, a page of HTML), or a structure that is broken
// or cut off; OUT_OF_RANGE: more bytes or pixels than `limits`. Messages complete "the image …" and quote nothing of
// it.
absl::StatusOr<ImageInfo> InspectImage(std::string_view bytes, const ImageLimits& limits);

}  // namespace toolgate::executors::images::formats

#endif  // TOOLGATE_EXECUTORS_IMAGES_FORMATS_IMAGE_INFO_H_
