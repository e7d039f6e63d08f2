#include "cli/restore_command.h"

#include "absl/strings/str_cat.h"
#include "cli/printable.h"
#include "cli/session.h"
#include "common/absl_bridge.h"
#include "storage/backends/restore.h"

namespace toolgate::cli {

CommandInfo RestoreCommand::Info() const {
  return {.name = "restore",
          .purpose = "restore a copy made by `toolgate backup`",
          .details =
              "Stop the service first. The file is checked before anything changes, and the previous database is kept\n"
              "beside the restored one as toolgate.db.before-restore-TIME.",
          .examples = {{"toolgate restore /var/backups/toolgate.db --data-dir /var/lib/toolgate",
                        "replaces the database in that data directory"}},
          .exit_codes = {ExitCode::kLocalFile},
          .client = false};
}

void RestoreCommand::Declare(FlagSet& flags) {
  flags.Argument("FILE", &file_, "copy to restore");
  flags.Value("--data-dir", "DIR", &data_dir_, "data directory of the service").environment = "TOOLGATE_DATA_DIR";
}

ExitCode RestoreCommand::Run(Session& session) {
  const absl::StatusOr<std::string> kept =
      storage::backends::RestoreDatabase(file_, data_dir_, session.terminal().clock.Now());
  if (!kept.ok()) {
    return session.Fail(ExitCode::kLocalFile, FromAbsl(kept.status().message()), "the database is unchanged");
  }
  if (session.json()) {
    session.PrintJson({{"dataDir", data_dir_}, {"kept", *kept}});
    return ExitCode::kOk;
  }
  session.Print(absl::StrCat("restored into ", PrintableLine(data_dir_), "\n"));
  if (!kept->empty()) session.Note(absl::StrCat("the previous database is kept as ", *kept));
  return ExitCode::kOk;
}

}  // namespace toolgate::cli
