// Text of files in the encodings that files have.
#ifndef TOOLGATE_EXECUTORS_FILES_TEXT_ENCODING_H_
#define TOOLGATE_EXECUTORS_FILES_TEXT_ENCODING_H_

#include <optional>
#include <string>
#include <string_view>

namespace toolgate::executors::files {

enum class Encoding { kUtf8, kUtf8WithBom, kUtf16LittleEndian, kUtf16BigEndian, kLatin1 };

// "utf-8", "utf-8-bom", "utf-16le", "utf-16be", "iso-8859-1".
std::string_view EncodingName(Encoding encoding);

struct DecodedText {
  std::string text;  // UTF-8, without a byte-order mark.
  Encoding encoding = Encoding::kUtf8;
};

// Nothing when the bytes are not text. A byte-order mark decides first; then it is UTF-8 if it is well-formed and has
// no NUL; otherwise ISO 8859-1, if there are no control characters that text has not. Encode brings the same bytes
// back.
std::optional<DecodedText> DecodeText(std::string_view bytes);

// Well-formed UTF-8 in an encoding, with its byte-order mark. Nothing when it has no form for a character.
std::optional<std::string> EncodeText(std::string_view text, Encoding encoding);

}  // namespace toolgate::executors::files

#endif  // TOOLGATE_EXECUTORS_FILES_TEXT_ENCODING_H_
