// JSON Schema, draft 2020-12, compiled.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_JSON_SCHEMA_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_JSON_SCHEMA_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "common/tool_error.h"

namespace toolgate::security::param_validation {

struct SchemaProgram;

// Schemas that references may name, by absolute URI.
using SchemaDocuments = std::map<std::string, Json, std::less<>>;

struct JsonSchemaOptions {
  // Whether "format" is asserted; otherwise it is only an annotation, unless the schema's own dialect asserts it.
  bool assert_formats = false;
  // Treats a schema object that has "properties" or "patternProperties", but does not say whether others are allowed,
  // as refusing others. If such a schema also has allOf, anyOf, $ref or the like, the properties that those evaluate
  // are allowed.
  bool close_objects = false;
  // Refuses what the standard ignores: unknown keywords, unless they begin with "x-", and formats that are not
  // asserted. For schemas that protect something, where a misspelt keyword would have no effect.
  bool strict = false;
  // URI against which the root's relative references are resolved.
  std::string base_uri = {};
  // The only documents, besides the standard's own metaschemas, that a reference may lead to: nothing is ever fetched.
  // Used during Compile only; may be null.
  const SchemaDocuments* documents = nullptr;
  // Validate stops collecting at this many.
  size_t max_violations = 20;
};

// One schema. Immutable once made, hence thread-safe.
//
// Drafts 4 to 2019-09 are supported if "$schema" names them, as far as they differ in keywords (except $recursiveRef).
class JsonSchema {
 public:
  // INVALID_ARGUMENT for a schema that is malformed, has an unresolvable reference or refers to itself without end;
  // UNIMPLEMENTED for a pattern that cannot be matched in linear time or within its limits. The message begins with the
  // JSON pointer of the offending keyword.
  static absl::StatusOr<std::unique_ptr<const JsonSchema>> Compile(const Json& schema,
                                                                   const JsonSchemaOptions& options = {});
  ~JsonSchema();
  JsonSchema(const JsonSchema&) = delete;
  JsonSchema& operator=(const JsonSchema&) = delete;

  // Allocates nothing for ordinary schemas.
  bool IsValid(const Json& value) const;

  // Violations, in the order of the schema's keywords; empty exactly if IsValid. No row quotes a value: keys are named
  // (at most 64 characters of one), values are described by type and size.
  std::vector<Violation> Validate(const Json& value) const;

  // Removes members that are null, if the schema names the property, does not require it and accepts no null for it
  // (null_remover.h). A valid value stays as it is.
  void RemoveNulls(Json& value) const;

  // Adds missing members that have a default, along properties, items, prefixItems, $ref and allOf, in every object
  // that is present. Changes nothing else.
  void FillDefaults(Json& value) const;

 private:
  JsonSchema(std::unique_ptr<const SchemaProgram> program, size_t max_violations);

  const std::unique_ptr<const SchemaProgram> program_;
  const size_t max_violations_;
};

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_JSON_SCHEMA_H_
