#include "tests/support/tool_harness.h"

#include <filesystem>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/fibers/cancellation.h"
#include "common/ids.h"
#include "common/status_macros.h"
#include "common/time_zones.h"
#include "common/tool_error.h"
#include "executors/blocks/declared_fields.h"
#include "executors/blocks/integrity.h"
#include "executors/files/files_tools.h"
#include "gtest/gtest.h"
#include "storage/store.h"
#include "tests/support/bare_session.h"
#include "tests/support/test_store.h"

namespace toolgate::testing {

namespace {

constexpr JsonLimits kResultLimits{
    .max_bytes = size_t{16} << 20, .max_depth = 128, .max_keys = 1'000'000, .max_values = 1'000'000};

}  // namespace

using executors::Tool;
using executors::ToolOutput;
using executors::files::FilesSettings;
using security::param_validation::JsonSchema;

// Runs a step as the service does, in the automation's own transaction.
class ToolHarness::Steps final : public executors::StepRunner {
 public:
  explicit Steps(ToolHarness& harness) : harness_(harness) {}

  absl::StatusOr<executors::StepResult> RunStep(const executors::Step& step,
                                                storage::Transaction& transaction) override {
    const Tool* tool = harness_.catalog_->Find(step.tool_id);
    if (tool == nullptr) return MakeError(ErrorCode::kUnknownTool, "there is no such tool");
    ASSIGN_OR_RETURN(const Json prepared, harness_.Prepare(*tool, step.arguments));
    ASSIGN_OR_RETURN(ToolOutput output, harness_.RunHandler(*tool, prepared, transaction, &transaction));
    return executors::StepResult{std::move(output.data_json), output.reversible, output.untrusted};
  }

