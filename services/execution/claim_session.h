// An effect's session: the claim that its handler acts under.
#ifndef TOOLGATE_SERVICES_EXECUTION_CLAIM_SESSION_H_
#define TOOLGATE_SERVICES_EXECUTION_CLAIM_SESSION_H_

#include <string>
#include <string_view>
#include <utility>

#include "executors/effect_session.h"
#include "security/tool_call.h"
#include "services/execution/environment.h"
#include "services/execution/output_stream.h"

namespace toolgate::services::execution {

// Time for which a claim holds beyond the end of its call.
inline constexpr absl::Duration kClaimGrace = absl::Seconds(30);

// The end of a claim that is made or renewed at `now`.
absl::Time ClaimEnd(const security::ToolCall& call, absl::Time now);

// EffectSession::Wait for `call`, which leaves its running place meanwhile.
absl::StatusOr<bool> WaitFor(const Environment& environment, const security::ToolCall& call, fibers::Event& event,
                             absl::Duration timeout);

// Moves the end of a claim that this process owns to `good_until`, unless it is later already, and leaves the
// checkpoint as it is. False when the claim is another process's, or gone.
absl::StatusOr<bool> ExtendClaim(storage::Transaction& tx, std::string_view id, const storage::ClaimHold& hold,
                                 absl::Time good_until);

// Borrows the environment and the call; used by one thread at a time.
class ClaimSession final : public executors::EffectSession {
 public:
  // `claimed`: the call has a claim, which this process owns. `checkpoint`: its state so far.
  ClaimSession(const Environment& environment, security::ToolCall& call, bool claimed, std::string checkpoint = "")
      : environment_(environment),
        call_(call),
        claimed_(claimed),
        approved_state_(ApprovedState(call)),
        checkpoint_(std::move(checkpoint)),
        output_(environment, call) {}

  absl::Status Read(absl::FunctionRef<absl::Status(storage::ReadView&)> body) override;
  std::string_view key() const override { return call_.audit_entry_id; }
  std::string_view checkpoint() const override { return checkpoint_; }
  absl::Status Checkpoint(std::string state) override;
  absl::Status CheckState(absl::FunctionRef<absl::StatusOr<std::string>()> present) override;
  absl::StatusOr<bool> Wait(fibers::Event& event, absl::Duration timeout) override;
  absl::Status Output(std::string_view channel, std::string_view bytes) override {
    return output_.Push(channel, bytes);
  }

  // Whether the handler has sent output.
  bool sent_output() const { return output_.used(); }

 private:
  // The digest that the handler has to compare, of an effect; empty if there is none.
  static std::string ApprovedState(const security::ToolCall& call);

  const Environment& environment_;
  const security::ToolCall& call_;
  const bool claimed_;
  const std::string approved_state_;
  bool state_checked_ = false;
  std::string checkpoint_;
  OutputStream output_;
};

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_CLAIM_SESSION_H_
