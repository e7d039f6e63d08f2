// GraphQuery through every layer, over real gRPC.
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "executors/code_graph/settings.pb.h"
#include "executors/files/settings.pb.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_server.h"

namespace toolgate {
namespace {

using executors::code_graph::CodeGraphSettings;
using executors::files::FilesSettings;
using testing::TestServer;

class CodeGraphTest : public ::testing::Test {
 protected:
  CodeGraphTest() { std::filesystem::create_directories(folder_.path() + "/w"); }

  std::string PathOf(const std::string& path) const { return folder_.path() + "/w/" + path; }
  void Put(const std::string& path, const std::string& content) const {
    std::filesystem::create_directories(std::filesystem::path(PathOf(path)).parent_path());
    std::ofstream(PathOf(path), std::ios::binary) << content;
  }
  static std::string Arguments(std::string_view query) { return DumpJson(Json{{"query", std::string(query)}}); }
  // The values of the column "x", joined.
  static std::string Ask(TestServer& server, std::string_view query) {
    const Json answer = server.RunTool("GraphQuery", Arguments(query));
    std::string text;
    for (const Json& row : answer["rows"]) absl::StrAppend(&text, row["x"].get<std::string>(), " ");
    return text;
  }

  testing::TempDir folder_;
};

constexpr char kFunctions[] = "MATCH (f:Function) RETURN f.name AS x ORDER BY x";

TEST_F(CodeGraphTest, FollowsTheDirectoryAndSurvivesARestart) {
  TestServer server([&](config::v1::Config& config) {
    config.mutable_families()->MutableExtension(FilesSettings::files)->set_root(folder_.path());
  });
  Put("src/a.c", "#include \"a.h\"\nint one(void) {\n  return two();\n}\n");
  Put("src/a.h", "int two(void);\n");
  EXPECT_EQ(Ask(server, kFunctions), "one ");
  Put("src/b.c", "#include \"a.h\"\nint two(void) {\n  return 2;\n}\n");
  EXPECT_EQ(Ask(server, "MATCH (:Symbol {name: 'one'})-[:CALLS]->(f:Function) RETURN f.path AS x"), "src/b.c ");
  EXPECT_TRUE(std::filesystem::exists(server.data_dir() + "/code_graph/w.db"));
  Put(".gitignore", "b.c\n");
  EXPECT_EQ(Ask(server, kFunctions), "one ");
  std::filesystem::remove(PathOf(".gitignore"));
  std::filesystem::remove(PathOf("src/a.c"));
  EXPECT_EQ(Ask(server, kFunctions), "two ");
  server.Stop();
  Put("src/c.c", "int three(void) {\n  return 3;\n}\n");
  server.Start();
  EXPECT_EQ(Ask(server, kFunctions), "three two ");
  server.Stop();
  std::filesystem::remove_all(server.data_dir() + "/code_graph");
  server.Start();
  EXPECT_EQ(Ask(server, kFunctions), "three two ");
}

TEST_F(CodeGraphTest, MarksItsAnswersAsTextFromOutside) {
  TestServer server([&](config::v1::Config& config) {
    config.mutable_families()->MutableExtension(FilesSettings::files)->set_root(folder_.path());
  });
  Put("a.c", "int one;\n");
  v1::ExecuteResponse response;
  ASSERT_TRUE(
      server.Execute(TestServer::Request("GraphQuery", Arguments("MATCH (v:Variable) RETURN v.name AS x")), response)
          .ok());
  EXPECT_TRUE(response.result().untrusted()) << response.DebugString();
}

TEST_F(CodeGraphTest, ShowsTheErrorOfAQueryToItsCaller) {
  TestServer server([&](config::v1::Config& config) {
    config.mutable_families()->MutableExtension(FilesSettings::files)->set_root(folder_.path());
  });
  v1::ExecuteResponse response;
  const grpc::Status status =
      server.Execute(TestServer::Request("GraphQuery", Arguments("MATCH (n) DELETE n")), response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_FALSE(response.result().success());
  EXPECT_EQ(response.result().error().code(), "INVALID_PARAMS") << response.DebugString();
  EXPECT_NE(response.result().error().message().find("line 1"), std::string::npos) << response.DebugString();
}

TEST_F(CodeGraphTest, IsAbsentWithoutADirectoryAndSaysWhy) {
  TestServer server;
  const grpc::Status status =
      server.Refused(TestServer::Request("GraphQuery", Arguments("RETURN 1")), "NOT_CONFIGURED");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_NE(status.error_message().find("files.root"), std::string::npos) << status.error_message();
}

TEST_F(CodeGraphTest, ServesManyQueriesWhileFilesChange) {
  TestServer server([&](config::v1::Config& config) {
    config.mutable_families()->MutableExtension(FilesSettings::files)->set_root(folder_.path());
  });
  for (int i = 0; i < 50; ++i) Put(absl::StrCat("f", i, ".c"), absl::StrCat("int fixed", i, ";\n"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 10; ++round) {
        const std::string path = absl::StrCat("own", i, ".c");
        Put(path, absl::StrCat("int own", i, "_", round, ";\n"));
        const std::string query = absl::StrCat("MATCH (v:Variable {path: '", path, "'}) RETURN v.name AS x");
        EXPECT_EQ(Ask(server, query), absl::StrCat("own", i, "_", round, " "));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace toolgate
