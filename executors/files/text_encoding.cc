#include "executors/files/text_encoding.h"

#include <algorithm>
#include <cstdint>

#include "common/text/utf8.h"

namespace toolgate::executors::files {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kLittleEndianMark = "\xFF\xFE";
constexpr std::string_view kBigEndianMark = "\xFE\xFF";

uint32_t Byte(std::string_view text, size_t i) { return static_cast<unsigned char>(text[i]); }

void AppendUtf8(uint32_t c, std::string& out) {
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    out.push_back(static_cast<char>(0xC0 | (c >> 6)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else if (c < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | (c >> 12)));
    out.push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  } else {
    out.push_back(static_cast<char>(0xF0 | (c >> 18)));
    out.push_back(static_cast<char>(0x80 | ((c >> 12) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | ((c >> 6) & 0x3F)));
    out.push_back(static_cast<char>(0x80 | (c & 0x3F)));
  }
}

// The character of well-formed UTF-8 at `i`, which moves on.
uint32_t NextCharacter(std::string_view text, size_t& i) {
  const uint32_t lead = Byte(text, i++);
  const int more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  uint32_t c = more == 0 ? lead : lead & (0x3FU >> more);
  for (int k = 0; k < more; ++k) c = (c << 6) | (Byte(text, i++) & 0x3F);
  return c;
}

std::optional<std::string> FromUtf16(std::string_view bytes, bool big_endian) {
  if (bytes.size() % 2 != 0) return std::nullopt;
  const auto unit = [&](size_t i) {
    return big_endian ? (Byte(bytes, i) << 8) | Byte(bytes, i + 1) : (Byte(bytes, i + 1) << 8) | Byte(bytes, i);
  };
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 2) {
    uint32_t c = unit(i);
    if (c == 0) return std::nullopt;
    if (c >= 0xD800 && c < 0xE000) {
      const uint32_t low = c < 0xDC00 && i + 2 < bytes.size() ? unit(i + 2) : 0;
      if (low < 0xDC00 || low > 0xDFFF) return std::nullopt;
      c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
      i += 2;
    }
    AppendUtf8(c, text);
  }
  return text;
}

std::string ToUtf16(std::string_view text, bool big_endian) {
  std::string bytes;
  const auto put = [&](uint32_t unit) {
    const char high = static_cast<char>(unit >> 8);
    const char low = static_cast<char>(unit & 0xFF);
    bytes.push_back(big_endian ? high : low);
    bytes.push_back(big_endian ? low : high);
  };
  for (size_t i = 0; i < text.size();) {
    const uint32_t c = NextCharacter(text, i);
    if (c < 0x10000) {
      put(c);
    } else {
      put(0xD800 + ((c - 0x10000) >> 10));
      put(0xDC00 + ((c - 0x10000) & 0x3FF));
    }
  }
  return bytes;
}

bool IsTextByte(char byte) {
  const auto c = static_cast<unsigned char>(byte);
  const bool blank = c >= '\t' && c <= '\r';
  constexpr unsigned char kEscape = 0x1B;
  return (c >= 0x20 || blank || c == kEscape) && c != 0x7F;
}

std::optional<std::string> ToLatin1(std::string_view text) {
  std::string bytes;
  for (size_t i = 0; i < text.size();) {
    const uint32_t c = NextCharacter(text, i);
    if (c > 0xFF) return std::nullopt;
    bytes.push_back(static_cast<char>(c));
  }
  return bytes;
}

}  // namespace

std::string_view EncodingName(Encoding encoding) {
  switch (encoding) {
    case Encoding::kUtf8:
      return "utf-8";
    case Encoding::kUtf8WithBom:
      return "utf-8-bom";
    case Encoding::kUtf16LittleEndian:
      return "utf-16le";
    case Encoding::kUtf16BigEndian:
      return "utf-16be";
    case Encoding::kLatin1:
      break;
  }
  return "iso-8859-1";
}

std::optional<DecodedText> DecodeText(std::string_view bytes) {
  const bool little = bytes.substr(0, 2) == kLittleEndianMark;
  if (little || bytes.substr(0, 2) == kBigEndianMark) {
    std::optional<std::string> text = FromUtf16(bytes.substr(2), !little);
    if (!text.has_value()) return std::nullopt;
    return DecodedText{*std::move(text), little ? Encoding::kUtf16LittleEndian : Encoding::kUtf16BigEndian};
  }
  if (bytes.find('\0') != std::string_view::npos) return std::nullopt;
  if (text::IsWellFormedUtf8(bytes)) {
    const bool marked = bytes.substr(0, kUtf8Mark.size()) == kUtf8Mark;
    return DecodedText{std::string(bytes.substr(marked ? kUtf8Mark.size() : 0)),
                       marked ? Encoding::kUtf8WithBom : Encoding::kUtf8};
  }
  if (!std::all_of(bytes.begin(), bytes.end(), IsTextByte)) return std::nullopt;
  DecodedText decoded;
  decoded.encoding = Encoding::kLatin1;
  for (const char byte : bytes) AppendUtf8(static_cast<unsigned char>(byte), decoded.text);
  return decoded;
}

std::optional<std::string> EncodeText(std::string_view text, Encoding encoding) {
  switch (encoding) {
    case Encoding::kUtf8:
      return std::string(text);
    case Encoding::kUtf8WithBom:
      return std::string(kUtf8Mark).append(text);
    case Encoding::kUtf16LittleEndian:
      return std::string(kLittleEndianMark).append(ToUtf16(text, /*big_endian=*/false));
    case Encoding::kUtf16BigEndian:
      return std::string(kBigEndianMark).append(ToUtf16(text, /*big_endian=*/true));
    case Encoding::kLatin1:
      break;
  }
  return ToLatin1(text);
}

}  // namespace toolgate::executors::files
