// The way in for text from outside the workspace.
#ifndef TOOLGATE_SERVICES_EXECUTION_OUTSIDE_TEXT_H_
#define TOOLGATE_SERVICES_EXECUTION_OUTSIDE_TEXT_H_

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/clock.h"
#include "security/injection_defence/untrusted_output.h"
#include "security/outside_text_receiver.h"
#include "security/provenance/provenance.h"
#include "security/scanned_texts.h"
#include "security/tool_call.h"

namespace toolgate::services::execution {

// Receives the results that tools bring in from outside. Borrows everything; thread-safe.
class OutsideText final : public security::OutsideTextReceiver {
 public:
  using Effort = security::injection_defence::Effort;

  OutsideText(const security::injection_defence::UntrustedOutput& scanner,
              const security::provenance::Provenance& provenance, const Clock& clock)
      : scanner_(scanner), provenance_(provenance), clock_(clock) {}

  // Scans `result`, notes in `call` what layer 1 finds, gives the data marks of its own to stand between, and marks the
  // conversation, durably, when it is not marked yet. Never in a transaction, which would hold up all others.
  absl::Status Receive(security::ToolCall& call, security::ToolResult& result) const;
  absl::Status ReceiveError(security::ToolCall& call, std::string_view message) const override;

  // The same in a transaction, which marks the conversation by itself and does not scan: notes what `texts` has of the
  // result, from which it may be missing.
  void ReceiveIn(security::ScannedTexts& texts, security::ToolCall& call, security::ToolResult& result) const;
  // Scans the missing texts. Cannot fail, however long they are or whatever they hold.
  void ScanMissing(security::ScannedTexts& texts) const;

  // The two parts of Receive that hold for text which comes in pieces as well: layer 1's findings in `text`, whose path
  // is `path`; and the durable mark of the conversation.
  std::vector<security::Finding> Find(std::string_view text, std::string_view path,
                                      Effort effort = Effort::kAllReadings) const;
  absl::Status MarkConversation(security::ToolCall& call) const;

 private:
  // Notes the findings in `text`, and marks the conversation.
  absl::Status Note(security::ToolCall& call, std::string_view text, std::string_view path) const;

  const security::injection_defence::UntrustedOutput& scanner_;
  const security::provenance::Provenance& provenance_;
  const Clock& clock_;
};

}  // namespace toolgate::services::execution

#endif  // TOOLGATE_SERVICES_EXECUTION_OUTSIDE_TEXT_H_
