#include "storage/fault.h"

#include "absl/strings/cord.h"
#include "common/tool_error.h"

namespace toolgate::storage {
namespace {

constexpr char kMark[] = "type.googleapis.com/toolgate.storage.Fault";

}  // namespace

absl::Status MarkFault(absl::Status status) {
  if (!status.ok() && !GetToolError(status).has_value()) status.SetPayload(kMark, absl::Cord());
  return status;
}

bool IsFault(const absl::Status& status) { return status.GetPayload(kMark).has_value(); }

}  // namespace toolgate::storage
