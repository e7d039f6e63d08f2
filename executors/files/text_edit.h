// Replaces a text in a file's text, and leaves every byte around it as it is.
#ifndef TOOLGATE_EXECUTORS_FILES_TEXT_EDIT_H_
#define TOOLGATE_EXECUTORS_FILES_TEXT_EDIT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "executors/files/text_encoding.h"

namespace toolgate::executors::files {

// The text in which a caller's `wanted` is looked for. A text without carriage returns is one of lines, whatever ends
// them: it is found where the file has CRLF, too. Borrows both.
class LineView {
 public:
  LineView(std::string_view text, std::string_view wanted);

  std::string_view text() const { return joined_.empty() ? text_ : std::string_view(joined_); }
  // The offset in the file's text of an offset in this one; of a line end, that of its first byte.
  size_t Origin(size_t at) const;

 private:
  std::string_view text_;
  std::string joined_;         // With "\n" for each "\r\n"; empty when that is the text as it is.
  std::vector<size_t> pairs_;  // Offsets in `joined_` of line ends that have two bytes in the file.
};

// Replaces each occurrence of `from`, without overlaps, by `to`. Only what differs between the two is changed: the
// beginning and the end that they share keep their bytes. Where neither has a carriage return, each line end that is
// put in is one such as the file has there. INVALID_PARAMS at the argument `newText` when the file's encoding has no
// form for a character of `to`, when it moves or copies a stray byte, or when the bytes that come out would be read as
// another text.
absl::StatusOr<DecodedText> ReplaceText(const DecodedText& file, const LineView& view, std::string_view from,
                                        std::string_view to);

}  // namespace toolgate::executors::files

#endif  // TOOLGATE_EXECUTORS_FILES_TEXT_EDIT_H_
