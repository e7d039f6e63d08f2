#include "executors/code_graph/index/graph_database.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::code_graph::index {
namespace {

class GraphDatabaseTest : public ::testing::Test {
 protected:
  std::unique_ptr<GraphDatabase> Open() const {
    auto database = GraphDatabase::Open(path_);
    EXPECT_TRUE(database.ok()) << database.status();
    return database.ok() ? *std::move(database) : nullptr;
  }
  // Marks the database as complete, so that one that was made anew can be told from it.
  void Mark() const { ASSERT_EQ(SetComplete(**Open()->OpenToWrite(), true), absl::OkStatus()); }
  bool IsMarked() const { return *IsComplete(**Open()->OpenToRead()); }

  testing::TempDir temp_;
  const std::string path_ = temp_.path() + "/folder/graph.db";
};

TEST_F(GraphDatabaseTest, IsMadeForTheServicesUserAlone) {
  Open();
  struct stat stat = {};
  ASSERT_EQ(::stat(path_.c_str(), &stat), 0);
  EXPECT_EQ(stat.st_mode & 0777, 0600u);
}

TEST_F(GraphDatabaseTest, KeepsItsContents) {
  EXPECT_FALSE(IsMarked());
  Mark();
  EXPECT_TRUE(IsMarked());
}

TEST_F(GraphDatabaseTest, IsMadeAnewWhenItIsGone) {
  Mark();
  ASSERT_EQ(Open()->Reset(), absl::OkStatus());
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_FALSE(IsMarked());
}

TEST_F(GraphDatabaseTest, IsMadeAnewWhenItIsDamaged) {
  Mark();
  std::ofstream(path_, std::ios::trunc) << "This is no database, and never was one; far from it.";
  EXPECT_FALSE(IsMarked());
}

TEST_F(GraphDatabaseTest, IsMadeAnewForAnotherSchema) {
  Mark();
  ASSERT_EQ((*Open()->OpenToWrite())->Execute("PRAGMA user_version = 999"), absl::OkStatus());
  EXPECT_FALSE(IsMarked());
}

TEST_F(GraphDatabaseTest, ReadersCannotWrite) {
  const auto database = Open();
  EXPECT_FALSE(SetComplete(**database->OpenToRead(), true).ok());
}

TEST_F(GraphDatabaseTest, GivesEachRowOfEachTableAnIdOfItsOwn) {
  const int64_t id = GraphId::Of(GraphId::kSymbol, 123'456'789'012);
  EXPECT_EQ(GraphId::TableOf(id), GraphId::kSymbol);
  EXPECT_EQ(GraphId::RowOf(id), 123'456'789'012);
  EXPECT_LT(GraphId::Of(GraphId::kEdge, (int64_t{1} << GraphId::kShift) - 1), int64_t{1} << 53);
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
