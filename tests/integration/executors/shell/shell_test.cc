// Shell commands through the whole service, over gRPC.
#include <grpcpp/grpcpp.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "executors/files/settings.pb.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/find_processes.h"
#include "tests/support/folder_listing.h"
#include "tests/support/sandbox_run.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::ListFolder;
using testing::TestServer;
using v1::ExecuteStreamResponse;

class ShellTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TOOLGATE_NEEDS_SANDBOX(geteuid());
    fs::create_directories(Path(""));
    server_ = std::make_unique<TestServer>([&](config::v1::Config& config) {
      config.mutable_families()->MutableExtension(executors::files::FilesSettings::files)->set_root(dir_.path());
      config.mutable_server()->mutable_drain_timeout()->set_seconds(1);
    });
  }

  std::string Path(const std::string& name) const { return dir_.path() + "/w/" + name; }
  void Put(const std::string& name, const std::string& content) const {
    fs::create_directories(fs::path(Path(name)).parent_path());
    std::ofstream(Path(name)) << content;
  }
  std::string Content(const std::string& name) const {
    std::ifstream file(Path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // A call that a person has approved.
  v1::ExecuteRequest Approved(const std::string& command) {
    v1::ExecuteRequest request = TestServer::Request("Bash", DumpJson(Json{{"command", command}}));
    v1::ExecuteResponse response;
    EXPECT_TRUE(server_->Execute(request, response).ok());
    EXPECT_TRUE(response.has_confirmation_request()) << response.DebugString();
    request.set_confirmation_token(response.confirmation_request().token());
    return request;
  }
  v1::ToolResult Try(const std::string& command) {
    v1::ExecuteResponse response;
    const grpc::Status status = server_->Execute(Approved(command), response);
    EXPECT_TRUE(status.ok()) << status.error_message();
    return response.result();
  }
  Json Run(const std::string& command) {
    const v1::ToolResult result = Try(command);
    EXPECT_TRUE(result.success()) << result.DebugString();
    return ParseJson(result.data_json()).value_or(Json());
  }

  const testing::TempDir dir_;
  std::unique_ptr<TestServer> server_;
};

TEST_F(ShellTest, APersonIsShownTheCommandAsItWillRun) {
  v1::ExecuteRequest request =
      TestServer::Request("Bash", DumpJson(Json{{"command", "cat a\nrm -rf b"}, {"cwd", "src"}}));
  v1::ExecuteResponse response;
  ASSERT_TRUE(server_->Execute(request, response).ok());
  const v1::ConfirmationRequest& asked = response.confirmation_request();
  EXPECT_THAT(asked.summary(), HasSubstr("rm -rf b"));
  EXPECT_THAT(asked.summary(), HasSubstr("\"src\""));
  EXPECT_TRUE(asked.reversible());
}

TEST_F(ShellTest, WhatACommandDidIsUndoneAndRedone) {
  Put("changed", "old\n");
  Put("gone", "gone\n");
  Put("mode", "mode\n");
  Put("folder/inner/file", "deep\n");
  Put("kind", "file\n");
  fs::create_symlink("changed", Path("link"));
  fs::create_directories(Path("empty"));
  const std::string before = ListFolder(Path(""));
  const Json result = Run(
      "echo new > changed; rm gone; chmod 755 mode; rm -r folder; mkdir folder; echo x > folder/other; rm kind; mkdir "
      "kind; touch kind/file; ln -sfn mode link; rmdir empty; mkdir -p new/deep; echo y > new/deep/file");
  EXPECT_EQ(result["exitCode"], 0) << result;
  const std::string after = ListFolder(Path(""));
  EXPECT_NE(after, before);
  const v1::ToolResult undone = server_->Undo();
  EXPECT_TRUE(undone.success()) << undone.DebugString();
  EXPECT_EQ(ListFolder(Path("")), before);
  const v1::ToolResult redone = server_->Undo(undone.undo_entry_id());
  EXPECT_TRUE(redone.success()) << redone.DebugString();
  EXPECT_EQ(ListFolder(Path("")), after);
}

// A file that is written again as it was takes no part in the changes, nor the place of one.
TEST_F(ShellTest, AFileThatStaysAsItWasLeavesTheOthersAlone) {
  int folders = 0;
  for (const std::string command : {"touch a.txt; rm b.txt", "sed -i s/none/x/ a.txt; mv b.txt c.txt",
                                    "sed -i s/none/x/ a.txt; rm -r d", "touch a.txt; ln -sfn a.txt l; rm -r d b.txt"}) {
    SCOPED_TRACE(command);
    const std::string folder = absl::StrCat("f", ++folders);
    Put(folder + "/a.txt", "a\n");
    Put(folder + "/b.txt", "b\n");
    Put(folder + "/d/in", "d\n");
    fs::create_symlink("b.txt", Path(folder + "/l"));
    const std::string before = ListFolder(Path(folder));
    const v1::ToolResult result = Try("cd " + folder + "; " + command);
    ASSERT_TRUE(result.success()) << result.DebugString();
    EXPECT_EQ(Content(folder + "/a.txt"), "a\n");
    const std::string after = ListFolder(Path(folder));
    EXPECT_NE(after, before);
    const v1::ToolResult undone = server_->Undo();
    ASSERT_TRUE(undone.success()) << undone.DebugString();
    EXPECT_EQ(ListFolder(Path(folder)), before);
    const v1::ToolResult redone = server_->Undo(undone.undo_entry_id());
    ASSERT_TRUE(redone.success()) << redone.DebugString();
    EXPECT_EQ(ListFolder(Path(folder)), after);
  }
}

// The replaced file goes away once its call is settled, and with it one of the other name's links.
TEST_F(ShellTest, TheOtherNameOfAChangedFileCanBeChangedNext) {
  Put("a.txt", "one\n");
  fs::create_hard_link(Path("a.txt"), Path("b.txt"));
  Run("echo two > a.txt");
  EXPECT_EQ(Content("b.txt"), "one\n") << "each name has a content of its own by now";
  const v1::ToolResult result = Try("echo three > b.txt");
  ASSERT_TRUE(result.success()) << result.DebugString();
  EXPECT_EQ(Content("a.txt"), "two\n");
  EXPECT_EQ(Content("b.txt"), "three\n");
}

TEST_F(ShellTest, AnUndoThatMeetsALaterChangeIsAConflict) {
  Put("file", "old\n");
  Run("echo new > file; echo x > other");
  Put("file", "somebody else's\n");
  const v1::ToolResult undone = server_->Undo();
  EXPECT_FALSE(undone.success());
  EXPECT_EQ(undone.error().code(), "CONFLICT");
  EXPECT_EQ(Content("file"), "somebody else's\n");
  EXPECT_EQ(Content("other"), "x\n");
}

TEST_F(ShellTest, ADryRunLeavesAllAlone) {
  Put("file", "old\n");
  const std::string before = ListFolder(Path(""));
  v1::ExecuteRequest request = TestServer::Request("Bash", R"({"command":"echo new > file; echo x > other; rm -r ."})");
  request.set_dry_run(true);
  const v1::ToolResult result = server_->Run(request);
  EXPECT_THAT(result.data_json(), HasSubstr("+new"));
  EXPECT_EQ(ListFolder(Path("")), before);
}

TEST_F(ShellTest, OutputIsTextFromOutside) {
  const v1::ToolResult result = Try("echo hello");
  EXPECT_TRUE(result.untrusted());
}

TEST_F(ShellTest, TwoCommandsRunSideBySide) {
  Put("one", "1\n");
  Put("two", "2\n");
  const v1::ExecuteRequest first = Approved("sleep 1; echo a >> one");
  const v1::ExecuteRequest second = Approved("sleep 1; echo b >> two");
  std::thread other([&] { server_->Run(first); });
  server_->Run(second);
  other.join();
  EXPECT_EQ(Content("one"), "1\na\n");
  EXPECT_EQ(Content("two"), "2\nb\n");
}

class Stream {
 public:
  Stream(TestServer& server, const v1::ExecuteRequest& call) {
    v1::ExecuteStreamRequest request;
    *request.mutable_request() = call;
    reader_ = server.tools().ExecuteStream(&context_, request);
  }
  bool Next(ExecuteStreamResponse& event) { return reader_->Read(&event); }
  // Reads on until there is output.
  std::string AwaitOutput() {
    ExecuteStreamResponse event;
    while (reader_->Read(&event)) {
      if (event.has_output()) return event.output().channel() + ": " + event.output().chunk();
    }
    return "";
  }
  // The result of a call that was not refused.
  v1::ToolResult Result() {
    ExecuteStreamResponse event;
    v1::ToolResult result;
    while (reader_->Read(&event)) {
      if (event.has_response()) result = event.response().result();
    }
    const grpc::Status status = reader_->Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
    return result;
  }
  void Leave() {
    context_.TryCancel();
    ExecuteStreamResponse event;
    while (reader_->Read(&event)) {
    }
    reader_->Finish();
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<ExecuteStreamResponse>> reader_;
};

TEST_F(ShellTest, OutputComesWhileTheCommandRuns) {
  Stream stream(*server_, Approved("echo first; sleep 1; echo second >&2; sleep 1; exit 5"));
  EXPECT_EQ(stream.AwaitOutput(), "stdout: first\n");
  EXPECT_EQ(stream.AwaitOutput(), "stderr: second\n");
  EXPECT_THAT(stream.Result().data_json(), HasSubstr("\"exitCode\":5"));
}

TEST_F(ShellTest, ACommandWhoseFileSomebodyElseHasChangedIsAConflict) {
  Put("file", "old\n");
  Put("untouched", "old\n");
  const v1::ExecuteRequest other = Approved("echo theirs > file");
  Stream slow(*server_, Approved("echo begun; sleep 3; echo ours > file; echo ours > untouched"));
  EXPECT_EQ(slow.AwaitOutput(), "stdout: begun\n");
  server_->Run(other);
  const v1::ToolResult result = slow.Result();
  EXPECT_FALSE(result.success());
  EXPECT_EQ(result.error().code(), "CONFLICT");
  EXPECT_THAT(result.error().message(), HasSubstr("\"file\""));
  EXPECT_EQ(Content("file"), "theirs\n");
  EXPECT_EQ(Content("untouched"), "old\n");
}

TEST_F(ShellTest, ACommandWhoseClientLeavesIsKilled) {
  Stream stream(*server_, Approved("echo begun; echo x > file; sleep 98771"));
  EXPECT_EQ(stream.AwaitOutput(), "stdout: begun\n");
  EXPECT_FALSE(testing::ProcessesWith("98771").empty());
  stream.Leave();
  while (!testing::ProcessesWith("98771").empty()) std::this_thread::yield();
  EXPECT_FALSE(fs::exists(Path("file")));
}

TEST_F(ShellTest, AServiceThatStopsKillsItsCommands) {
  Stream stream(*server_, Approved("echo begun; sleep 98772"));
  EXPECT_EQ(stream.AwaitOutput(), "stdout: begun\n");
  server_.reset();
  EXPECT_TRUE(testing::ProcessesWith("98772").empty());
}

TEST_F(ShellTest, OtherToolsSeeWhatItWrote) {
  Run("mkdir src; printf 'int main() {}\\n' > src/main.c");
  EXPECT_EQ(server_->RunTool("Read", R"({"file":"src/main.c"})")["content"], "int main() {}\n");
}

}  // namespace
}  // namespace toolgate
