// Masks text that comes in pieces.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_MASKED_STREAM_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_MASKED_STREAM_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "security/safe_errors/masker.h"

namespace toolgate::security::safe_errors {

// Hands a text on line by line, so that no secret is cut in two by the pieces in which it comes. A private key is held
// back from its first line to its last. A line or key longer than kMaxHeldBytes is cut at a blank, or anywhere when it
// has none. Used by one thread.
class MaskedStream {
 public:
  static constexpr size_t kMaxHeldBytes = size_t{16} << 10;

  // `masker` must outlive the stream.
  explicit MaskedStream(const Masker& masker) : masker_(masker) {}

  // Takes `piece` in, and answers the masked text that is complete, perhaps none.
  std::string Push(std::string_view piece);
  // The masked rest, at the end of the text.
  std::string Finish();

 private:
  // Bytes at the beginning of what is held that can be handed on.
  size_t CompleteBytes() const;

  const Masker& masker_;
  std::string held_;
};

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_MASKED_STREAM_H_
