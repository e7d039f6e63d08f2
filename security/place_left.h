// A call that waits leaves its place to others.
#ifndef TOOLGATE_SECURITY_PLACE_LEFT_H_
#define TOOLGATE_SECURITY_PLACE_LEFT_H_

#include "security/tool_call.h"

namespace toolgate::security {

// Leaves the running place of `call`, if it has one, for as long as this object lives.
class PlaceLeft {
 public:
  explicit PlaceLeft(const ToolCall& call) : place_(call.state.place) {
    if (place_ != nullptr) place_->StepAside();
  }
  ~PlaceLeft() {
    if (place_ != nullptr) place_->StepBack();
  }
  PlaceLeft(const PlaceLeft&) = delete;
  PlaceLeft& operator=(const PlaceLeft&) = delete;

 private:
  RunningPlace* const place_;
};

}  // namespace toolgate::security

#endif  // TOOLGATE_SECURITY_PLACE_LEFT_H_
