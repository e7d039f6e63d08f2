#include "cli/inspect_command.h"

#include <fstream>

#include "absl/strings/str_cat.h"
#include "cli/session.h"
#include "common/absl_bridge.h"
#include "common/text/visible_text.h"
#include "interchange/jsonl/line_reader.h"

namespace toolgate::cli {
namespace {

constexpr size_t kMaxLine = size_t{64} << 20;

}  // namespace

CommandInfo InspectCommand::Info() const {
  return {.name = absl::StrCat("inspect ", inspection_.name),
          .purpose = inspection_.purpose,
          .details = absl::StrCat(inspection_.details, inspection_.details.empty() ? "" : "\n",
                                  "Reads JSON Lines and writes one verdict for each immediately. Needs no service."),
          .examples = {{absl::StrCat("echo '", inspection_.example_line, "' | toolgate inspect ", inspection_.name),
                        "one line, one verdict"}},
          .exit_codes = {ExitCode::kLocalFile},
          .client = false};
}

void InspectCommand::Declare(FlagSet& flags) {
  flags.Argument("FILE", &file_, "file with JSON Lines; \"-\" is the standard input", false);
}

ExitCode InspectCommand::Run(Session& session) {
  const Terminal& terminal = session.terminal();
  std::ifstream file;
  if (file_ != "-") {
    file.open(file_, std::ios::binary);
    if (!file) return session.Fail(ExitCode::kLocalFile, absl::StrCat("cannot read the file ", file_));
  }
  const absl::StatusOr<LineInspector> inspect = inspection_.make();
  if (!inspect.ok()) return session.Fail(ExitCode::kServiceFault, FromAbsl(inspect.status().message()));
  interchange::jsonl::LineReader reader(file_ == "-" ? terminal.in : file, kMaxLine);
  while (true) {
    const absl::StatusOr<bool> more = reader.Next();
    if (!more.ok()) return session.Fail(ExitCode::kLocalFile, FromAbsl(more.status().message()));
    if (!*more) return ExitCode::kOk;
    if (reader.line().find_first_not_of(" \t") == std::string_view::npos) continue;
    terminal.out << text::VisibleJson((*inspect)(reader.line())) << '\n';
    if (reader.MayBlock()) terminal.out.flush();
    if (!terminal.out.good()) return ExitCode::kLocalFile;
  }
}

CommandInfo InspectOverviewCommand::Info() const {
  return {.name = "inspect",
          .purpose = "try one security layer on its own",
          .details = "Uses the same code as the service. Meant for tuning.",
          .examples = {{"toolgate help inspect", "lists the layers"}},
          .exit_codes = {},
          .client = false};
}

ExitCode InspectOverviewCommand::Run(Session& session) {
  return session.Fail(ExitCode::kUsage, "the layer to inspect is missing", "`toolgate help inspect` lists them");
}

}  // namespace toolgate::cli
