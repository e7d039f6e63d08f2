// Source of the blocks of an import.
#ifndef TOOLGATE_INTERCHANGE_BLOCK_SOURCE_H_
#define TOOLGATE_INTERCHANGE_BLOCK_SOURCE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "toolgate/v1/data_service.pb.h"

namespace toolgate::interchange {

// A sequence of blocks, parents before children. Not thread-safe.
class BlockSource {
 public:
  virtual ~BlockSource() = default;

  // Fills `block` with the next one and returns whether there was one. An error names the place and is final.
  virtual absl::StatusOr<bool> Next(v1::PortableBlock& block) = 0;

  // Place of the latest block, for people: "line 17", "notes/plan.md".
  virtual std::string Place() const = 0;

  // Share of the source that has been read, 0 to 1; negative if unknown.
  virtual double Fraction() const = 0;

  // Skipped content with the reason, so far: "notes/a.md: not UTF-8".
  virtual std::vector<std::string> Warnings() const { return {}; }
};

}  // namespace toolgate::interchange

#endif  // TOOLGATE_INTERCHANGE_BLOCK_SOURCE_H_
