// Where blocks come from.
#ifndef TOOLGATE_CLI_BLOCK_SOURCE_H_
#define TOOLGATE_CLI_BLOCK_SOURCE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "toolgate/v1/data_service.pb.h"

namespace toolgate::cli {

// A sequence of blocks, parents before children. Not thread-safe.
class BlockSource {
 public:
  virtual ~BlockSource() = default;

  // Fills `block` with the next one and answers whether there was one. An error names the place; it cannot be read
  // past.
  virtual absl::StatusOr<bool> Next(v1::PortableBlock& block) = 0;

  // Where the latest block came from, for people: "line 17", "notes/plan.md".
  virtual std::string Place() const = 0;

  // How much of the source has been read, 0 to 1; negative where unknown.
  virtual double Fraction() const = 0;

  // What was passed over so far and why: "notes/a.md: not UTF-8".
  virtual std::vector<std::string> Warnings() const { return {}; }
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_BLOCK_SOURCE_H_
