#include "executors/cypher/row_operators.h"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"
#include "executors/cypher/expression_compiler.h"
#include "executors/cypher/functions/failure.h"
#include "executors/cypher/graph_writer.h"
#include "executors/cypher/kept_row.h"

namespace toolgate::executors::cypher {
namespace {

using More = absl::StatusOr<bool>;
using values::Value;
using RowSet = absl::flat_hash_set<KeptRow, HashRow, SameRow>;

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

absl::StatusOr<int64_t> RowCount(std::string_view clause, const Evaluation& expression, Execution& execution) {
  ASSIGN_OR_RETURN(const Value count, expression(execution));
  if (!count.is_integer()) {
    return functions::Failure(
        "SyntaxError", "InvalidArgumentType",
        absl::StrCat(ToAbsl(clause), " needs an Integer, not a value of type ", ToAbsl(values::TypeName(count)), "."));
  }
  if (count.integer() >= 0) return count.integer();
  return functions::Failure("SyntaxError", "NegativeIntegerArgument",
                            absl::StrCat(ToAbsl(clause), " needs an Integer that is not negative."));
}

absl::StatusOr<int64_t> SkipOf(const Evaluation& skip, Execution& execution) {
  return skip ? RowCount("SKIP", skip, execution) : int64_t{0};
}

absl::StatusOr<int64_t> LimitOf(const Evaluation& limit, Execution& execution) {
  return limit ? RowCount("LIMIT", limit, execution) : kUnlimited;
}

// Adds a row unless an equivalent one is there. Answers whether it was new.
More Insert(KeptRow row, RowSet& rows, Held& held) {
  const size_t bytes = BytesOf(row);
  if (!rows.insert(std::move(row)).second) return false;
  RETURN_IF_ERROR(held.Add(bytes));
  return true;
}

}  // namespace

More Unit::Produce(Execution& /*execution*/, RowSink sink) const { return sink(); }

More Filter::Produce(Execution& execution, RowSink sink) const {
  return input_.Run(execution, [&]() -> More {
    RETURN_IF_ERROR(execution.Step());
    ASSIGN_OR_RETURN(const bool passes, IsTrue(condition_, execution));
    return passes ? sink() : true;
  });
}

More Extend::Produce(Execution& execution, RowSink sink) const {
  return input_.Run(execution, [&]() -> More {
    for (const Assignment& assignment : assignments_) {
      ASSIGN_OR_RETURN(execution.slot(assignment.slot), assignment.value(execution));
    }
    return sink();
  });
}

More Unwind::Produce(Execution& execution, RowSink sink) const {
  return input_.Run(execution, [&]() -> More {
    ASSIGN_OR_RETURN(const Value list, list_(execution));
    if (list.is_null()) return true;
    if (!list.is_list()) {
      execution.slot(slot_) = list;
      return sink();
    }
    for (const Value& element : list.list()) {
      RETURN_IF_ERROR(execution.Step());
      execution.slot(slot_) = element;
      ASSIGN_OR_RETURN(const bool more, sink());
      if (!more) return false;
    }
    return true;
  });
}

More Distinct::Produce(Execution& execution, RowSink sink) const {
  RowSet seen;
  Held held(execution);
  return input_.Run(execution, [&]() -> More {
    RETURN_IF_ERROR(execution.Step());
    ASSIGN_OR_RETURN(const bool is_new, Insert(CopyOut(execution, slots_), seen, held));
    return is_new ? sink() : true;
  });
}

More Slice::Produce(Execution& execution, RowSink sink) const {
  ASSIGN_OR_RETURN(int64_t to_skip, SkipOf(skip_, execution));
  ASSIGN_OR_RETURN(int64_t wanted, LimitOf(limit_, execution));
  if (wanted == 0) return true;
  bool more = true;
  const auto take = [&]() -> More {
    RETURN_IF_ERROR(execution.Step());
    if (to_skip > 0) {
      --to_skip;
      return true;
    }
    ASSIGN_OR_RETURN(more, sink());
    return more && --wanted > 0;
  };
  RETURN_IF_ERROR(input_.Run(execution, take).status());
  return more;
}

namespace {

struct SortedRow {
  KeptRow keys;
  KeptRow row;
  uint64_t number = 0;  // In the order of the input, so that the order is stable.
  size_t bytes = 0;
};

// Whether `a` comes before `b`.
bool Precedes(const SortedRow& a, const SortedRow& b, const std::vector<Sort::Key>& keys) {
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::weak_ordering order = values::Order(a.keys[i], b.keys[i]);
    if (std::is_neq(order)) return keys[i].descending ? std::is_gt(order) : std::is_lt(order);
  }
  return a.number < b.number;
}

// Rows beyond which a Slice takes none.
uint64_t RowsTaken(int64_t skip, int64_t limit) {
  return limit == kUnlimited ? std::numeric_limits<uint64_t>::max()
                             : static_cast<uint64_t>(skip) + static_cast<uint64_t>(limit);
}

}  // namespace

