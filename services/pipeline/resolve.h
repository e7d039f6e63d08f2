// The step that finds the tool and reads its arguments.
#ifndef TOOLGATE_SERVICES_PIPELINE_RESOLVE_H_
#define TOOLGATE_SERVICES_PIPELINE_RESOLVE_H_

#include <functional>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/catalog.h"
#include "security/layer.h"

namespace toolgate::services::pipeline {

// Fail-closed routing: UNKNOWN_TOOL, naming the nearest known tool, unless the catalogue has it. The arguments become a
// tree here, under the guards of layer 2's parser, because layer 1 looks at them field by field.
class Resolve final : public security::Layer {
 public:
  using ParseArguments = std::function<absl::StatusOr<Json>(std::string_view)>;

  Resolve(std::shared_ptr<const executors::Catalog> catalog, ParseArguments parse);

  std::string_view name() const override { return "resolve"; }
  absl::StatusOr<security::ToolResult> Run(security::ToolCall& call, security::Next next) override;

 private:
  absl::Status Unknown(std::string_view tool_id) const;

  const std::shared_ptr<const executors::Catalog> catalog_;
  const ParseArguments parse_;
};

}  // namespace toolgate::services::pipeline

#endif  // TOOLGATE_SERVICES_PIPELINE_RESOLVE_H_
