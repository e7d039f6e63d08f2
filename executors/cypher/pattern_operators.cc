#include "executors/cypher/pattern_operators.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "common/status_macros.h"
#include "executors/cypher/functions/failure.h"
#include "executors/cypher/values/comparison.h"

namespace toolgate::executors::cypher {
namespace {

using More = absl::StatusOr<bool>;
using values::List;
using values::Path;
using values::Value;

values::Relationship ToValue(const Graph::Relationship& relationship) {
  return {.id = relationship.id, .start = relationship.start, .end = relationship.end};
}

NodeId OtherEnd(const values::Relationship& relationship, NodeId end) {
  return relationship.start == end ? relationship.end : relationship.start;
}

bool HasType(std::string_view type, const std::vector<std::string>& types) {
  return types.empty() || std::find(types.begin(), types.end(), type) != types.end();
}

// Whether a slot holds the relationship, or a list with it.
bool Holds(const Value& value, RelationshipId id) {
  if (value.is_relationship()) return value.relationship().id == id;
  if (!value.is_list()) return false;
  return std::any_of(value.list().begin(), value.list().end(),
                     [&](const Value& item) { return item.is_relationship() && item.relationship().id == id; });
}

bool IsTaken(const Hop& hop, RelationshipId id, Execution& execution) {
  return std::any_of(hop.others.begin(), hop.others.end(), [&](int slot) { return Holds(execution.slot(slot), id); });
}

bool IsNode(const Value& value, NodeId id) { return value.is_node() && value.node().id == id; }

// Binds the far end of a hop, or checks it when it is bound.
bool Arrive(const Hop& hop, NodeId end, Execution& execution) {
  if (hop.to_is_bound) return IsNode(execution.slot(hop.to), end);
  execution.slot(hop.to) = Value(values::Node{end});
  return true;
}

absl::StatusOr<bool> HasProperties(const VariableHop& hop, RelationshipId id, Execution& execution) {
  for (const auto& [key, expected] : hop.properties) {
    ASSIGN_OR_RETURN(const Value actual, execution.graph().RelationshipProperty(id, key));
    ASSIGN_OR_RETURN(const Value wanted, expected(execution));
    if (values::Equal(actual, wanted) != true) return false;
  }
  return true;
}

// The relationships that a trail may go on with from a node.
absl::StatusOr<std::vector<values::Relationship>> Steps(const VariableHop& hop, NodeId node, Execution& execution) {
  std::vector<values::Relationship> steps;
  VisitOutcome outcome;
  const absl::Status visit =
      execution.graph().Expand(node, hop.hop.direction, hop.hop.types, [&](const Graph::Relationship& relationship) {
        return outcome.Take([&]() -> More {
          RETURN_IF_ERROR(execution.Step());
          if (IsTaken(hop.hop, relationship.id, execution)) return true;
          ASSIGN_OR_RETURN(const bool matches, HasProperties(hop, relationship.id, execution));
          if (matches) steps.push_back(ToValue(relationship));
          return true;
        }());
      });
  RETURN_IF_ERROR(std::move(outcome).Finish(visit).status());
  return steps;
}

Value TrailValue(const std::vector<values::Relationship>& trail, bool reversed) {
  List list;
  list.reserve(trail.size());
  for (const values::Relationship& relationship : trail) list.emplace_back(relationship);
  if (reversed) std::reverse(list.begin(), list.end());
  return Value(std::move(list));
}

}  // namespace

More ScanNodes::Produce(Execution& execution, RowSink sink) const {
  return input_.Run(execution, [&]() -> More {
    VisitOutcome outcome;
    const absl::Status visit = execution.graph().ScanNodes(label_, [&](NodeId id) {
      return outcome.Take([&]() -> More {
        RETURN_IF_ERROR(execution.Step());
        execution.slot(slot_) = Value(values::Node{id});
        return sink();
      }());
    });
    return std::move(outcome).Finish(visit);
  });
}

More SeekNodes::Seek(const Value& value, absl::flat_hash_set<NodeId>* seen, Execution& execution, RowSink sink) const {
  if (value.is_null()) return true;
  VisitOutcome outcome;
  const absl::Status visit = execution.graph().FindNodes(label_, key_, value, [&](NodeId id) {
    return outcome.Take([&]() -> More {
      RETURN_IF_ERROR(execution.Step());
      if (seen != nullptr && !seen->insert(id).second) return true;
      execution.slot(slot_) = Value(values::Node{id});
      return sink();
    }());
  });
  return std::move(outcome).Finish(visit);
}

More SeekNodes::Produce(Execution& execution, RowSink sink) const {
  return input_.Run(execution, [&]() -> More {
    ASSIGN_OR_RETURN(const Value value, value_(execution));
    if (!is_list_) return Seek(value, nullptr, execution, sink);
    if (value.is_null()) return true;
    if (!value.is_list()) return functions::WrongType("IN", "a List on its right", value);
    absl::flat_hash_set<NodeId> seen;
    for (const Value& element : value.list()) {
      RETURN_IF_ERROR(execution.Step());
      ASSIGN_OR_RETURN(const bool more, Seek(element, &seen, execution, sink));
      if (!more) return false;
    }
    return true;
  });
}

More CheckNode::Produce(Execution& execution, RowSink sink) const {
  return input_.Run(execution, [&]() -> More {
    const Value& value = execution.slot(slot_);
    if (!value.is_node()) return true;
    for (const std::string& label : labels_) {
      ASSIGN_OR_RETURN(const bool has, execution.graph().HasLabel(value.node().id, label));
      if (!has) return true;
    }
    return sink();
  });
}

More Expand::Produce(Execution& execution, RowSink sink) const {
  return input_.Run(execution, [&]() -> More {
    const Value from = execution.slot(hop_.from);
    if (!from.is_node()) return true;
    const NodeId start = from.node().id;
    VisitOutcome outcome;
    const absl::Status visit =
        execution.graph().Expand(start, hop_.direction, hop_.types, [&](const Graph::Relationship& found) {
          return outcome.Take([&]() -> More {
            RETURN_IF_ERROR(execution.Step());
            const values::Relationship relationship = ToValue(found);
            if (IsTaken(hop_, relationship.id, execution)) return true;
            if (!Arrive(hop_, OtherEnd(relationship, start), execution)) return true;
            execution.slot(hop_.relationship) = Value(relationship);
            return sink();
          }());
        });
    return std::move(outcome).Finish(visit);
  });
}

namespace {

// One search for trails from a node: the way to the present one, and at each of its nodes the steps not yet taken.
class TrailSearch {
 public:
  TrailSearch(const VariableHop& hop, Execution& execution, RowSink sink)
      : hop_(hop), execution_(execution), sink_(sink), held_(execution) {}

