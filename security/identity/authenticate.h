// The step of the pipeline that turns a claim into a caller.
#ifndef TOOLGATE_SECURITY_IDENTITY_AUTHENTICATE_H_
#define TOOLGATE_SECURITY_IDENTITY_AUTHENTICATE_H_

#include "security/identity/identity.h"
#include "security/layer.h"

namespace toolgate::security::identity {

// Sets call.caller from the principal and the claim. A step of an automation has its parent's caller already and is let
// through.
class Authenticate final : public Layer {
 public:
  // Borrows `identity`.
  explicit Authenticate(Identity& identity) : identity_(identity) {}

  std::string_view name() const override { return "authenticate"; }
  absl::StatusOr<ToolResult> Run(ToolCall& call, Next next) override;

 private:
  Identity& identity_;
};

}  // namespace toolgate::security::identity

#endif  // TOOLGATE_SECURITY_IDENTITY_AUTHENTICATE_H_
