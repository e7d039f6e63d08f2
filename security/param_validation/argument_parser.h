// Parses a model's text to a tool's arguments.
#ifndef TOOLGATE_SECURITY_PARAM_VALIDATION_ARGUMENT_PARSER_H_
#define TOOLGATE_SECURITY_PARAM_VALIDATION_ARGUMENT_PARSER_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "toolgate/config/v1/config.pb.h"

namespace toolgate::security::param_validation {

// Immutable, hence thread-safe.
class ArgumentParser {
 public:
  // `config` is within its ranges (common/yaml/config_rules.h).
  explicit ArgumentParser(const config::v1::ParamValidation& config);

  // Returns an object, or INVALID_PARAMS with one violation of the rule "json", "type" or "prototypeKey". Empty text,
  // which models send for a tool without arguments, is the empty object.
  absl::StatusOr<Json> Parse(std::string_view text) const;

  const JsonLimits& limits() const { return limits_; }

 private:
  JsonLimits limits_;
};

}  // namespace toolgate::security::param_validation

#endif  // TOOLGATE_SECURITY_PARAM_VALIDATION_ARGUMENT_PARSER_H_