  More Run(NodeId start) {
    if (hop_.min <= 0) {
      ASSIGN_OR_RETURN(const bool more, Emit(start));
      if (!more) return false;
    }
    RETURN_IF_ERROR(Enter(start));
    while (!levels_.empty()) {
      Level& level = levels_.back();
      if (level.next == level.steps.size()) {
        Leave();
        continue;
      }
      const values::Relationship step = level.steps[level.next++];
      if (on_trail_.contains(step.id)) continue;
      RETURN_IF_ERROR(execution_.Step());
      const NodeId end = OtherEnd(step, level.node);
      trail_.push_back(step);
      on_trail_.insert(step.id);
      if (static_cast<int64_t>(trail_.size()) >= hop_.min) {
        ASSIGN_OR_RETURN(const bool more, Emit(end));
        if (!more) return false;
      }
      RETURN_IF_ERROR(Enter(end));
    }
    return true;
  }

 private:
  struct Level {
    NodeId node = 0;
    std::vector<values::Relationship> steps;
    size_t next = 0;
  };

  static size_t BytesOf(const Level& level) {
    constexpr size_t kBytesOfStep = 64;
    return sizeof(Level) + kBytesOfStep + level.steps.size() * sizeof(values::Relationship);
  }

  absl::Status Enter(NodeId node) {
    Level level{.node = node, .steps = {}};
    if (static_cast<int64_t>(trail_.size()) < hop_.max) {
      ASSIGN_OR_RETURN(level.steps, Steps(hop_, node, execution_));
    }
    RETURN_IF_ERROR(held_.Add(BytesOf(level)));
    levels_.push_back(std::move(level));
    return absl::OkStatus();
  }

  void Leave() {
    held_.Remove(BytesOf(levels_.back()));
    levels_.pop_back();
    if (trail_.empty()) return;
    on_trail_.erase(trail_.back().id);
    trail_.pop_back();
  }

  More Emit(NodeId end) {
    if (!Arrive(hop_.hop, end, execution_)) return true;
    execution_.slot(hop_.hop.relationship) = TrailValue(trail_, hop_.reversed);
    return sink_();
  }

