#include "security/safe_errors/file_types.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "absl/strings/ascii.h"
#include "common/absl_bridge.h"

namespace toolgate::security::safe_errors {
namespace {

// In order.
constexpr std::string_view kFileTypes[] = {
    "avif", "bmp", "css", "csv", "gif", "gz",   "heic", "htm",  "html", "icns", "ico", "jar",  "jpeg", "jpg", "js",
    "json", "jsx", "log", "mjs", "otf", "pdf",  "png",  "psd",  "scss", "sql",  "svg", "tar",  "tgz",  "tif", "tiff",
    "toml", "ts",  "tsx", "ttf", "txt", "wasm", "webm", "webp", "whl",  "woff", "xml", "yaml", "yml"};

}  // namespace

bool HasFileType(std::string_view name) {
  const std::string type = absl::AsciiStrToLower(ToAbsl(name.substr(name.rfind('.') + 1)));
  return std::binary_search(std::begin(kFileTypes), std::end(kFileTypes), std::string_view(type));
}

}  // namespace toolgate::security::safe_errors
