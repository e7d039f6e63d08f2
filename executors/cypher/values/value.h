// Values of openCypher.
#ifndef TOOLGATE_EXECUTORS_CYPHER_VALUES_VALUE_H_
#define TOOLGATE_EXECUTORS_CYPHER_VALUES_VALUE_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "executors/cypher/temporal/temporal.h"

namespace toolgate::executors::cypher::values {

class Value;
using List = std::vector<Value>;
using Map = std::map<std::string, Value, std::less<>>;  // Sorted by the bytes of its keys.

using NodeId = int64_t;
using RelationshipId = int64_t;

// A node by its id. Labels and properties are the graph's.
struct Node {
  NodeId id = 0;

  friend bool operator==(const Node&, const Node&) = default;
};

// A relationship by its id, with its ends as they are stored. Type and properties are the graph's.
struct Relationship {
  RelationshipId id = 0;
  NodeId start = 0;
  NodeId end = 0;

  friend bool operator==(const Relationship& a, const Relationship& b) { return a.id == b.id; }
};

// Alternating nodes and relationships: one node more than relationships, in the order in which they were walked.
struct Path {
  std::vector<Node> nodes;
  std::vector<Relationship> relationships;

  friend bool operator==(const Path&, const Path&) = default;
};

enum class Type {
  kNull,
  kBoolean,
  kInteger,
  kFloat,
  kString,
  kList,
  kMap,
  kNode,
  kRelationship,
  kPath,
  kTemporal,  // A date, a time, both, or a duration: temporal::KindOf tells.
};

// One value: null, a number, a text, a list, an entity of a graph. Immutable. Copies are cheap, because strings, lists,
// maps, paths and temporal values are shared; their contents may be read by several threads at once. An accessor must
// match type().
//
// Comparing, printing and destroying a value recurse as deep as it is nested. Code that builds values from a query must
// bound depth().
class Value {
 public:
  Value() = default;  // Null.
  explicit Value(bool value) : data_(value) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) explicit Value(T value) : data_(static_cast<int64_t>(value)) {}
  explicit Value(double value) : data_(value) {}
  explicit Value(std::string value) : data_(std::make_shared<const std::string>(std::move(value))) {}
  explicit Value(std::string_view value) : Value(std::string(value)) {}
  explicit Value(const char* value) : Value(std::string(value)) {}
  explicit Value(List value);
  explicit Value(Map value);
  explicit Value(Node value) : data_(value) {}
  explicit Value(Relationship value) : data_(value) {}
  explicit Value(Path value) : data_(std::make_shared<const Path>(std::move(value))) {}
  explicit Value(const temporal::Temporal& value) : data_(std::make_shared<const temporal::Temporal>(value)) {}

  Type type() const { return static_cast<Type>(data_.index()); }
  bool is_null() const { return type() == Type::kNull; }
  bool is_boolean() const { return type() == Type::kBoolean; }
  bool is_integer() const { return type() == Type::kInteger; }
  bool is_float() const { return type() == Type::kFloat; }
  bool is_number() const { return is_integer() || is_float(); }
  bool is_string() const { return type() == Type::kString; }
  bool is_list() const { return type() == Type::kList; }
  bool is_map() const { return type() == Type::kMap; }
  bool is_node() const { return type() == Type::kNode; }
  bool is_relationship() const { return type() == Type::kRelationship; }
  bool is_path() const { return type() == Type::kPath; }
  bool is_temporal() const { return type() == Type::kTemporal; }

  bool boolean() const { return std::get<bool>(data_); }
  int64_t integer() const { return std::get<int64_t>(data_); }
  double floating() const { return std::get<double>(data_); }
  // An integer or a float as a float.
  double number() const { return is_integer() ? static_cast<double>(integer()) : floating(); }
  const std::string& string() const { return *std::get<std::shared_ptr<const std::string>>(data_); }
  const List& list() const { return std::get<std::shared_ptr<const Nested<List>>>(data_)->contents; }
  const Map& map() const { return std::get<std::shared_ptr<const Nested<Map>>>(data_)->contents; }
  Node node() const { return std::get<Node>(data_); }
  const Relationship& relationship() const { return std::get<Relationship>(data_); }
  const Path& path() const { return *std::get<std::shared_ptr<const Path>>(data_); }
  const temporal::Temporal& temporal() const { return *std::get<std::shared_ptr<const temporal::Temporal>>(data_); }

  // Bytes that the value occupies, shared contents included. Takes constant time.
  size_t MemoryBytes() const;

  // Of a value with shared contents: expires with the last value that shares them. Expired for others.
  std::weak_ptr<const void> contents() const;

  // Levels of lists and maps: 0 for a scalar, 1 for a list of scalars.
  int depth() const;

 private:
  // A list or map with the facts that would take a walk through it.
  template <typename T>
  struct Nested {
    T contents;
    int depth = 1;
    size_t bytes = 0;
  };

  // In the order of Type.
  std::variant<std::monostate, bool, int64_t, double, std::shared_ptr<const std::string>,
               std::shared_ptr<const Nested<List>>, std::shared_ptr<const Nested<Map>>, Node, Relationship,
               std::shared_ptr<const Path>, std::shared_ptr<const temporal::Temporal>>
      data_;
};

// The name of a value's type as messages use it: "Integer", "Node", "Date".
std::string_view TypeName(const Value& value);

}  // namespace toolgate::executors::cypher::values

#endif  // TOOLGATE_EXECUTORS_CYPHER_VALUES_VALUE_H_
