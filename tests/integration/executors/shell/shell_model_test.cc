// Comparison of what is kept of shell commands with a plain run of the same commands: random small trees and changes.
//
// Files of the tree have one name each, since hard links become files of their own, and folders keep their owner's
// rights, since a plain run by root would need none.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "executors/files/settings.pb.h"
#include "gtest/gtest.h"
#include "tests/support/folder_listing.h"
#include "tests/support/sandbox_run.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;
using testing::ListFolder;
using testing::TestServer;

constexpr int kCalls = 250;
constexpr int kTreesOfACall = 4;
constexpr int kMaxCommands = 6;

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  // Makes a tree in the present folder. It has what commands meet: files, empty ones among them, folders and links.
  std::string Tree() {
    std::string script = "mkdir -p d/e f; ";
    for (const char* file : {"a", "b", "d/a", "d/b", "d/e/a", "f/a"}) {
      if (Below(5) > 0) absl::StrAppend(&script, "echo ", file, " > ", file, "; chmod ", Mode(), " ", file, "; ");
    }
    if (Below(2) == 0) absl::StrAppend(&script, "ln -s ", Pick({"a", "d", "../a", "none"}), " l; ");
    if (Below(3) == 0) absl::StrAppend(&script, "ln -s ../b d/l; ");
    if (Below(3) == 0) script += "touch empty; ";
    return script;
  }
  std::string Commands() {
    std::string script;
    for (int count = 1 + Below(kMaxCommands); count > 0; --count) absl::StrAppend(&script, Command(), "; ");
    return script;
  }

 private:
  std::string Command() {
    static const auto* const kForms = new std::vector<std::string>{
        "echo $N > $P",
        "echo $N >> $P",
        "touch $P",
        "rm -f $P",
        "rm -rf $P",
        "rm -rf $P; mkdir $P",
        "mkdir -p $P",
        "mkdir $P; echo $N > $P/a",
        "rmdir $P",
        "chmod $M $P",
        "mv -T $P $Q",
        "mv $P $Q",
        "ln $P $Q",
        "ln -f $P $Q",
        "ln $P $Q; echo $N > $Q",
        "ln -sfn $T $P",
        "cp -r $P t; mv t $Q",
        "sed -i s/none/x/ $P",
        "sed -i s/a/$N/ $P",
        "truncate -s 3 $P",
        "echo $N > t; mv t $P",
        "cp $P t; mv -T t $P",
        "rm -rf $P; echo $N > $P",
        "rm -rf d; mkdir -p d/e; echo $N > d/e/b",
        "mv -T d t; mv -T t d",
        "perl -e 'rename(\"$P\", \"$Q\")'",
        "perl -e 'rename(\"d\", \"$Q\")'",
        "perl -e 'rename(\"d\", \"t\"); rename(\"t\", \"f/$N\")'",
        "find $P -type f -exec touch {} +",
    };
    const std::string form = (*kForms)[static_cast<size_t>(Below(static_cast<int>(kForms->size())))];
    const std::string command = absl::StrReplaceAll(form, {{"$N", absl::StrCat("n", Below(100))},
                                                           {"$P", Path()},
                                                           {"$Q", Path()},
                                                           {"$M", Pick({"700", "711", "744", "750", "755"})},
                                                           {"$T", Pick({"a", "d", "d/e", "../a", "none"})}});
    return absl::StrCat("{ ", command, "; } 2>/dev/null");
  }
  std::string Path() { return Pick({"a", "b", "c", "d", "d/a", "d/b", "d/c", "d/e", "d/e/a", "f", "f/a", "l", "d/l"}); }
  std::string Mode() { return Pick({"600", "640", "644", "700", "755"}); }
  std::string Pick(const std::vector<std::string>& choices) {
    return choices[static_cast<size_t>(Below(static_cast<int>(choices.size())))];
  }
  int Below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }

  std::mt19937 random_;
};

class ShellModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TOOLGATE_NEEDS_SANDBOX(geteuid());
    fs::create_directories(kept());
    fs::create_directories(plain());
    server_ = std::make_unique<TestServer>([&](config::v1::Config& config) {
      config.mutable_families()->MutableExtension(executors::files::FilesSettings::files)->set_root(dir_.path());
      config.mutable_rate_limiting()->set_enforcement(config::v1::ENFORCEMENT_REPORT);
    });
  }

  std::string kept() const { return dir_.path() + "/w"; }
  std::string plain() const { return dir_.path() + "/plain"; }

  void RunPlainly(const std::string& folder, const std::string& script) const {
    const std::string file = dir_.path() + "/script";
    std::ofstream(file) << "cd " << folder << "\n" << script << "\ntrue\n";
    ASSERT_EQ(std::system(("bash " + file).c_str()), 0);  // NOLINT(cert-env33-c): the test's own script.
  }
  v1::ToolResult Run(const std::string& command) {
    v1::ExecuteRequest request = TestServer::Request("Bash", DumpJson(Json{{"command", command}}));
    v1::ExecuteResponse response;
    EXPECT_TRUE(server_->Execute(request, response).ok());
    EXPECT_TRUE(response.has_confirmation_request()) << response.DebugString();
    request.set_confirmation_token(response.confirmation_request().token());
    const grpc::Status status = server_->Execute(request, response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.result();
  }

  const testing::TempDir dir_;
  std::unique_ptr<TestServer> server_;
};

TEST_F(ShellModelTest, AllThatAPlainRunLeavesIsKeptAndCanBeTakenBack) {
  for (unsigned seed = 1; seed <= kCalls; ++seed) {
    Generator generator(seed);
    for (const std::string& root : {kept(), plain()}) {
      for (const auto& entry : fs::directory_iterator(root)) {
        if (entry.path().filename() != ".toolgate") fs::remove_all(entry.path());
      }
    }
    std::string script;
    for (int tree = 0; tree < kTreesOfACall; ++tree) {
      const std::string folder = absl::StrCat("t", tree);
      fs::create_directories(kept() + "/" + folder);
      fs::create_directories(plain() + "/" + folder);
      const std::string made = generator.Tree();
      RunPlainly(kept() + "/" + folder, made);
      RunPlainly(plain() + "/" + folder, made);
      absl::StrAppend(&script, "(cd ", folder, "; ", generator.Commands(), ")\n");
    }
    SCOPED_TRACE(absl::StrCat("seed ", seed, "\n", script));
    const std::string before = ListFolder(kept());
    ASSERT_EQ(before, ListFolder(plain()));
    RunPlainly(plain(), script);
    const std::string after = ListFolder(plain());
    const v1::ToolResult result = Run(script + "true");
    ASSERT_TRUE(result.success()) << result.DebugString();
    ASSERT_EQ(ListFolder(kept()), after) << result.data_json();
    if (after == before) continue;
    std::string entry;
    for (const std::string& expected : {before, after, before, after}) {
      const v1::ToolResult reversed = server_->Undo(entry);
      ASSERT_TRUE(reversed.success()) << reversed.DebugString();
      entry = reversed.undo_entry_id();
      ASSERT_EQ(ListFolder(kept()), expected);
    }
  }
}

}  // namespace
}  // namespace toolgate
