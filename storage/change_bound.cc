#include "storage/change_bound.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/tool_error.h"

namespace toolgate::storage {
namespace {

absl::Status Refusal(std::string message) {
  ToolError error;
  error.code = ErrorCode::kQuotaExceeded;
  error.message = std::move(message);
  error.facts = {{"maxChanges", absl::StrCat(kMaxChangedThings)}};
  return ToStatus(error);
}

}  // namespace

absl::Status TooMuchInOneChange() {
  return Refusal(absl::StrCat("one change touches at most ", kMaxChangedThings,
                              " blocks, links and documents, and this one would touch more; make it in smaller parts"));
}

absl::Status CheckChangeFits(const DeletionSize& size, const Block& block) {
  if (size.blocks < kMaxChangedThings) return absl::OkStatus();
  return Refusal(absl::StrCat("deleting block ", block.id, " with ", size.counted_out ? "the " : "more than ",
                              size.blocks, " blocks below it is too much for one change, which touches at most ",
                              kMaxChangedThings, " blocks; delete what is below it first, in smaller parts"));
}

}  // namespace toolgate::storage
