// Operators on rows: everything of a query but matching patterns.
#ifndef TOOLGATE_EXECUTORS_CYPHER_ROW_OPERATORS_H_
#define TOOLGATE_EXECUTORS_CYPHER_ROW_OPERATORS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "executors/cypher/functions/aggregates.h"
#include "executors/cypher/operator.h"
#include "executors/cypher/syntax/ast.h"

namespace toolgate::executors::cypher {

// An expression and the slot for its value.
struct Assignment {
  int slot = 0;
  Evaluation value;
};

// One row, as the frame is. The start of every plan.
class Unit : public Operator {
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;
};

// The rows of which a condition is true.
class Filter : public Operator {
 public:
  Filter(const Operator* input, Evaluation condition) : input_(*input), condition_(std::move(condition)) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  const Operator& input_;
  const Evaluation condition_;
};

// Each row with further values.
class Extend : public Operator {
 public:
  Extend(const Operator* input, std::vector<Assignment> assignments)
      : input_(*input), assignments_(std::move(assignments)) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  const Operator& input_;
  const std::vector<Assignment> assignments_;
};

// Each row once for each element of a list; not at all for null, once for any other value.
class Unwind : public Operator {
 public:
  Unwind(const Operator* input, Evaluation list, int slot) : input_(*input), list_(std::move(list)), slot_(slot) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  const Operator& input_;
  const Evaluation list_;
  const int slot_;
};

// The first of the rows whose values in `slots` are equivalent.
class Distinct : public Operator {
 public:
  Distinct(const Operator* input, std::vector<int> slots) : input_(*input), slots_(std::move(slots)) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  const Operator& input_;
  const std::vector<int> slots_;
};

// The rows without the first `skip`, at most `limit`. Either may be absent; both are evaluated before the first row.
class Slice : public Operator {
 public:
  Slice(const Operator* input, Evaluation skip, Evaluation limit)
      : input_(*input), skip_(std::move(skip)), limit_(std::move(limit)) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  const Operator& input_;
  const Evaluation skip_;
  const Evaluation limit_;
};

// All rows in order; equal rows stay as they came. Keeps the values of `slots`, and no more rows than a Slice of the
// same `skip` and `limit` after it would take (either may be absent).
class Sort : public Operator {
 public:
  struct Key {
    Evaluation value;
    bool descending = false;
  };

  Sort(const Operator* input, std::vector<Key> keys, std::vector<int> slots, Evaluation skip, Evaluation limit)
      : input_(*input),
        keys_(std::move(keys)),
        slots_(std::move(slots)),
        skip_(std::move(skip)),
        limit_(std::move(limit)) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  const Operator& input_;
  const std::vector<Key> keys_;
  const std::vector<int> slots_;
  const Evaluation skip_;
  const Evaluation limit_;
};

// One row for each group of rows whose keys are equivalent, in the order in which the groups appeared; without keys
// one row for all, also for none.
class Group : public Operator {
 public:
  struct Aggregation {
    int slot = 0;
    // Null: count(*).
    const syntax::Function* function = nullptr;
    bool distinct = false;
    std::vector<Evaluation> arguments;
  };

  Group(const Operator* input, std::vector<Assignment> keys, std::vector<Aggregation> aggregations)
      : input_(*input), keys_(std::move(keys)), aggregations_(std::move(aggregations)) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  using Aggregates = std::vector<std::unique_ptr<functions::Aggregate>>;

  Aggregates NewAggregates() const;
  absl::Status Add(Execution& execution, Held& held, const Aggregates& aggregates) const;

  const Operator& input_;
  const std::vector<Assignment> keys_;
  const std::vector<Aggregation> aggregations_;
};

// For each row of the input those of `inner`, or one with nulls in `slots` when there are none.
class Optional : public Operator {
 public:
  Optional(const Operator* input, const Operator* inner, std::vector<int> slots)
      : input_(*input), inner_(*inner), slots_(std::move(slots)) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  const Operator& input_;
  const Operator& inner_;
  const std::vector<int> slots_;
};

// The rows of all parts, with the values of each part's columns in the slots of the first.
class Union : public Operator {
 public:
  struct Part {
    const Operator* rows = nullptr;
    std::vector<int> columns;
  };

  explicit Union(std::vector<Part> parts) : parts_(std::move(parts)) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  const std::vector<Part> parts_;
};

// Each row after it has made the nodes and relationships of CREATE. Takes all rows of the input before the first one
// goes on, so that no clause sees what a later one makes.
class CreateEntities : public Operator {
 public:
  struct NewNode {
    int slot = 0;
    std::vector<std::string> labels;
    Evaluation properties;  // A map or null; may be absent.
  };
  struct NewRelationship {
    int slot = 0;
    int start = 0;
    int end = 0;
    std::string type;
    Evaluation properties;
  };

  // `kept` are the slots of the input's rows.
  CreateEntities(const Operator* input, std::vector<int> kept, std::vector<NewNode> nodes,
                 std::vector<NewRelationship> relationships)
      : input_(*input), kept_(std::move(kept)), nodes_(std::move(nodes)), relationships_(std::move(relationships)) {}

 private:
  absl::StatusOr<bool> Produce(Execution& execution, RowSink sink) const override;

  absl::Status Create(Execution& execution) const;

  const Operator& input_;
  const std::vector<int> kept_;
  const std::vector<NewNode> nodes_;
  const std::vector<NewRelationship> relationships_;
};

}  // namespace toolgate::executors::cypher

#endif  // TOOLGATE_EXECUTORS_CYPHER_ROW_OPERATORS_H_
