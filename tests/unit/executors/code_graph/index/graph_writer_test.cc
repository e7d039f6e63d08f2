#include "executors/code_graph/index/graph_writer.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "executors/code_graph/index/graph_database.h"
#include "gtest/gtest.h"
#include "tests/support/temp_dir.h"

namespace toolgate::executors::code_graph::index {
namespace {

using storage::sqlite::Connection;

SymbolFact Symbol(std::string name, int line, int parent = -1) {
  SymbolFact symbol;
  symbol.name = symbol.qualified_name = std::move(name);
  symbol.kind = "function";
  symbol.label = SymbolLabel::kFunction;
  symbol.line = symbol.end_line = line;
  symbol.parent = parent;
  return symbol;
}

class GraphWriterTest : public ::testing::Test {
 protected:
  void SetUp() override { connection_ = *(*GraphDatabase::Open(temp_.path() + "/graph.db"))->OpenToWrite(); }

  static IndexedFile File(std::string path, std::vector<SymbolFact> symbols) {
    IndexedFile file;
    file.path = std::move(path);
    file.facts.language = "C";
    file.facts.symbols = std::move(symbols);
    return file;
  }

  // The first column of every row, joined.
  std::string Column(const std::string& sql) {
    std::string text;
    storage::sqlite::Cursor cursor = connection_->UseText(sql);
    while (cursor.Step().value_or(false)) text += std::string(cursor.Text(0)) + " ";
    return text;
  }

  testing::TempDir temp_;
  std::unique_ptr<Connection> connection_;
};

TEST_F(GraphWriterTest, PutsAFileWithItsFoldersAndSymbols) {
  GraphWriter writer(*connection_);
  ASSERT_EQ(writer.Put(File("a/b/x.c", {Symbol("f", 1), Symbol("g", 2, 0)})), absl::OkStatus());
  EXPECT_EQ(Column("SELECT path FROM folders ORDER BY path"), " a a/b ");
  EXPECT_EQ(Column("SELECT name FROM files"), "x.c ");
  EXPECT_EQ(Column("SELECT p.name FROM symbols s JOIN symbols p ON s.parent = p.id WHERE s.name = 'g'"), "f ");
  EXPECT_TRUE(writer.paths_changed());
  EXPECT_EQ(writer.changed_names().size(), 2u);
}

TEST_F(GraphWriterTest, SymbolsThatAreStillThereKeepTheirIds) {
  GraphWriter first(*connection_);
  ASSERT_EQ(first.Put(File("x.c", {Symbol("f", 1), Symbol("g", 2), Symbol("f", 3)})), absl::OkStatus());
  ASSERT_EQ(first.Put(File("y.c", {Symbol("z", 1)})), absl::OkStatus());
  const std::string before = Column("SELECT id FROM symbols WHERE name = 'f' ORDER BY ordinal");
  GraphWriter second(*connection_);
  ASSERT_EQ(second.Put(File("x.c", {Symbol("h", 1), Symbol("f", 5), Symbol("f", 6), Symbol("f", 7)})),
            absl::OkStatus());
  const std::string after = Column("SELECT id FROM symbols WHERE name = 'f' ORDER BY ordinal");
  EXPECT_EQ(after.substr(0, before.size()), before);
  EXPECT_EQ(second.changed_names(), (absl::flat_hash_set<std::string>{"f", "g", "h"}));
  EXPECT_FALSE(second.paths_changed());
}

TEST_F(GraphWriterTest, ANameIsUnchangedWhenOnlyItsLineIsAnotherOne) {
  ASSERT_EQ(GraphWriter(*connection_).Put(File("x.c", {Symbol("f", 1)})), absl::OkStatus());
  GraphWriter writer(*connection_);
  ASSERT_EQ(writer.Put(File("x.c", {Symbol("f", 9)})), absl::OkStatus());
  EXPECT_TRUE(writer.changed_names().empty());
  EXPECT_EQ(writer.written_files().size(), 1u);
  EXPECT_EQ(Column("SELECT line FROM symbols"), "9 ");
}

TEST_F(GraphWriterTest, EveryNameChangesWithTheLanguage) {
  ASSERT_EQ(GraphWriter(*connection_).Put(File("x", {Symbol("f", 1)})), absl::OkStatus());
  IndexedFile file = File("x", {Symbol("f", 1)});
  file.facts.language = "Python";
  GraphWriter writer(*connection_);
  ASSERT_EQ(writer.Put(file), absl::OkStatus());
  EXPECT_EQ(writer.changed_names(), (absl::flat_hash_set<std::string>{"f"}));
}

TEST_F(GraphWriterTest, RemovesAFileAndWhatBelongsToItAlone) {
  GraphWriter writer(*connection_);
  ASSERT_EQ(writer.Put(File("a/x.c", {Symbol("f", 1)})), absl::OkStatus());
  ASSERT_EQ(writer.Put(File("b/y.c", {Symbol("g", 1)})), absl::OkStatus());
  ASSERT_EQ(writer.Remove("a/x.c"), absl::OkStatus());
  ASSERT_EQ(writer.Remove("none.c"), absl::OkStatus());
  ASSERT_EQ(writer.Sweep(), absl::OkStatus());
  EXPECT_EQ(Column("SELECT path FROM files"), "b/y.c ");
  EXPECT_EQ(Column("SELECT path FROM folders ORDER BY path"), " b ");
  EXPECT_EQ(Column("SELECT name FROM symbols"), "g ");
  EXPECT_EQ(Column("SELECT count(*) FROM mentions"), "1 ");
}

TEST_F(GraphWriterTest, RemembersWhatAFileImportedBefore) {
  IndexedFile file = File("x.c", {});
  file.facts.imports = {{"y.h", 1, true, false, false}};
  ASSERT_EQ(GraphWriter(*connection_).Put(file), absl::OkStatus());
  ASSERT_EQ(connection_->Execute("UPDATE imports SET target = 77"), absl::OkStatus());
  GraphWriter writer(*connection_);
  ASSERT_EQ(writer.Put(file), absl::OkStatus());
  ASSERT_EQ(writer.former_targets().size(), 1u);
  EXPECT_EQ(writer.former_targets().begin()->second, std::vector<int64_t>{77});
}

}  // namespace
}  // namespace toolgate::executors::code_graph::index
