// Blocks as JSON Lines: {"id"?, "type", "parentId"?, "data", "links"?} on each, or {"id"?, "links"} with further links
// of a block that came before.
#ifndef TOOLGATE_INTERCHANGE_JSONL_BLOCK_LINES_H_
#define TOOLGATE_INTERCHANGE_JSONL_BLOCK_LINES_H_

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

#include "interchange/block_source.h"
#include "interchange/jsonl/line_reader.h"

namespace toolgate::interchange::jsonl {

// Reads them. Skips empty lines. Borrows the stream.
class BlockLines final : public BlockSource {
 public:
  // `total_bytes` of the stream, for Fraction; 0 if unknown.
  BlockLines(std::istream& in, int64_t total_bytes);

  // INVALID_ARGUMENT names the line and the problem.
  absl::StatusOr<bool> Next(v1::PortableBlock& block) override;
  std::string Place() const override;
  double Fraction() const override;

 private:
  LineReader reader_;
  const int64_t total_bytes_;
};

// One line, without its end.
absl::StatusOr<v1::PortableBlock> ParseBlockLine(std::string_view line);

// The line for `block`, with its end. Terminal control characters are not escaped.
std::string FormatBlockLine(const v1::PortableBlock& block);

}  // namespace toolgate::interchange::jsonl

#endif  // TOOLGATE_INTERCHANGE_JSONL_BLOCK_LINES_H_
