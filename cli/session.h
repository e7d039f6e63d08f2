// Environment of a command, and the only way to print results and failures.
#ifndef TOOLGATE_CLI_SESSION_H_
#define TOOLGATE_CLI_SESSION_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "cli/client_options.h"
#include "cli/command.h"
#include "cli/connection.h"
#include "cli/terminal.h"
#include "common/ids.h"
#include "common/json.h"

namespace grpc {
class Status;
}  // namespace grpc

namespace toolgate::cli {

// One run of one command. Not thread-safe.
class Session {
 public:
  // Borrows all arguments.
  Session(const Terminal& terminal, const ClientOptions& options, IdSource& ids, const CommandTable& commands)
      : terminal_(terminal), options_(options), ids_(ids), commands_(commands) {}

  const Terminal& terminal() const { return terminal_; }
  const ClientOptions& options() const { return options_; }
  bool json() const { return options_.json; }
  IdSource& ids() const { return ids_; }
  const CommandTable& commands() const { return commands_; }
  const Connection& connection();

  // Prints a result as one line of compact JSON.
  void PrintJson(const Json& result) const;
  // Prints a result for people. `text` must already be printable.
  void Print(std::string_view text) const;
  // Prints a note for people on the standard error; nothing with --json. Makes the text printable.
  void Note(std::string_view text) const;
  // The same for a question about a call, line by line as the service has written it: texts that it quotes stand behind
  // a bar there, so that none looks like a line of ours.
  void NoteQuestion(std::string_view question) const;
  // Prints a warning on the standard error; with --json {"warning": …}. Makes the text printable.
  void Warn(std::string_view text) const;

  // Print the failure on the standard error (with --json {"error": …}) and return the exit code. `where` names the
  // refused place in the input, if known.
  ExitCode Fail(const grpc::Status& status, std::string_view where = "") const;
  ExitCode Fail(ExitCode code, std::string_view message, std::string_view hint = "") const;

  // Formats a time as "2026-03-02 09:00:00" in the zone of the flags.
  std::string ShowTime(absl::Time time) const;

 private:
  const Terminal& terminal_;
  const ClientOptions& options_;
  IdSource& ids_;
  const CommandTable& commands_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_SESSION_H_
