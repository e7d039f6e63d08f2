#include "executors/cypher/temporal/error.h"

#include "absl/strings/cord.h"
#include "common/absl_bridge.h"

namespace toolgate::executors::cypher::temporal {
namespace {

absl::Status Make(std::string_view detail, std::string_view message) {
  absl::Status status = absl::InvalidArgumentError(ToAbsl(message));
  status.SetPayload(ToAbsl(kDetailUrl), absl::Cord(ToAbsl(detail)));
  return status;
}

}  // namespace

absl::Status InvalidValue(std::string_view message) { return Make("InvalidArgumentValue", message); }

absl::Status InvalidType(std::string_view message) { return Make("InvalidArgumentType", message); }

absl::Status OutOfRange(std::string_view message) { return Make("NumberOutOfRange", message); }

std::string DetailOf(const absl::Status& status) {
  const auto detail = status.GetPayload(ToAbsl(kDetailUrl));
  return detail.has_value() ? std::string(*detail) : "";
}

}  // namespace toolgate::executors::cypher::temporal
