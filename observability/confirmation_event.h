// What becomes of a question to a person, for metrics.
#ifndef TOOLGATE_OBSERVABILITY_CONFIRMATION_EVENT_H_
#define TOOLGATE_OBSERVABILITY_CONFIRMATION_EVENT_H_

namespace toolgate::observability {

enum class ConfirmationEvent {
  kRequested,      // A question was stored and asked.
  kAutoApproved,   // A tool that may ask did not, because a role of the caller approves it.
  kApproved,       // Somebody decided so.
  kDenied,         // Somebody decided so.
  kUsed,           // A token let its call through.
  kExpired,        // A token or a decision came too late.
  kRejectedToken,  // A token was not one for its call, or was denied or used already.
};

}  // namespace toolgate::observability

#endif  // TOOLGATE_OBSERVABILITY_CONFIRMATION_EVENT_H_
