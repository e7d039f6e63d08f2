#include "executors/cypher/values/value.h"

#include <algorithm>

namespace toolgate::executors::cypher::values {
namespace {

// Overhead of one heap allocation.
constexpr size_t kAllocationBytes = 32;
// Overhead of one member of a map beyond key and value.
constexpr size_t kMapNodeBytes = 64;

std::string_view TemporalName(temporal::Kind kind) {
  switch (kind) {
    case temporal::Kind::kDate:
      return "Date";
    case temporal::Kind::kLocalTime:
      return "LocalTime";
    case temporal::Kind::kTime:
      return "Time";
    case temporal::Kind::kLocalDateTime:
      return "LocalDateTime";
    case temporal::Kind::kDateTime:
      return "DateTime";
    case temporal::Kind::kDuration:
      return "Duration";
  }
  return "Temporal";
}

}  // namespace

std::string_view TypeName(const Value& value) {
  switch (value.type()) {
    case Type::kNull:
      return "Null";
    case Type::kBoolean:
      return "Boolean";
    case Type::kInteger:
      return "Integer";
    case Type::kFloat:
      return "Float";
    case Type::kString:
      return "String";
    case Type::kList:
      return "List";
    case Type::kMap:
      return "Map";
    case Type::kNode:
      return "Node";
    case Type::kRelationship:
      return "Relationship";
    case Type::kPath:
      return "Path";
    case Type::kTemporal:
      return TemporalName(temporal::KindOf(value.temporal()));
  }
  return "unknown";
}

Value::Value(List value) {
  auto nested = std::make_shared<Nested<List>>();
  nested->contents = std::move(value);
  nested->bytes = kAllocationBytes;
  for (const Value& item : nested->contents) {
    nested->depth = std::max(nested->depth, item.depth() + 1);
    nested->bytes += item.MemoryBytes();
  }
  data_ = std::shared_ptr<const Nested<List>>(std::move(nested));
}

Value::Value(Map value) {
  auto nested = std::make_shared<Nested<Map>>();
  nested->contents = std::move(value);
  nested->bytes = kAllocationBytes;
  for (const auto& [key, item] : nested->contents) {
    nested->depth = std::max(nested->depth, item.depth() + 1);
    nested->bytes += kMapNodeBytes + key.size() + item.MemoryBytes();
  }
  data_ = std::shared_ptr<const Nested<Map>>(std::move(nested));
}

std::weak_ptr<const void> Value::contents() const {
  return std::visit(
      [](const auto& data) -> std::weak_ptr<const void> {
        if constexpr (requires { std::shared_ptr<const void>(data); }) {
          return std::shared_ptr<const void>(data);
        } else {
          return {};
        }
      },
      data_);
}

size_t Value::MemoryBytes() const {
  switch (type()) {
    case Type::kString:
      return sizeof(Value) + kAllocationBytes + string().size();
    case Type::kList:
      return sizeof(Value) + std::get<std::shared_ptr<const Nested<List>>>(data_)->bytes;
    case Type::kMap:
      return sizeof(Value) + std::get<std::shared_ptr<const Nested<Map>>>(data_)->bytes;
    case Type::kPath:
      return sizeof(Value) + kAllocationBytes + path().nodes.size() * sizeof(Node) +
             path().relationships.size() * sizeof(Relationship);
    case Type::kTemporal:
      return sizeof(Value) + kAllocationBytes + sizeof(temporal::Temporal);
    default:
      return sizeof(Value);
  }
}

int Value::depth() const {
  if (is_list()) return std::get<std::shared_ptr<const Nested<List>>>(data_)->depth;
  if (is_map()) return std::get<std::shared_ptr<const Nested<Map>>>(data_)->depth;
  return 0;
}

}  // namespace toolgate::executors::cypher::values
