// Operators that match patterns in the graph.
#ifndef TOOLGATE_EXECUTORS_CYPHER_PATTERN_OPERATORS_H_
#define TOOLGATE_EXECUTORS_CYPHER_PATTERN_OPERATORS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "executors/cypher/operator.h"

namespace toolgate::executors::cypher {

// One relationship of a pattern as it is followed: from the end that is already matched.
struct Hop {
  int from = 0;  // Slots of the two nodes and of the relationship, or of the list of relationships.
  int to = 0;
  int relationship = 0;
  bool to_is_bound = false;                // The other end is matched too: the hop only checks.
  Direction direction = Direction::kBoth;  // As seen from `from`.
  std::vector<std::string> types;          // None: any.
  // Slots of relationships, or of lists of them, of the same MATCH that this one must differ from.
  std::vector<int> others;
};

// Bounds and conditions of a relationship with variable length.
struct VariableHop {
  Hop hop;
  int64_t min = 1;
  int64_t max = 0;
  bool reversed = false;  // The list runs from `to` to `from`, as the pattern was written.
  std::vector<std::pair<std::string, Evaluation>> properties;  // Of each relationship on the way.
};

// Every node with a label, or every node if the label is empty.
class ScanNodes : public Operator {
 public:
  ScanNodes(const Operator* input, std::string label, int slot)
      : input_(*input), label_(std::move(label)), slot_(slot) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  const Operator& input_;
  const std::string label_;
  const int slot_;
};

// The nodes that an index finds for a value, or for any element of a list; perhaps with some that do not match. Each
// once.
class SeekNodes : public Operator {
 public:
  SeekNodes(const Operator* input, std::string label, std::string key, Evaluation value, bool is_list, int slot)
      : input_(*input),
        label_(std::move(label)),
        key_(std::move(key)),
        value_(std::move(value)),
        is_list_(is_list),
        slot_(slot) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;
  // `seen` may be null.
  absl::StatusOr<bool> Seek(const values::Value& value, absl::flat_hash_set<NodeId>* seen, Execution& execution,
                            RowSink sink) const;

  const Operator& input_;
  const std::string label_;
  const std::string key_;
  const Evaluation value_;
  const bool is_list_;
  const int slot_;
};

// Rows whose slot holds a node that has all of the labels, perhaps none.
class CheckNode : public Operator {
 public:
  CheckNode(const Operator* input, int slot, std::vector<std::string> labels)
      : input_(*input), slot_(slot), labels_(std::move(labels)) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  const Operator& input_;
  const int slot_;
  const std::vector<std::string> labels_;
};

// Follows one relationship.
class Expand : public Operator {
 public:
  Expand(const Operator* input, Hop hop) : input_(*input), hop_(std::move(hop)) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  const Operator& input_;
  const Hop hop_;
};

// Follows every trail of relationships, depth first, with a stack of its own.
class ExpandTrails : public Operator {
 public:
  ExpandTrails(const Operator* input, VariableHop hop) : input_(*input), hop_(std::move(hop)) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  const Operator& input_;
  const VariableHop hop_;
};

// Matches the ends of a relationship that an earlier clause has found. `from` may be bound too.
class MatchEnds : public Operator {
 public:
  MatchEnds(const Operator* input, Hop hop, bool from_is_bound)
      : input_(*input), hop_(std::move(hop)), from_is_bound_(from_is_bound) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  const Operator& input_;
  const Hop hop_;
  const bool from_is_bound_;
};

// Follows a list of relationships that an earlier clause has made.
class FollowTrail : public Operator {
 public:
  FollowTrail(const Operator* input, VariableHop hop) : input_(*input), hop_(std::move(hop)) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  const Operator& input_;
  const VariableHop hop_;
};

// One shortest trail between two matched nodes, or all of them, breadth first. At most one step is repeated: a node is
// visited once, so that `min` beyond 1 finds a trail only if a shortest one is that long.
class ExpandShortest : public Operator {
 public:
  ExpandShortest(const Operator* input, VariableHop hop, bool all) : input_(*input), hop_(std::move(hop)), all_(all) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  const Operator& input_;
  const VariableHop hop_;
  const bool all_;
};

// Puts the value of a path variable together from the slots of its first node and of its relationships.
class BuildPath : public Operator {
 public:
  BuildPath(const Operator* input, int slot, int start, std::vector<int> relationships)
      : input_(*input), slot_(slot), start_(start), relationships_(std::move(relationships)) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  const Operator& input_;
  const int slot_;
  const int start_;
  const std::vector<int> relationships_;
};

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_PATTERN_OPERATORS_H_