  const VariableHop& hop_;
  Execution& execution_;
  RowSink sink_;
  Held held_;
  std::vector<Level> levels_;
  std::vector<values::Relationship> trail_;
  absl::flat_hash_set<RelationshipId> on_trail_;
};

}  // namespace

More ExpandTrails::Produce(Execution& execution, RowSink sink) const {
  return input_.Run(execution, [&]() -> More {
    const Value from = execution.slot(hop_.hop.from);
    if (!from.is_node()) return true;
    return TrailSearch(hop_, execution, sink).Run(from.node().id);
  });
}

More MatchEnds::Produce(Execution& execution, RowSink sink) const {
  return input_.Run(execution, [&]() -> More {
    const Value value = execution.slot(hop_.relationship);
    if (!value.is_relationship()) return true;
    const values::Relationship relationship = value.relationship();
    if (IsTaken(hop_, relationship.id, execution)) return true;
    ASSIGN_OR_RETURN(const Graph::Relationship stored, execution.graph().GetRelationship(relationship.id));
    if (!HasType(stored.type, hop_.types)) return true;
    const auto match = [&](NodeId from, NodeId to) -> More {
      if (from_is_bound_ && !IsNode(execution.slot(hop_.from), from)) return true;
      if (!from_is_bound_) execution.slot(hop_.from) = Value(values::Node{from});
      return Arrive(hop_, to, execution) ? sink() : true;
    };
    if (hop_.direction != Direction::kIn) {
      ASSIGN_OR_RETURN(const bool more, match(relationship.start, relationship.end));
      if (!more) return false;
    }
    const bool loop = relationship.start == relationship.end;
    if (hop_.direction == Direction::kOut || (hop_.direction == Direction::kBoth && loop)) return true;
    return match(relationship.end, relationship.start);
  });
}

namespace {

// End of a relationship from `node` in a direction; nothing if it does not lead that way.
std::optional<NodeId> Follow(const values::Relationship& relationship, NodeId node, Direction direction) {
  if (direction != Direction::kIn && relationship.start == node) return relationship.end;
  if (direction != Direction::kOut && relationship.end == node) return relationship.start;
  return std::nullopt;
}

// End of a list of relationships from `start`; nothing unless they are a trail of the hop.
absl::StatusOr<std::optional<NodeId>> EndOfTrail(const VariableHop& hop, List trail, NodeId start,
                                                 Execution& execution) {
  const auto length = static_cast<int64_t>(trail.size());
  if (length < hop.min || length > hop.max) return std::optional<NodeId>();
  if (hop.reversed) std::reverse(trail.begin(), trail.end());
  NodeId node = start;
  for (const Value& item : trail) {
    RETURN_IF_ERROR(execution.Step());
    if (!item.is_relationship()) return std::optional<NodeId>();
    const values::Relationship relationship = item.relationship();
    ASSIGN_OR_RETURN(const Graph::Relationship stored, execution.graph().GetRelationship(relationship.id));
    ASSIGN_OR_RETURN(const bool matches, HasProperties(hop, relationship.id, execution));
    const std::optional<NodeId> next = Follow(relationship, node, hop.hop.direction);
    const bool allowed = matches && next.has_value() && HasType(stored.type, hop.hop.types) &&
                         !IsTaken(hop.hop, relationship.id, execution);
    if (!allowed) return std::optional<NodeId>();
    node = *next;
  }
  return std::optional<NodeId>(node);
}

}  // namespace

More FollowTrail::Produce(Execution& execution, RowSink sink) const {
  return input_.Run(execution, [&]() -> More {
    const Value from = execution.slot(hop_.hop.from);
    const Value list = execution.slot(hop_.hop.relationship);
    if (!from.is_node() || !list.is_list()) return true;
    ASSIGN_OR_RETURN(const std::optional<NodeId> end, EndOfTrail(hop_, list.list(), from.node().id, execution));
    return end.has_value() && Arrive(hop_.hop, *end, execution) ? sink() : true;
  });
}

namespace {

// One breadth-first search between two nodes.
class ShortestSearch {
 public:
  ShortestSearch(const VariableHop& hop, bool all, Execution& execution, RowSink sink)
      : hop_(hop), all_(all), execution_(execution), sink_(sink), held_(execution) {}

  More Run(NodeId start, NodeId end) {
    if (start == end && hop_.min <= 0) return Emit({});
    std::vector<NodeId> frontier = {start};
    reached_[start] = {};
    for (int64_t depth = 1; depth <= hop_.max && !frontier.empty(); ++depth) {
      std::vector<NodeId> next;
      for (const NodeId node : frontier) {
        RETURN_IF_ERROR(Visit(node, depth, start, end, next));
        if (!all_ && !arrivals_.empty()) break;
      }
      if (!arrivals_.empty()) return depth >= hop_.min ? EmitAll(start) : true;
      frontier = std::move(next);
    }
    return true;
  }

