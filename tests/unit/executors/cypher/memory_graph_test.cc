#include "executors/cypher/memory_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace toolgate::executors::cypher {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using values::Value;

class MemoryGraphTest : public ::testing::Test {
 protected:
  MemoryGraphTest() {
    graph_.AddNode({"A", "B", "A"}, {{"k", Value(1)}, {"gone", Value()}});
    graph_.AddNode({"B"}, {{"k", Value("x")}});
    graph_.AddNode({}, {});
    graph_.AddRelationship(0, 1, "T", {{"w", Value(5)}});
    graph_.AddRelationship(1, 0, "U", {});
    graph_.AddRelationship(0, 0, "T", {});
  }

  std::vector<NodeId> Scan(std::string_view label) const {
    std::vector<NodeId> nodes;
    EXPECT_TRUE(graph_
                    .ScanNodes(label,
                               [&](NodeId id) {
                                 nodes.push_back(id);
                                 return true;
                               })
                    .ok());
    return nodes;
  }

  std::vector<RelationshipId> Expand(NodeId node, Direction direction, const std::vector<std::string>& types) const {
    std::vector<RelationshipId> found;
    EXPECT_TRUE(graph_
                    .Expand(node, direction, types,
                            [&](const Graph::Relationship& relationship) {
                              found.push_back(relationship.id);
                              return true;
                            })
                    .ok());
    return found;
  }

  std::vector<NodeId> Find(std::string_view label, std::string_view key, const Value& value) const {
    std::vector<NodeId> nodes;
    EXPECT_TRUE(graph_
                    .FindNodes(label, key, value,
                               [&](NodeId id) {
                                 nodes.push_back(id);
                                 return true;
                               })
                    .ok());
    return nodes;
  }

  MemoryGraph graph_;
};

TEST_F(MemoryGraphTest, ScansByLabel) {
  EXPECT_THAT(Scan(""), ElementsAre(0, 1, 2));
  EXPECT_THAT(Scan("B"), ElementsAre(0, 1));
  EXPECT_THAT(Scan("C"), IsEmpty());
  EXPECT_EQ(graph_.EstimateNodes("B"), 2);
  EXPECT_EQ(graph_.EstimateNodes(""), 3);
}

TEST_F(MemoryGraphTest, AScanEndsWhenItsVisitorSaysSo) {
  int visits = 0;
  ASSERT_TRUE(graph_.ScanNodes("", [&](NodeId) { return ++visits < 2; }).ok());
  EXPECT_EQ(visits, 2);
}

TEST_F(MemoryGraphTest, AScanDoesNotSeeWhatItsVisitorAdds) {
  int visits = 0;
  ASSERT_TRUE(graph_
                  .ScanNodes("B",
                             [&](NodeId) {
                               graph_.AddNode({"B"}, {});
                               return ++visits < 100;
                             })
                  .ok());
  EXPECT_EQ(visits, 2);
}

TEST_F(MemoryGraphTest, KeepsLabelsAndPropertiesOnce) {
  EXPECT_THAT(*graph_.Labels(0), ElementsAre("A", "B"));
  EXPECT_EQ(graph_.NodeProperties(0)->size(), 1u);
  EXPECT_EQ(graph_.NodeProperty(0, "k")->integer(), 1);
  EXPECT_TRUE(graph_.NodeProperty(0, "gone")->is_null());
  EXPECT_EQ(graph_.RelationshipProperty(0, "w")->integer(), 5);
}

TEST_F(MemoryGraphTest, ExpandsByDirectionAndType) {
  EXPECT_THAT(Expand(0, Direction::kOut, {}), ElementsAre(0, 2));
  EXPECT_THAT(Expand(0, Direction::kIn, {}), ElementsAre(1, 2));
  EXPECT_THAT(Expand(0, Direction::kOut, {"U"}), IsEmpty());
  EXPECT_THAT(Expand(1, Direction::kBoth, {"T", "U"}), ElementsAre(1, 0));
}

TEST_F(MemoryGraphTest, VisitsALoopOnceInBothDirections) {
  EXPECT_THAT(Expand(0, Direction::kBoth, {"T"}), ElementsAre(0, 2));
}

TEST_F(MemoryGraphTest, AnIndexFindsNodesAddedBeforeAndAfter) {
  EXPECT_FALSE(graph_.HasIndex("B", "k"));
  graph_.AddIndex("B", "k");
  ASSERT_TRUE(graph_.HasIndex("B", "k"));
  graph_.AddNode({"B"}, {{"k", Value(1.0)}});
  EXPECT_THAT(Find("B", "k", Value(1)), ElementsAre(0, 3));
  EXPECT_THAT(Find("B", "k", Value("x")), ElementsAre(1));
  EXPECT_THAT(Find("B", "k", Value("y")), IsEmpty());
}

TEST_F(MemoryGraphTest, UnknownIdsAreNotFound) {
  EXPECT_EQ(graph_.Labels(9).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(graph_.NodeProperty(-1, "k").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(graph_.GetRelationship(9).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace toolgate::executors::cypher
