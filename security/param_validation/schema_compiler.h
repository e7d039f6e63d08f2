// Turns schemas into a SchemaProgram.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_SCHEMA_COMPILER_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_SCHEMA_COMPILER_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/json.h"
#include "security/param_validation/json_schema.h"
#include "security/param_validation/schema_program.h"
#include "security/param_validation/schema_registry.h"

namespace toolgate::security::param_validation {

// Used once.
class SchemaCompiler {
 public:
  SchemaCompiler(SchemaRegistry& registry, const JsonSchemaOptions& options);

  absl::StatusOr<SchemaProgram> Compile(const Json& root);

 private:
  // The schema object that is being compiled.
  struct Frame {
    const Json& schema;
    uint32_t node;
    uint32_t resource;
    std::string pointer;
    bool closed;  // close_objects applies to it.
    Dialect dialect;
    std::vector<Instruction> code;
  };
  // Target of a $dynamicRef in each resource.
  struct DynamicTarget {
    std::string anchor;  // Empty for a static one.
    bool closed;
  };
  struct Pending {
    const Json* schema;
    uint32_t node;
    bool closed;
  };

  // The node of a schema, which is queued for compilation if it is new.
  uint32_t NodeFor(const Json& schema, bool closed);
  // A separate node that no value satisfies.
  uint32_t FalseNode(uint32_t resource);
  absl::Status CompilePending();
  absl::Status CompileNode(const Pending& pending);
  absl::Status CompileObject(Frame& frame);
  absl::Status CheckKeywords(const Frame& frame) const;

  absl::Status CompileType(Frame& frame);
  absl::Status CompileEnum(Frame& frame);
  absl::Status CompileNumbers(Frame& frame);
  absl::Status CompileStrings(Frame& frame);
  absl::Status CompileFormat(Frame& frame);
  absl::Status CompileOwnFormat(Frame& frame);
  absl::Status RefuseFormat(const Frame& frame, const Json& name) const;
  absl::Status CompileArrays(Frame& frame);
  absl::Status CompileItems(Frame& frame);
  absl::Status CompileContains(Frame& frame);
  absl::Status CompileObjects(Frame& frame);
  absl::Status CompileProperties(Frame& frame);
  absl::Status CompileRequired(Frame& frame, ObjectRule& rule, bool& any);
  absl::Status CompileDependents(Frame& frame);
  absl::Status CompileReferences(Frame& frame);
  absl::Status CompileDynamicReference(Frame& frame);
  absl::StatusOr<std::vector<uint32_t>> CompileBranches(const Frame& frame, const char* keyword);
  absl::Status CompileCombinations(Frame& frame);
  absl::Status CompileCondition(Frame& frame);
  absl::Status CompileUnevaluated(Frame& frame);
  absl::Status CompileDefinitions(Frame& frame);
  absl::Status CompileDefaults(Frame& frame);

  absl::Status CompileBound(Frame& frame, const char* keyword, Op op);
  absl::Status CompileNumber(Frame& frame, const char* keyword, Op op);
  absl::StatusOr<uint32_t> AddPattern(const Frame& frame, std::string_view place, const std::string& source);
  absl::StatusOr<uint32_t> ChildNode(const Frame& frame, std::string_view place, const Json& child, bool closed);
  absl::StatusOr<std::vector<std::string>> Names(const Frame& frame, std::string_view place, const Json& list);
  absl::StatusOr<const Json*> ResolveReference(const Frame& frame, const char* keyword, ReferenceTarget& target);

  // For closing objects: the relation of an in-place subschema to the surrounding object.
  bool ClosesInPlace(const Frame& frame) const;
  bool ClosesProperty(const Frame& frame, const std::string& name);
  bool ReachesProperty(const Json& schema, const std::string* name, int depth);
  bool ReachesPropertyInPlace(const Json& schema, const std::string* name, int depth);

  const Json* DefaultOf(const Json& schema, int depth);
  absl::Status FinishDynamicReferences();
  absl::Status CheckRecursion() const;
  // The nodes that an instruction applies to the value itself.
  void AppendInPlace(const Instruction& instruction, std::vector<uint32_t>& nodes) const;
  void PruneDefaults();

  absl::Status Refuse(const Frame& frame, std::string_view place, std::string_view what) const;

  SchemaRegistry& registry_;
  const JsonSchemaOptions& options_;
  SchemaProgram program_;
  std::deque<Pending> pending_;
  std::vector<std::string> pointers_;  // By node.
  absl::flat_hash_map<std::pair<const Json*, bool>, uint32_t> nodes_;
  std::vector<bool> entered_;                   // By resource: some node of it is compiled.
  std::vector<DynamicTarget> dynamic_targets_;  // By index of program_.dynamic_refs.
  absl::flat_hash_map<std::string, uint32_t> patterns_;
};

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_SCHEMA_COMPILER_H_