 private:
  struct Reached {
    int64_t depth = 0;
    std::vector<values::Relationship> by;  // The last steps of the shortest ways to the node.
  };

  absl::Status Visit(NodeId node, int64_t depth, NodeId start, NodeId end, std::vector<NodeId>& next) {
    constexpr size_t kBytesOfNode = 96;
    ASSIGN_OR_RETURN(const std::vector<values::Relationship> steps, Steps(hop_, node, execution_));
    for (const values::Relationship& step : steps) {
      const NodeId reached = OtherEnd(step, node);
      if (reached == end) {  // Kept apart, since a way may lead back to its own start.
        arrivals_.push_back(step);
        arrived_from_.push_back(node);
        if (!all_) return absl::OkStatus();
        continue;
      }
      const auto [entry, added] = reached_.try_emplace(reached);
      if (added) {
        entry->second.depth = depth;
        next.push_back(reached);
        RETURN_IF_ERROR(held_.Add(kBytesOfNode));
      }
      if (reached == start || entry->second.depth != depth || (!added && !all_)) continue;
      entry->second.by.push_back(step);
      RETURN_IF_ERROR(held_.Add(sizeof(step)));
    }
    return absl::OkStatus();
  }

  More EmitAll(NodeId start) {
    const size_t wanted = all_ ? arrivals_.size() : 1;
    for (size_t i = 0; i < wanted; ++i) {
      ASSIGN_OR_RETURN(const bool more, EmitWays(start, arrived_from_[i], arrivals_[i]));
      if (!more) return false;
    }
    return true;
  }

  // Every shortest way from the start to `node`, followed by `last`; walks backwards with a stack of its own.
  More EmitWays(NodeId start, NodeId node, const values::Relationship& last) {
    struct Level {
      NodeId node;
      size_t next = 0;
    };
    std::vector<Level> levels = {{node}};
    std::vector<values::Relationship> backwards = {last};
    while (!levels.empty()) {
      RETURN_IF_ERROR(execution_.Step());
      Level& level = levels.back();
      const std::vector<values::Relationship>& by = reached_[level.node].by;
      if (level.node == start && level.next++ == 0) {
        ASSIGN_OR_RETURN(const bool more, Emit({backwards.rbegin(), backwards.rend()}));
        if (!more) return false;
      } else if (level.node != start && level.next < by.size()) {
        const values::Relationship step = by[level.next++];
        backwards.push_back(step);
        levels.push_back({OtherEnd(step, level.node)});
        continue;
      }
      levels.pop_back();
      backwards.pop_back();
    }
    return true;
  }

  More Emit(const std::vector<values::Relationship>& trail) {
    execution_.slot(hop_.hop.relationship) = TrailValue(trail, hop_.reversed);
    return sink_();
  }

  const VariableHop& hop_;
  const bool all_;
  Execution& execution_;
  RowSink sink_;
  Held held_;
  absl::flat_hash_map<NodeId, Reached> reached_;
  std::vector<values::Relationship> arrivals_;
  std::vector<NodeId> arrived_from_;
};

}  // namespace

More ExpandShortest::Produce(Execution& execution, RowSink sink) const {
  return input_.Run(execution, [&]() -> More {
    const Value from = execution.slot(hop_.hop.from);
    const Value to = execution.slot(hop_.hop.to);
    if (!from.is_node() || !to.is_node()) return true;
    return ShortestSearch(hop_, all_, execution, sink).Run(from.node().id, to.node().id);
  });
}

More BuildPath::Produce(Execution& execution, RowSink sink) const {
  return input_.Run(execution, [&]() -> More {
    Path path;
    path.nodes.push_back(execution.slot(start_).node());
    const auto step = [&](const values::Relationship& relationship) {
      path.nodes.push_back({OtherEnd(relationship, path.nodes.back().id)});
      path.relationships.push_back(relationship);
    };
    for (const int slot : relationships_) {
      const Value& value = execution.slot(slot);
      if (value.is_relationship()) step(value.relationship());
      if (!value.is_list()) continue;
      for (const Value& item : value.list()) step(item.relationship());
    }
    execution.slot(slot_) = Value(std::move(path));
    return sink();
  });
}

}  // namespace toolgate::executors::cypher
