// The step that finds the tool and reads its arguments.
#ifndef TOOLGATE_SERVICES_PIPELINE_RESOLVE_H_
#define TOOLGATE_SERVICES_PIPELINE_RESOLVE_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/catalog.h"
#include "security/layer.h"
#include "security/param_validation/argument_parser.h"
#include "storage/store.h"

namespace toolgate::services::pipeline {

// Fail-closed routing: UNKNOWN_TOOL, naming the nearest known tool, unless the catalogue has it and its switch, if it
// names one, is on for the caller: a tool that is switched off is answered exactly like one that does not exist.
// NOT_CONFIGURED with the reason when the service cannot run it for the caller (ToolHandlers::available). The
// arguments become a tree here, under the guards of layer 2's parser, because layer 1 looks at them field by field.
class Resolve final : public security::Layer {
 public:
  // Borrows `store`, where switches are looked up, and `parser`.
  Resolve(std::shared_ptr<const executors::Catalog> catalog, storage::Store& store,
          const security::param_validation::ArgumentParser& parser);

  std::string_view name() const override { return "resolve"; }
  absl::StatusOr<security::ToolResult> Run(security::ToolCall& call, security::Next next) override;

 private:
  absl::StatusOr<bool> IsOn(const executors::Tool& tool, const security::ToolCall& call) const;
  // Whether the tool may be named to the caller: its switch is on, and it can serve the caller.
  bool IsThere(const executors::Tool& tool, const security::ToolCall& call) const;
  absl::Status Unknown(const security::ToolCall& call) const;
  // Empty when there is none that this caller may hear of.
  std::string_view NearestTool(const security::ToolCall& call) const;

  const std::shared_ptr<const executors::Catalog> catalog_;
  storage::Store& store_;
  const security::param_validation::ArgumentParser& parser_;
};

}  // namespace toolgate::services::pipeline

#endif  // TOOLGATE_SERVICES_PIPELINE_RESOLVE_H_