More Sort::Produce(Execution& execution, RowSink sink) const {
  ASSIGN_OR_RETURN(const int64_t skip, SkipOf(skip_, execution));
  ASSIGN_OR_RETURN(const int64_t limit, LimitOf(limit_, execution));
  const uint64_t wanted = RowsTaken(skip, limit);
  const auto precedes = [&](const SortedRow& a, const SortedRow& b) { return Precedes(a, b, keys_); };
  std::vector<SortedRow> rows;  // With a limit, a heap whose front is the last row in order.
  Held held(execution);
  uint64_t number = 0;
  const auto take = [&]() -> More {
    RETURN_IF_ERROR(execution.Step());
    SortedRow row{.keys = {}, .row = {}, .number = number++};
    for (const Key& key : keys_) {
      ASSIGN_OR_RETURN(Value value, key.value(execution));
      row.keys.push_back(std::move(value));
    }
    if (rows.size() >= wanted && (rows.empty() || !precedes(row, rows.front()))) return true;
    row.row = CopyOut(execution, slots_);
    row.bytes = BytesOf(row.keys) + BytesOf(row.row);
    if (rows.size() >= wanted) {
      std::pop_heap(rows.begin(), rows.end(), precedes);
      held.Remove(rows.back().bytes);
      rows.pop_back();
    }
    RETURN_IF_ERROR(held.Add(row.bytes));
    rows.push_back(std::move(row));
    if (limit != kUnlimited) std::push_heap(rows.begin(), rows.end(), precedes);
    return true;
  };
  RETURN_IF_ERROR(input_.Run(execution, take).status());
  std::sort(rows.begin(), rows.end(), precedes);
  for (const SortedRow& row : rows) {
    RETURN_IF_ERROR(execution.Step());
    CopyBack(row.row, slots_, execution);
    ASSIGN_OR_RETURN(const bool more, sink());
    if (!more) return false;
  }
  return true;
}

Group::Aggregates Group::NewAggregates() const {
  Aggregates aggregates;
  for (const Aggregation& aggregation : aggregations_) {
    aggregates.push_back(aggregation.function == nullptr
                             ? functions::MakeCountStar()
                             : functions::MakeAggregate(aggregation.function->id, aggregation.distinct));
  }
  return aggregates;
}

absl::Status Group::Add(Execution& execution, Held& held, const Aggregates& aggregates) const {
  for (size_t i = 0; i < aggregations_.size(); ++i) {
    const std::vector<Evaluation>& arguments = aggregations_[i].arguments;
    if (arguments.size() > 1) {
      ASSIGN_OR_RETURN(const Value parameter, arguments[1](execution));
      RETURN_IF_ERROR(aggregates[i]->SetParameter(parameter));
    }
    Value value;
    if (!arguments.empty()) {
      ASSIGN_OR_RETURN(value, arguments[0](execution));
    }
    RETURN_IF_ERROR(held.Add(aggregates[i]->KeptBytes(value)));
    RETURN_IF_ERROR(aggregates[i]->Add(value));
  }
  return absl::OkStatus();
}

More Group::Produce(Execution& execution, RowSink sink) const {
  constexpr size_t kBytesOfAggregate = 128;
  Held held(execution);
  absl::flat_hash_map<KeptRow, size_t, HashRow, SameRow> numbers;
  std::vector<std::pair<KeptRow, Aggregates>> groups;
  if (keys_.empty()) groups.emplace_back(KeptRow(), NewAggregates());
  const auto take = [&]() -> More {
    RETURN_IF_ERROR(execution.Step());
    size_t number = 0;
    if (!keys_.empty()) {
      KeptRow keys;
      for (const Assignment& key : keys_) {
        ASSIGN_OR_RETURN(Value value, key.value(execution));
        keys.push_back(std::move(value));
      }
      const auto [entry, added] = numbers.try_emplace(keys, groups.size());
      number = entry->second;
      if (added) {
        RETURN_IF_ERROR(held.Add(2 * BytesOf(keys) + aggregations_.size() * kBytesOfAggregate));
        groups.emplace_back(std::move(keys), NewAggregates());
      }
    }
    RETURN_IF_ERROR(Add(execution, held, groups[number].second));
    return true;
  };
  RETURN_IF_ERROR(input_.Run(execution, take).status());
  for (const auto& [keys, aggregates] : groups) {
    RETURN_IF_ERROR(execution.Step());
    for (size_t i = 0; i < keys_.size(); ++i) execution.slot(keys_[i].slot) = keys[i];
    for (size_t i = 0; i < aggregations_.size(); ++i) {
      ASSIGN_OR_RETURN(Value result, aggregates[i]->Result());
      ASSIGN_OR_RETURN(execution.slot(aggregations_[i].slot), execution.Checked(std::move(result)));
    }
    ASSIGN_OR_RETURN(const bool more, sink());
    if (!more) return false;
  }
  return true;
}

