#include "executors/tool_switch.h"

#include "common/tool_error.h"

namespace toolgate::executors {

Availability AbsentBecause(std::string_view reason) {
  return [refused = MakeError(ErrorCode::kNotConfigured, reason)](const Caller&) { return refused; };
}

}  // namespace toolgate::executors
