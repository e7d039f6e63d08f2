// Reads null as "left out" where the schema leaves no other meaning.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_NULL_REMOVER_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_NULL_REMOVER_H_

#include <cstdint>
#include <vector>

#include "common/json.h"
#include "security/param_validation/schema_program.h"

namespace toolgate::security::param_validation {

// Removes members that are null, if the schema names the property, does not require it, and accepts no null for it. A
// value with such a member is invalid in any case, so a valid value is never changed.
//
// Counts only what holds whatever else the value is: properties, items, $ref, allOf, and the one branch of an anyOf or
// oneOf that accepts the value's type. Which of several branches was meant would be a guess. Borrows the program.
// Thread-safe.
class NullRemover {
 public:
  explicit NullRemover(const SchemaProgram& program) : program_(program) {}

  void Remove(Json& value) const;

 private:
  // Nodes that apply to the same value, each once.
  using Nodes = std::vector<uint32_t>;

  // Adds `node` and the nodes that it applies to `value` in place.
  void Add(uint32_t node, const Json& value, Nodes& nodes) const;
  void AddInPlace(const Instruction& instruction, const Json& value, Nodes& nodes) const;
  // Whether a type that the node itself states excludes the value.
  bool ExcludesByType(uint32_t node, const Json& value, int depth) const;
  bool Requires(const Nodes& nodes, const std::string& name) const;
  // The nodes that apply to a member, if some name it as a property; otherwise those for further members.
  Nodes NodesOfMember(const Nodes& nodes, const std::string& name, const Json& member, bool& named) const;
  Nodes NodesOfItem(const Nodes& nodes, size_t position, const Json& item) const;
  bool AcceptNull(const Nodes& nodes) const;

  void RemoveIn(const Nodes& nodes, Json& value, int depth) const;
  void RemoveInObject(const Nodes& nodes, Json& value, int depth) const;

  const SchemaProgram& program_;
};

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_NULL_REMOVER_H_