 private:
  ToolHarness& harness_;
};

ToolHarness::ToolHarness(const executors::CatalogOptions& given, int64_t max_undo_bytes) {
  executors::CatalogOptions options = given;
  if (!options.settings.HasExtension(FilesSettings::files)) {
    EXPECT_TRUE(executors::AddDefaults({executors::files::FilesFamily()}, options.settings).ok());
    options.settings.MutableExtension(FilesSettings::files)->set_root(files());
  }
  std::filesystem::create_directories(files());
  TestStoreOptions store_options;
  store_options.data_dir = directory_.path();
  store_options.clock = &clock_;
  store_options.fields = executors::blocks::BlockFields();
  store_options.max_undo_bytes = max_undo_bytes;
  store_ = MakeTestStore(store_options);
  auto catalog = executors::registration::BuiltInCatalog(options);
  EXPECT_TRUE(catalog.ok()) << catalog.status();
  catalog_ = *std::move(catalog);
  for (const Tool& tool : catalog_->tools()) {
    auto arguments = JsonSchema::Compile(tool.definition.argument_schema, {.assert_formats = true, .strict = true});
    auto result = JsonSchema::Compile(tool.definition.result_schema, {.assert_formats = true, .strict = true});
    EXPECT_TRUE(arguments.ok()) << tool.definition.id << ": " << arguments.status();
    EXPECT_TRUE(result.ok()) << tool.definition.id << ": " << result.status();
    schemas_.push_back({*std::move(arguments), *std::move(result)});
  }
  caller_.workspace_id = "test";
  caller_.user_id = "ann";
}

absl::StatusOr<Json> ToolHarness::Prepare(const Tool& tool, Json arguments) const {
  const JsonSchema& schema = *schemas_[tool.index].arguments;
  schema.RemoveNulls(arguments);
  std::vector<Violation> violations = schema.Validate(arguments);
  if (!violations.empty()) {
    ToolError error;
    error.code = ErrorCode::kInvalidParams;
    error.message = "the schema refuses the arguments";
    error.violations = std::move(violations);
    return ToStatus(error);
  }
  schema.FillDefaults(arguments);
  return arguments;
}

absl::StatusOr<ToolOutput> ToolHarness::RunHandler(const Tool& tool, const Json& arguments, storage::ReadView& view,
                                                   storage::Transaction* transaction) {
  absl::TimeZone zone = absl::UTCTimeZone();
  if (!caller_.time_zone.empty()) {
    const auto found = FindTimeZone(caller_.time_zone);
    EXPECT_TRUE(found.has_value()) << caller_.time_zone;
    if (found.has_value()) zone = found->zone;
  }
  const fibers::Cancellation cancellation;
  Steps steps(*this);
  executors::ToolContext context{arguments, caller_, clock_.Now(), zone, cancellation, IdSource::Real(), false, &steps};
  const auto& handler = tool.handlers.run;
  if (const auto* read = std::get_if<executors::ReadHandler>(&handler)) return (*read)(context, view);
  if (const auto* write = std::get_if<executors::WriteHandler>(&handler)) return (*write)(context, *transaction);
  if (const auto* flexible = std::get_if<executors::FlexibleHandler>(&handler)) {
    return flexible->in_transaction(context, *transaction);
  }
  ASSIGN_OR_RETURN(executors::Plan plan, std::get<executors::PlanHandler>(handler)(context, view));
  if (plan.commit != nullptr) RETURN_IF_ERROR(plan.commit(*transaction));
  return std::move(plan.output);
}

absl::StatusOr<ToolOutput> ToolHarness::RunEffect(const Tool& tool, const Json& arguments, storage::CommitMode mode) {
  const storage::WriteContext write = NextWrite();
  BareSession session(*store_, caller_.workspace_id, write.change_id);
  const fibers::Cancellation cancellation;
  executors::ToolContext context{arguments,
                                 caller_,
                                 clock_.Now(),
                                 absl::UTCTimeZone(),
                                 cancellation,
                                 IdSource::Real(),
                                 mode == storage::CommitMode::kDryRun};
  ASSIGN_OR_RETURN(executors::Acted acted, std::get<executors::EffectHandler>(tool.handlers.run)(context, session));
  changes_ = storage::Changes();
  description_ = acted.output.description;
  if (acted.settle == nullptr) return std::move(acted.output);
  RETURN_IF_ERROR(store_->Commit(write, mode, cancellation, [&](storage::Transaction& transaction) {
    const absl::Status settled = acted.settle(transaction);
    changes_ = transaction.changes();
    return settled;
  }));
  return std::move(acted.output);
}

absl::Status ToolHarness::CheckResult(const Tool& tool, const Json& result) const {
  const std::vector<Violation> violations = schemas_[tool.index].result->Validate(result);
  if (violations.empty()) return absl::OkStatus();
  return absl::InternalError(absl::StrCat("the result of ", tool.definition.id, " does not fit its schema at ",
                                          violations[0].path, " (", violations[0].rule, "): ", DumpJson(result)));
}

storage::WriteContext ToolHarness::NextWrite() {
  return {caller_.workspace_id, caller_.user_id, absl::StrCat("change-", ++writes_), clock_.Now()};
}

absl::StatusOr<Json> ToolHarness::Call(std::string_view tool_id, const Json& arguments, storage::CommitMode mode) {
  const Tool* tool = catalog_->Find(tool_id);
  if (tool == nullptr) return MakeError(ErrorCode::kUnknownTool, tool_id);
  ASSIGN_OR_RETURN(const Json prepared, Prepare(*tool, arguments));
  absl::StatusOr<ToolOutput> output;
  storage::Changes changes;
  const fibers::Cancellation cancellation;
  const bool is_effect = std::holds_alternative<executors::EffectHandler>(tool->handlers.run);
  if (is_effect) {
    output = RunEffect(*tool, prepared, mode);
    RETURN_IF_ERROR(output.status());
  } else if (tool->read_only()) {
    RETURN_IF_ERROR(store_->Read(caller_.workspace_id, [&](storage::ReadView& view) {
      output = RunHandler(*tool, prepared, view, nullptr);
      return output.status();
    }));
  } else {
    RETURN_IF_ERROR(store_->Commit(NextWrite(), mode, cancellation, [&](storage::Transaction& transaction) {
      output = RunHandler(*tool, prepared, transaction, &transaction);
      changes = transaction.changes();
      if (output.ok()) {
        EXPECT_EQ(executors::blocks::CheckIntegrity(transaction, changes), absl::OkStatus()) << tool_id;
      }
      return output.status();
    }));
  }
  if (!tool->read_only() && !is_effect) {
    changes_ = std::move(changes);
    description_ = output->description;
  }
  ASSIGN_OR_RETURN(Json result, ParseJson(output->data_json, kResultLimits));
  RETURN_IF_ERROR(CheckResult(*tool, result));
  return result;
}

absl::StatusOr<executors::Preview> ToolHarness::PreviewOf(std::string_view tool_id, const Json& arguments) {
  const Tool* tool = catalog_->Find(tool_id);
  if (tool == nullptr || !tool->handlers.has_preview()) return absl::NotFoundError("no preview");
  ASSIGN_OR_RETURN(const Json prepared, Prepare(*tool, arguments));
  const fibers::Cancellation cancellation;
  executors::ToolContext context{prepared, caller_, clock_.Now(), absl::UTCTimeZone(), cancellation, IdSource::Real()};
  if (const auto* effect = std::get_if<executors::EffectPreview>(&tool->handlers.preview)) {
    BareSession session(*store_, caller_.workspace_id, "preview");
    return (*effect)(context, session);
  }
  absl::StatusOr<executors::Preview> preview;
  RETURN_IF_ERROR(store_->Read(caller_.workspace_id, [&](storage::ReadView& view) {
    preview = std::get<executors::WorkspacePreview>(tool->handlers.preview)(context, view);
    return preview.status();
  }));
  return preview;
}

absl::StatusOr<storage::Changes> ToolHarness::Revert(const storage::Changes& changes) {
  const fibers::Cancellation cancellation;
  storage::Changes done;
  RETURN_IF_ERROR(
      store_->Commit(NextWrite(), storage::CommitMode::kDurable, cancellation, [&](storage::Transaction& transaction) {
        const absl::Status reverted = executors::blocks::Revert(transaction, changes);
        done = transaction.changes();
        return reverted;
      }));
  return done;
}

std::string ToolHarness::Snapshot() {
  std::string text;
  const absl::Status status = store_->Read(caller_.workspace_id, [&](storage::ReadView& view) {
    storage::BlockQuery query;
    query.limit = std::numeric_limits<int32_t>::max();
    ASSIGN_OR_RETURN(const storage::BlockPage page, view.FindBlocks(query));
    for (const storage::Block& block : page.blocks) {
      absl::StrAppend(&text, block.id, " ", block.type, " ", block.parent_id, " ", block.rank, " ", block.data, "\n");
      ASSIGN_OR_RETURN(const auto links, view.ListLinks(block.id, std::numeric_limits<int32_t>::max()));
      for (const storage::Link& link : links) {
        absl::StrAppend(&text, "  ", link.from_id, " ", link.relation, " ", link.to_id, "\n");
      }
    }
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return text;
}

storage::Block ToolHarness::Block(std::string_view id) {
  storage::Block block;
  const absl::Status status = store_->Read(caller_.workspace_id, [&](storage::ReadView& view) {
    ASSIGN_OR_RETURN(block, view.GetBlock(id));
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok()) << status;
  return block;
}

Json ToolHarness::Data(std::string_view id) {
  const absl::StatusOr<Json> data = ParseJson(Block(id).data);
  EXPECT_TRUE(data.ok()) << data.status();
  return data.ok() ? *data : Json();
}

}  // namespace toolgate::testing
