#ifndef TOOLGATE_CLI_AUDIT_COMMANDS_H_
#define TOOLGATE_CLI_AUDIT_COMMANDS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cli/command.h"
#include "toolgate/v1/audit_service.pb.h"

namespace toolgate::cli {

// `toolgate audit`: searches the log.
class AuditCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  absl::StatusOr<v1::SearchEntriesRequest> MakeRequest(Session& session) const;

  std::string block_;
  std::string by_;
  std::string tool_;
  std::string in_conversation_;
  std::string request_;
  std::string text_;
  std::string since_;
  std::string until_;
  bool ai_only_ = false;
  bool with_findings_ = false;
  std::string finding_;
  bool succeeded_ = false;
  bool failed_ = false;
  int64_t limit_ = 50;
};

// `toolgate audit show ENTRY`.
class AuditShowCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  std::string entry_;
};

// `toolgate audit verify`: recomputes the hash chain.
class AuditVerifyCommand final : public Command {
 public:
  CommandInfo Info() const override;
  ExitCode Run(Session& session) override;
};

// Parses "2026-03-02T09:00:00Z", "2026-03-02" or "2026-03-02 09:00" in `zone`, or an age before `now` ("90m").
absl::StatusOr<absl::Time> ParseWhen(const std::string& text, absl::TimeZone zone, absl::Time now);

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_AUDIT_COMMANDS_H_
