#include "executors/models/image_data.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/http/http_url.h"

namespace toolgate::executors::models {
namespace {

constexpr size_t kMaxUrl = 8192;

// "image/" and a subtype of RFC 6838, in lower case.
std::optional<std::string> ImageMediaType(std::string_view text) {
  std::string type = absl::AsciiStrToLower(ToAbsl(text));
  if (!type.starts_with("image/") || type.size() == 6 || type.size() > 64) return std::nullopt;
  const bool valid = std::all_of(type.begin() + 6, type.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '.' || c == '+' || c == '-';
  });
  if (!valid) return std::nullopt;
  return type;
}

bool IsWebUrl(std::string_view url) {
  return http::HasHttpScheme(url) && url.size() <= kMaxUrl &&
         std::all_of(url.begin(), url.end(), [](unsigned char c) { return c > 0x20 && c != 0x7F; });
}

}  // namespace

std::optional<Image> ImageFromBase64(std::string_view media_type, std::string_view base64) {
  std::optional<std::string> type = ImageMediaType(media_type);
  Image image;
  if (!type.has_value() || !absl::Base64Unescape(ToAbsl(base64), &image.bytes) || image.bytes.empty()) {
    return std::nullopt;
  }
  image.media_type = *std::move(type);
  return image;
}

std::optional<Image> ImageFromUrl(std::string_view url) {
  if (!absl::StartsWithIgnoreCase(ToAbsl(url.substr(0, 5)), "data:")) {
    if (!IsWebUrl(url)) return std::nullopt;
    Image image;
    image.url = std::string(url);
    return image;
  }
  const size_t comma = url.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view header = url.substr(5, comma - 5);
  if (!absl::EndsWithIgnoreCase(ToAbsl(header), ";base64")) return std::nullopt;
  return ImageFromBase64(header.substr(0, header.find(';')), url.substr(comma + 1));
}

std::string ImageBase64(const Image& image) { return absl::Base64Escape(ToAbsl(image.bytes)); }

std::string ImageUrl(const Image& image) {
  if (image.bytes.empty()) return image.url;
  return absl::StrCat("data:", image.media_type, ";base64,", ImageBase64(image));
}

}  // namespace toolgate::executors::models
