#include "executors/code_graph/index/graph_indexes.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/clock.h"
#include "common/fibers/wait_timer.h"
#include "gtest/gtest.h"
#include "tests/support/code_graph_fixture.h"

namespace toolgate::executors::code_graph::index {
namespace {

using Rows = std::vector<std::string>;

class GraphIndexesTest : public testing::CodeGraphFixture {
 protected:
  absl::StatusOr<RefreshReport> Await(RefreshTicket& ticket) {
    fibers::WaitTimer waits(Clock::Real());
    const fibers::Cancellation never;
    EXPECT_TRUE(*waits.Wait(ticket.done, never));
    return ticket.report;
  }
  Rows Names(GraphIndexes& indexes, std::string_view workspace) {
    const auto graph = indexes.Open(workspace);
    EXPECT_TRUE(graph.ok()) << graph.status();
    return graph.ok() ? testing::RowsOf(**graph, "MATCH (f:Function) RETURN f.name ORDER BY f.name") : Rows{};
  }
};

TEST_F(GraphIndexesTest, ARefreshSeesEveryChangeMadeBefore) {
  GraphIndexes indexes(temp_.path() + "/indexes", options_);
  for (int i = 0; i < 5; ++i) {
    Write("a.c", absl::StrCat("void f", i, "(void) {\n}\n"));
    ASSERT_TRUE(Await(*indexes.Refresh("w", directory_)).ok());
    EXPECT_EQ(Names(indexes, "w"), Rows{absl::StrCat("f", i)});
  }
}

TEST_F(GraphIndexesTest, CountsRefreshes) {
  Write("a.c", "void f(void) {\n}\n");
  std::filesystem::create_directories(temp_.path() + "/indexes");
  std::ofstream(temp_.path() + "/not a folder") << "x";
  GraphIndexes indexes(temp_.path() + "/indexes", options_);
  ASSERT_TRUE(Await(*indexes.Refresh("w", directory_)).ok());
  EXPECT_EQ(indexes.load().succeeded, 1);
  EXPECT_EQ(indexes.load().failed, 0);
  EXPECT_EQ(indexes.load().running, 0);
  EXPECT_EQ(indexes.load().waiting, 0);
  GraphIndexes impossible(temp_.path() + "/not a folder", options_);
  EXPECT_FALSE(Await(*impossible.Refresh("w", directory_)).ok());
  EXPECT_EQ(impossible.load().failed, 1);
}

TEST_F(GraphIndexesTest, ManyMayAskAtOnce) {
  Write("a.c", "void f(void) {\n}\n");
  GraphIndexes indexes("", options_);
  std::vector<std::shared_ptr<RefreshTicket>> tickets;
  for (int i = 0; i < 50; ++i) tickets.push_back(indexes.Refresh(i % 2 == 0 ? "one" : "two", directory_));
  for (const auto& ticket : tickets) EXPECT_TRUE(Await(*ticket).ok());
  EXPECT_EQ(Names(indexes, "one"), Rows{"f"});
  EXPECT_EQ(Names(indexes, "two"), Rows{"f"});
}

TEST_F(GraphIndexesTest, ATicketMayBeLeft) {
  Write("a.c", "void f(void) {\n}\n");
  GraphIndexes indexes(temp_.path() + "/indexes", options_);
  indexes.Refresh("w", directory_).reset();
  EXPECT_TRUE(Await(*indexes.Refresh("w", directory_)).ok());
}

TEST_F(GraphIndexesTest, ADamagedOrMissingIndexIsMadeAnew) {
  Write("a.c", "void f(void) {\n}\n");
  GraphIndexes indexes(temp_.path() + "/indexes", options_);
  ASSERT_TRUE(Await(*indexes.Refresh("w", directory_)).ok());
  std::ofstream(indexes.PathOf("w"), std::ios::trunc) << "no database at all, as far as anybody can see";
  ASSERT_TRUE(Await(*indexes.Refresh("w", directory_)).ok());
  EXPECT_EQ(Names(indexes, "w"), Rows{"f"});
  std::filesystem::remove_all(temp_.path() + "/indexes");
  ASSERT_TRUE(Await(*indexes.Refresh("w", directory_)).ok());
  EXPECT_EQ(Names(indexes, "w"), Rows{"f"});
}

TEST_F(GraphIndexesTest, KeepsTheWorkspacesApartWhateverTheirIds) {
  GraphIndexes indexes(temp_.path() + "/indexes", options_);
  const std::string folder = temp_.path() + "/indexes/";
  EXPECT_EQ(indexes.PathOf("plain-id"), folder + "plain-id.db");
  EXPECT_EQ(indexes.PathOf("../x").find(folder + "="), 0u) << indexes.PathOf("../x");
  EXPECT_EQ(indexes.PathOf("../x").find("..", folder.size()), std::string::npos);
}

TEST_F(GraphIndexesTest, StopsInTheMiddle) {
  for (int i = 0; i < 400; ++i) Write(absl::StrCat("f", i, ".c"), "void f(void) {\n}\n");
  std::shared_ptr<RefreshTicket> ticket;
  {
    GraphIndexes indexes(temp_.path() + "/indexes", options_);
    ticket = indexes.Refresh("w", directory_);
  }
  // It ended by itself, or was stopped, or never began.
  EXPECT_TRUE(ticket->done.IsSet());
}

TEST_F(GraphIndexesTest, DeletesATemporaryFolder) {
  std::string path;
  {
    GraphIndexes indexes("", options_);
    ASSERT_TRUE(Await(*indexes.Refresh("w", directory_)).ok());
    path = indexes.PathOf("w");
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(std::filesystem::path(path).parent_path()));
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
