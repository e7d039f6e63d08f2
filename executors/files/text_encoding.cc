#include "executors/files/text_encoding.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "common/text/utf8.h"

namespace toolgate::executors::files {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::string_view kLittleEndianMark = "\xFF\xFE";
constexpr std::string_view kBigEndianMark = "\xFE\xFF";

// The characters of the bytes from 0x80 on, as the Encoding Standard has them: a byte that Windows leaves open is the
// control character of its number, so that every byte has a character of its own.
constexpr std::array<uint32_t, 32> kWindows1252 = {0x20AC, 0x0081, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
                                                   0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008D, 0x017D, 0x008F,
                                                   0x0090, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
                                                   0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x009D, 0x017E, 0x0178};
constexpr uint32_t kFirstOfTable = 0x80;
constexpr uint32_t kFirstBeyondTable = 0xA0;

// Signs of Windows-1252 that follow a capital letter in ordinary text (MENÜ“, CAFÉ») and look like UTF-8 then.
constexpr std::string_view kSignsAfterCapitals =
    "\x82\x84\x85\x8B\x91\x92\x93\x94\x95\x96\x97\x9B\xA0\xA1\xAB\xB0\xB4\xB7\xBB\xBF";
// The leads of most UTF-8 in Latin script, which are of letters that hardly end a word in capitals.
constexpr unsigned char kLastLatinLead = 0xC3;
constexpr unsigned char kLastLeadOfTwo = 0xDF;
// A character of several bytes is hardly an accident; so many stray bytes beside it still are.
constexpr size_t kWeightOfCharacter = 4;

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

// The length of the well-formed character at `i`, or 0.
size_t CharacterLength(std::string_view bytes, size_t i) {
  const uint32_t lead = Byte(bytes, i);
  const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  const std::string_view character = bytes.substr(i, length);
  return character.size() == length && text::IsWellFormedUtf8(character) ? length : 0;
}

bool MayBeAccident(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  return lead > kLastLatinLead && lead <= kLastLeadOfTwo &&
         kSignsAfterCapitals.find(character.back()) != std::string_view::npos;
}

// Whether ill-formed bytes are UTF-8 with stray bytes in it, rather than an encoding of one byte a character.
bool IsMostlyUtf8(std::string_view bytes) {
  size_t evidence = 0;
  size_t strays = 0;
  for (size_t i = 0; i < bytes.size();) {
    const size_t length = CharacterLength(bytes, i);
    if (length > 1) evidence += MayBeAccident(bytes.substr(i, length)) ? 1 : kWeightOfCharacter;
    if (length == 0) ++strays;
    i += std::max(length, size_t{1});
  }
  return evidence > strays;
}

DecodedText FromUtf8(std::string_view bytes, Encoding encoding) {
  DecodedText decoded;
  decoded.encoding = encoding;
  for (size_t i = 0; i < bytes.size();) {
    const size_t length = CharacterLength(bytes, i);
    if (length == 0) decoded.strays.push_back({decoded.text.size(), static_cast<unsigned char>(bytes[i])});
    decoded.text.append(length == 0 ? kReplacement : bytes.substr(i, length));
    i += std::max(length, size_t{1});
  }
  return decoded;
}

std::string ToUtf8(std::string_view text, std::string_view mark, const std::vector<StrayByte>& strays) {
  std::string bytes(mark);
  size_t copied = 0;
  for (const StrayByte& stray : strays) {
    bytes.append(text.substr(copied, stray.at - copied));
    bytes.push_back(static_cast<char>(stray.byte));
    copied = stray.at + kReplacement.size();
  }
  return bytes.append(text.substr(copied));
}

bool IsInTable(uint32_t c) { return c >= kFirstOfTable && c < kFirstBeyondTable; }

uint32_t CharacterOf(unsigned char byte) { return IsInTable(byte) ? kWindows1252[byte - kFirstOfTable] : byte; }

DecodedText FromSingleBytes(std::string_view bytes) {
  DecodedText decoded;
  const bool windows =
      std::any_of(bytes.begin(), bytes.end(), [](char c) { return IsInTable(static_cast<unsigned char>(c)); });
  decoded.encoding = windows ? Encoding::kWindows1252 : Encoding::kLatin1;
  for (const char c : bytes) AppendUtf8(CharacterOf(static_cast<unsigned char>(c)), decoded.text);
  return decoded;
}

std::optional<unsigned char> ToSingleByte(uint32_t c, Encoding encoding) {
  if (c <= 0xFF && !IsInTable(c)) return static_cast<unsigned char>(c);
  // With a byte below, the file would be read as Windows-1252.
  if (encoding == Encoding::kLatin1) return std::nullopt;
  const auto* const found = std::find(kWindows1252.begin(), kWindows1252.end(), c);
  if (found == kWindows1252.end()) return std::nullopt;
  return static_cast<unsigned char>(kFirstOfTable + static_cast<uint32_t>(found - kWindows1252.begin()));
}

bool HasSingleBytes(Encoding encoding) { return encoding == Encoding::kLatin1 || encoding == Encoding::kWindows1252; }

std::optional<std::string> ToSingleBytes(std::string_view text, Encoding encoding) {
  std::string bytes;
  for (size_t i = 0; i < text.size();) {
    const std::optional<unsigned char> byte = ToSingleByte(NextCharacter(text, i), encoding);
    if (!byte.has_value()) return std::nullopt;
    bytes.push_back(static_cast<char>(*byte));
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
    case Encoding::kWindows1252:
      return "windows-1252";
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
  const bool marked = bytes.substr(0, kUtf8Mark.size()) == kUtf8Mark;
  const Encoding utf8 = marked ? Encoding::kUtf8WithBom : Encoding::kUtf8;
  const std::string_view rest = bytes.substr(marked ? kUtf8Mark.size() : 0);
  if (text::IsWellFormedUtf8(rest)) return DecodedText{std::string(rest), utf8};
  if (!std::all_of(rest.begin(), rest.end(), IsTextByte)) return std::nullopt;
  return marked || IsMostlyUtf8(rest) ? FromUtf8(rest, utf8) : FromSingleBytes(rest);
}

std::optional<std::string> EncodeText(std::string_view text, Encoding encoding, const std::vector<StrayByte>& strays) {
  switch (encoding) {
    case Encoding::kUtf8:
      return ToUtf8(text, "", strays);
    case Encoding::kUtf8WithBom:
      return ToUtf8(text, kUtf8Mark, strays);
    case Encoding::kUtf16LittleEndian:
      return std::string(kLittleEndianMark).append(ToUtf16(text, /*big_endian=*/false));
    case Encoding::kUtf16BigEndian:
      return std::string(kBigEndianMark).append(ToUtf16(text, /*big_endian=*/true));
    case Encoding::kLatin1:
    case Encoding::kWindows1252:
      break;
  }
  return ToSingleBytes(text, encoding);
}

std::string_view FirstUnencodable(std::string_view text, Encoding encoding) {
  if (!HasSingleBytes(encoding)) return "";
  for (size_t i = 0; i < text.size();) {
    const size_t from = i;
    if (!ToSingleByte(NextCharacter(text, i), encoding).has_value()) return text.substr(from, i - from);
  }
  return "";
}

std::string InWindows1252(unsigned char byte) {
  std::string character;
  AppendUtf8(CharacterOf(byte), character);
  return character;
}

std::string_view LineEndsOf(std::string_view text) {
  const auto feeds = std::count(text.begin(), text.end(), '\n');
  int64_t pairs = 0;
  for (size_t at = text.find("\r\n"); at != std::string_view::npos; at = text.find("\r\n", at + 2)) ++pairs;
  if (feeds == 0) return "";
  return pairs == 0 ? "LF" : pairs == feeds ? "CRLF" : "mixed";
}

}  // namespace toolgate::executors::files
