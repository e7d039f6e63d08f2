// Text of files in the encodings that files have.
#ifndef TOOLGATE_EXECUTORS_FILES_TEXT_ENCODING_H_
#define TOOLGATE_EXECUTORS_FILES_TEXT_ENCODING_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace toolgate::executors::files {

enum class Encoding { kUtf8, kUtf8WithBom, kUtf16LittleEndian, kUtf16BigEndian, kLatin1, kWindows1252 };

// "utf-8", "utf-8-bom", "utf-16le", "utf-16be", "iso-8859-1", "windows-1252".
std::string_view EncodingName(Encoding encoding);

// The character that a stray byte is shown as, U+FFFD.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// A byte of a UTF-8 file that belongs to no well-formed character.
struct StrayByte {
  size_t at = 0;  // Offset of its kReplacement in the text.
  unsigned char byte = 0;

  bool operator==(const StrayByte&) const = default;
};

struct DecodedText {
  std::string text;  // UTF-8, without a byte-order mark.
  Encoding encoding = Encoding::kUtf8;
  std::vector<StrayByte> strays = {};  // By offset; only of UTF-8.
};

// Nothing when the bytes are not text: a NUL in anything but UTF-16, or control characters that text has not in
// anything that is not well-formed. A byte-order mark decides first; then it is UTF-8 if it is well-formed, or if it
// has so many more UTF-8 characters than stray bytes that no other encoding explains them. Otherwise it has one byte a
// character: Windows-1252 with a byte from 0x80 to 0x9F, ISO 8859-1 without. EncodeText brings the same bytes back.
std::optional<DecodedText> DecodeText(std::string_view bytes);

// Well-formed UTF-8 in an encoding, with its byte-order mark, and with the stray bytes in place of their replacements.
// Nothing when the encoding has no form for a character.
std::optional<std::string> EncodeText(std::string_view text, Encoding encoding,
                                      const std::vector<StrayByte>& strays = {});

// The first character of well-formed UTF-8 that the encoding has no form for; "" when it has one for each.
std::string_view FirstUnencodable(std::string_view text, Encoding encoding);

// The character of a byte in Windows-1252, as UTF-8.
std::string InWindows1252(unsigned char byte);

// "LF", "CRLF", "mixed", or "" of a text without line ends.
std::string_view LineEndsOf(std::string_view text);

}  // namespace toolgate::executors::files

#endif  // TOOLGATE_EXECUTORS_FILES_TEXT_ENCODING_H_
