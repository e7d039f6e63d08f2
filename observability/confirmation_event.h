// Events of confirmations, for metrics.
#ifndef TOOLGATE_OBSERVABILITY_CONFIRMATION_EVENT_H_
#define TOOLGATE_OBSERVABILITY_CONFIRMATION_EVENT_H_

namespace toolgate::observability {

enum class ConfirmationEvent {
  kRequested,      // A confirmation was stored and requested.
  kAutoApproved,   // A role of the caller approved the call without a question.
  kApproved,       // A person approved the call.
  kDenied,         // A person denied the call.
  kUsed,           // A token admitted its call.
  kExpired,        // A token or a decision came too late.
  kRejectedToken,  // A token was for another call, or already denied or used.
  kRepeated,       // A token came whose question is not decided yet; the same question was the answer.
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_CONFIRMATION_EVENT_H_
