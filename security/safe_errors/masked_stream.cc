#include "security/safe_errors/masked_stream.h"

#include <algorithm>
#include <utility>

namespace toolgate::security::safe_errors {
namespace {

// The lines around a private key in PEM (RFC 7468, section 2).
constexpr std::string_view kKeyBegin = "-----BEGIN";
constexpr std::string_view kKeyEnd = "-----END";

// Offset of a key that begins in `text` and does not end there, or npos.
size_t OpenKey(std::string_view text) {
  const size_t begin = text.rfind(kKeyBegin);
  if (begin == std::string_view::npos) return begin;
  const size_t end = text.find(kKeyEnd, begin);
  return end == std::string_view::npos ? begin : std::string_view::npos;
}

}  // namespace

std::string MaskedStream::Push(std::string_view piece) {
  held_ += piece;
  const size_t complete = CompleteBytes();
  if (complete == 0) return "";
  std::string masked = masker_.Mask(std::string_view(held_).substr(0, complete));
  held_.erase(0, complete);
  return masked;
}

std::string MaskedStream::Finish() { return masker_.Mask(std::exchange(held_, "")); }

size_t MaskedStream::CompleteBytes() const {
  const std::string_view held = held_;
  size_t complete = held.rfind('\n') + 1;  // 0 when there is none.
  complete = std::min(complete, OpenKey(held.substr(0, complete)));
  if (held.size() - complete <= kMaxHeldBytes) return complete;
  const size_t blank = held.find_last_of(" \t\r\n");
  return blank == std::string_view::npos || blank < complete ? held.size() : blank + 1;
}

}  // namespace toolgate::security::safe_errors
