// Adds missing members that have a default.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_DEFAULT_FILLER_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_DEFAULT_FILLER_H_

#include <cstdint>

#include "common/json.h"
#include "security/param_validation/schema_program.h"

namespace toolgate::security::param_validation {

// Borrows the program. Thread-safe.
class DefaultFiller {
 public:
  explicit DefaultFiller(const SchemaProgram& program) : program_(program) {}

  void Fill(Json& value) const;

 private:
  // `depth` limits the depth of the value, `inserted` the nesting of inserted defaults.
  void FillNode(uint32_t node, Json& value, int depth, int inserted) const;
  void FillObject(const DefaultRule& rule, Json& value, int depth, int inserted) const;
  void FillArray(const DefaultRule& rule, Json& value, int depth, int inserted) const;

  const SchemaProgram& program_;
};

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_DEFAULT_FILLER_H_
