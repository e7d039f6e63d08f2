// Lines of a stream, bounded.
#ifndef TOOLGATE_CLI_LINE_READER_H_
#define TOOLGATE_CLI_LINE_READER_H_

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace toolgate::cli {

// Not thread-safe. Borrows the stream.
class LineReader {
 public:
  LineReader(std::istream& in, size_t max_line_bytes);

  // Moves to the next line and answers whether there is one. RESOURCE_EXHAUSTED when it is longer than the bound,
  // DATA_LOSS when the stream cannot be read; neither can be read past.
  absl::StatusOr<bool> Next();

  // The line, without "\n" or "\r\n"; valid until the next call of Next.
  std::string_view line() const { return line_; }
  // From 1.
  int64_t number() const { return number_; }
  // Bytes consumed, up to and with this line.
  int64_t offset() const { return offset_; }
  // Whether the next line may have to be waited for: a good moment to flush.
  bool MayBlock() const;

 private:
  // Reads what the stream has; false at its end.
  absl::StatusOr<bool> Fill();

  std::istream& in_;
  const size_t max_line_bytes_;
  std::string buffer_;
  size_t next_ = 0;  // In buffer_: where the next line begins.
  std::string_view line_;
  int64_t number_ = 0;
  int64_t offset_ = 0;
  bool at_end_ = false;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_LINE_READER_H_
