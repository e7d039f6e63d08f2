#ifndef TOOLGATE_CLI_DATA_COMMANDS_H_
#define TOOLGATE_CLI_DATA_COMMANDS_H_

#include <grpcpp/support/status.h>

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "cli/command.h"
#include "interchange/block_source.h"
#include "toolgate/v1/data_service.pb.h"

namespace toolgate::cli {

// `toolgate import FILE|FOLDER`.
class ImportCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  ExitCode RunMarkdown(Session& session) const;
  ExitCode RunIcal(Session& session) const;
  ExitCode RunLines(Session& session) const;
  ExitCode RunFrom(interchange::BlockSource& source, Session& session) const;

  std::string source_;
  std::string under_;
  bool ics_ = false;
};

// `toolgate export FILE|FOLDER`.
class ExportCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  struct Outcome {
    int64_t exported = 0;  // Blocks received.
    absl::Status local;    // Failure in this process.
    grpc::Status rpc;      // Status of the RPC.
  };
  using Use = std::function<absl::Status(const v1::PortableBlock&)>;

  ExitCode RunLines(Session& session) const;
  ExitCode RunMarkdown(Session& session) const;
  ExitCode RunIcal(Session& session) const;
  // Passes each block to `use` until that fails.
  Outcome Receive(Session& session, bool progress_wanted, const Use& use) const;

  std::string target_;
  std::string under_;
  bool markdown_ = false;
  bool ics_ = false;
  bool force_ = false;
};

// `toolgate backup FILE`.
class BackupCommand final : public Command {
 public:
  CommandInfo Info() const override;
  void Declare(FlagSet& flags) override;
  ExitCode Run(Session& session) override;

 private:
  std::string file_;
  bool force_ = false;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_DATA_COMMANDS_H_
