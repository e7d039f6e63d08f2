// Reads lines of limited length from a stream.
#ifndef TOOLGATE_INTERCHANGE_JSONL_LINE_READER_H_
#define TOOLGATE_INTERCHANGE_JSONL_LINE_READER_H_

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace toolgate::interchange::jsonl {

// Not thread-safe. Borrows the stream.
class LineReader {
 public:
  LineReader(std::istream& in, size_t max_line_bytes);

  // Moves to the next line and returns whether there is one. RESOURCE_EXHAUSTED if it is too long, DATA_LOSS if the
  // stream cannot be read; both are final.
  absl::StatusOr<bool> Next();

  // The current line, without "\n" or "\r\n"; valid until the next call of Next.
  std::string_view line() const { return line_; }
  // Number of the current line, starting at 1.
  int64_t number() const { return number_; }
  // Bytes consumed, including the current line.
  int64_t offset() const { return offset_; }
  // True if Next may have to wait for input: a good moment to flush output.
  bool MayBlock() const;

 private:
  // Reads available input; false at the end of the stream.
  absl::StatusOr<bool> Fill();

  std::istream& in_;
  const size_t max_line_bytes_;
  std::string buffer_;
  size_t next_ = 0;  // Offset of the next line in buffer_.
  std::string_view line_;
  int64_t number_ = 0;
  int64_t offset_ = 0;
  bool at_end_ = false;
};

}  // namespace toolgate::interchange::jsonl

#endif  // TOOLGATE_INTERCHANGE_JSONL_LINE_READER_H_