More Optional::Produce(Execution& execution, RowSink sink) const {
  return input_.Run(execution, [&]() -> More {
    bool found = false;
    ASSIGN_OR_RETURN(const bool more, inner_.Run(execution, [&]() -> More {
      found = true;
      return sink();
    }));
    if (found) return more;
    for (const int slot : slots_) execution.slot(slot) = Value();
    return sink();
  });
}

More Union::Produce(Execution& execution, RowSink sink) const {
  for (const Part& part : parts_) {
    ASSIGN_OR_RETURN(const bool more, part.rows->Run(execution, [&]() -> More {
      CopyBack(CopyOut(execution, part.columns), parts_.front().columns, execution);
      return sink();
    }));
    if (!more) return false;
  }
  return true;
}

namespace {

absl::StatusOr<values::Map> NewProperties(const Evaluation& properties, Execution& execution) {
  if (!properties) return values::Map();
  ASSIGN_OR_RETURN(const Value map, properties(execution));
  if (map.is_null()) return values::Map();
  if (!map.is_map()) return functions::WrongType("CREATE", "a Map of properties", map);
  for (const auto& [key, value] : map.map()) {
    if (value.is_map() || value.is_node() || value.is_relationship() || value.is_path()) {
      return functions::TypeFailure("InvalidPropertyType", absl::StrCat("A property cannot be a value of type ",
                                                                        ToAbsl(values::TypeName(value)), "."));
    }
  }
  return map.map();
}

}  // namespace

absl::Status CreateEntities::Create(Execution& execution) const {
  GraphWriter* writer = execution.writer();
  if (writer == nullptr) return absl::InternalError("CREATE in a query that only reads");
  for (const NewNode& node : nodes_) {
    ASSIGN_OR_RETURN(values::Map properties, NewProperties(node.properties, execution));
    execution.slot(node.slot) = Value(writer->AddNode(node.labels, std::move(properties)));
  }
  for (const NewRelationship& relationship : relationships_) {
    const Value start = execution.slot(relationship.start);
    const Value end = execution.slot(relationship.end);
    if (!start.is_node() || !end.is_node()) {
      return functions::Failure("SemanticError", "MissingNode", "CREATE needs a node at each end of a relationship.");
    }
    ASSIGN_OR_RETURN(values::Map properties, NewProperties(relationship.properties, execution));
    execution.slot(relationship.slot) =
        Value(writer->AddRelationship(start.node().id, end.node().id, relationship.type, std::move(properties)));
  }
  return absl::OkStatus();
}

More CreateEntities::Produce(Execution& execution, RowSink sink) const {
  std::vector<KeptRow> rows;
  Held held(execution);
  const auto take = [&]() -> More {
    rows.push_back(CopyOut(execution, kept_));
    RETURN_IF_ERROR(held.Add(BytesOf(rows.back())));
    return true;
  };
  RETURN_IF_ERROR(input_.Run(execution, take).status());
  std::vector<KeptRow> created;
  std::vector<int> made;
  for (const NewNode& node : nodes_) made.push_back(node.slot);
  for (const NewRelationship& relationship : relationships_) made.push_back(relationship.slot);
  for (const KeptRow& row : rows) {
    CopyBack(row, kept_, execution);
    RETURN_IF_ERROR(Create(execution));
    created.push_back(CopyOut(execution, made));
    RETURN_IF_ERROR(held.Add(BytesOf(created.back())));
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    CopyBack(rows[i], kept_, execution);
    CopyBack(created[i], made, execution);
    ASSIGN_OR_RETURN(const bool more, sink());
    if (!more) return false;
  }
  return true;
}

}  // namespace toolgate::executors::cypher
