// Addresses in markup, as a browser reads them.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_URL_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_URL_H_

#include <string>
#include <string_view>

namespace toolgate::executors::artifacts::checks {

enum class UrlKind {
  kEmpty,
  kFragment,   // "#part": in the document itself.
  kRelative,   // Beside the document.
  kWeb,        // http, https, ws, wss, ftp, or "//host": another host.
  kDataImage,  // data: of a raster image, font, audio or video, which runs nothing.
  kDataSvg,    // data: of an SVG image, which runs scripts only where it is opened as a document.
  kContact,    // mailto, tel, sms.
  kScript,     // javascript, vbscript, and data: of a type that may run: what is behind it is executed.
  kOther,      // blob, file and all other schemes.
};

struct Url {
  UrlKind kind = UrlKind::kEmpty;
  std::string host;  // Of kWeb: in lower case, without user and port.
};

// `value` is an attribute's value with its character references resolved. As the URL Standard has it, blanks and
// control characters at both ends and tabs and line breaks anywhere are ignored, schemes are case-insensitive, and "\"
// is "/".
Url ReadUrl(std::string_view value);

}  // namespace toolgate::executors::artifacts::checks

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_URL_H_
