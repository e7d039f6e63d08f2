// Decodes any bytes as a file's text, which must come back as they were, and compares two halves of a text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "common/text/unified_diff.h"
#include "common/text/utf8.h"
#include "executors/files/near_match.h"
#include "executors/files/text_encoding.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace files = toolgate::executors::files;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto decoded = files::DecodeText(bytes);
  if (!decoded.has_value()) return 0;
  if (!toolgate::text::IsWellFormedUtf8(decoded->text)) std::abort();
  if (files::EncodeText(decoded->text, decoded->encoding) != bytes) std::abort();
  const std::string_view text = decoded->text;
  const std::string_view first = toolgate::text::PrefixOfBytes(text, text.size() / 2);
  const std::string_view second = text.substr(first.size());
  const auto diff = toolgate::text::UnifiedDiff(first, second);
  if (diff.text.empty() != (first == second)) std::abort();
  const auto nearest = files::FindNearest(first, second);
  if (nearest.has_value() && nearest->line == 0) std::abort();
  size_t count = 0;
  if (!second.empty()) static_cast<void>(files::LinesOfMatches(first, second, 5, count));
  return 0;
}
