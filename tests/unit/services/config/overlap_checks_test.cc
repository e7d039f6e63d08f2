#include "services/config/overlap_checks.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "services/config/config.h"
#include "tests/support/temp_dir.h"

namespace toolgate::services::config {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

class OverlapChecksTest : public ::testing::Test {
 protected:
  // The problems of a configuration, one a line; "" when there is none. "DIR" stands for a temporary folder. Its file
  // is DIR/NAME.
  std::string ProblemsOf(const std::string& yaml, const std::string& name = "toolgate.yaml") const {
    fs::create_directories(fs::path(Path(name)).parent_path());
    std::ofstream(Path(name)) << absl::StrReplaceAll(yaml, {{"DIR", dir_.path()}});
    LoadOptions options;
    options.file = Path(name);
    options.open_files = false;
    options.environment = [](std::string_view) { return std::nullopt; };
    const auto config = Load(options);
    return config.ok() ? "" : std::string(config.status().message());
  }
  std::string Path(const std::string& name) const { return absl::StrCat(dir_.path(), "/", name); }

  const testing::TempDir dir_;
};

TEST_F(OverlapChecksTest, FoldersApartAreFine) {
  fs::create_directories(Path("files"));
  EXPECT_EQ(ProblemsOf("storage: {data_dir: DIR/data}\n"
                       "server: {listen: 'unix:DIR/files.sock'}\n"
                       "files: {root: DIR/files, workspaces: {w: DIR/filesystem}}\n"),
            "");
}

struct Row {
  std::string name;
  std::string yaml;
  std::string line;  // Of files.root or files.workspaces.
  std::vector<std::string> told;
};

TEST_F(OverlapChecksTest, EachOverlapIsToldWithItsLineBothPathsAndTheRemedy) {
  const std::vector<Row> rows = {
      {"the data directory in a workspace",
       "storage: {data_dir: DIR/ws/data}\nfiles: {workspaces: {w: DIR/ws}}\n",
       ":2:",
       {"files.workspaces.w: ", "/ws holds ", "/ws/data, storage.data_dir", "move one out of the other"}},
      {"a workspace in the data directory",
       "storage: {data_dir: DIR/data}\nfiles: {root: DIR/data/files}\n",
       ":2:",
       {"files.root: ", "/data/files lies in ", "/data, storage.data_dir", "move it out of there"}},
      {"one folder for both",
       "storage: {data_dir: DIR/data}\nfiles: {root: DIR/data}\n",
       ":2:",
       {"files.root: ", "storage.data_dir"}},
      {"the default data directory, relative to the working directory",
       absl::StrCat("files:\n  root: ", fs::current_path().string(), "\n"),
       ":2:",
       {"holds data (", "storage.data_dir"}},
      {"the configuration itself",
       "files: {root: DIR}\nstorage: {data_dir: /nowhere/data}\n",
       ":1:",
       {"/toolgate.yaml, the configuration file"}},
      {"a socket",
       "files: {root: DIR/ws}\nserver: {listen: 'unix:DIR/ws/w/socket'}\n",
       ":1:",
       {"/ws/w/socket, server.listen"}},
      {"the HTTP listener's socket",
       "files: {root: DIR/ws}\nhttp: {listen: 'unix:DIR/ws/socket'}\n",
       ":1:",
       {"http.listen"}},
      {"the health listener's socket",
       "files: {root: DIR/ws}\nserver: {health_listen: 'unix:DIR/ws/socket'}\n",
       ":1:",
       {"server.health_listen"}},
      {"a private key",
       "files: {root: DIR/ws}\n"
       "server: {tls: {certificate_file: DIR/c.pem, private_key_file: DIR/ws/k.pem, client_ca_file: DIR/ca.pem}}\n"
       "identity: {services: {s: {certificate_names: [a.b], roles: [guest], workspaces: [w]}}}\n",
       ":1:",
       {"/ws/k.pem, server.tls.private_key_file"}},
      {"a token secret of one of several issuers",
       "files: {root: DIR/ws}\n"
       "identity: {jwt: {issuers: [{issuer: 'https://x', audiences: [t], secret_file: DIR/ws/s, "
       "algorithms: [HS256]}]}}\n",
       ":1:",
       {"/ws/s, identity.jwt.issuers[0].secret_file"}},
      {"the key of a provider",
       "files: {root: DIR/ws}\nchat: {provider: {api_key_file: DIR/ws/key}}\n",
       ":1:",
       {"/ws/key, chat.provider.api_key_file"}},
      {"the folder of images",
       "files: {root: DIR/ws/files}\nimages: {store: {folder: DIR/ws}}\n",
       ":1:",
       {"images.store.folder"}},
      {"a program that the service starts",
       "files: {root: DIR/ws}\ncode_graph: {ctags: DIR/ws/w/ctags}\n",
       ":1:",
       {"/ws/w/ctags, code_graph.ctags"}},
  };
  for (const Row& row : rows) {
    const std::string problems = ProblemsOf(row.yaml);
    EXPECT_THAT(problems, HasSubstr("toolgate.yaml" + row.line)) << row.name;
    for (const std::string& told : row.told) EXPECT_THAT(problems, HasSubstr(told)) << row.name;
  }
}

TEST_F(OverlapChecksTest, LinksHideNothing) {
  fs::create_directories(Path("ws/inner"));
  fs::create_directory_symlink(Path("ws/inner"), Path("data"));
  EXPECT_THAT(ProblemsOf("storage: {data_dir: DIR/data}\nfiles: {root: DIR/ws}\n"),
              AllOf(HasSubstr("/data ("), HasSubstr("/ws/inner), storage.data_dir")));
  fs::create_directories(Path("state"));
  fs::create_directory_symlink(Path("state"), Path("files"));
  EXPECT_THAT(ProblemsOf("storage: {data_dir: DIR/state/not/made/yet}\nfiles: {root: DIR/files}\n"),
              HasSubstr("storage.data_dir"));
  EXPECT_THAT(ProblemsOf("storage: {data_dir: DIR/db}\nfiles: {root: DIR/files, workspaces: {w: DIR/state/w}}\n"),
              HasSubstr("each needs a folder of its own"));
}

}  // namespace
}  // namespace toolgate::services::config
