#include "tests/support/shown_tools.h"

#include <vector>

#include "common/embedded_file.h"
#include "common/json.h"

namespace toolgate::testing {
namespace {

const std::vector<EmbeddedFile>& Definitions() {
  static const auto* const files = new std::vector<EmbeddedFile>{
      {"executors/shown/definitions/show_artifact.json",
       R"({"id": "show_artifact", "name": "Show an artifact", "description": "Answers its data.", "category": "read",
           "module": "shown", "permissions": ["block:read"], "confirmation": "never",
           "annotations": {"readOnly": true}, "executor": {"kind": "native"}, "event": "artifact_complete",
           "arguments": {"type": "object", "properties": {"data": {"type": "object", "additionalProperties": true}},
                         "required": ["data"]},
           "result": {"type": "object", "properties": {"artifactCode": {}, "type": {}, "title": {}}},
           "examples": [{"description": "Nothing", "arguments": {"data": {}}, "result": {}}]})"},
      {"executors/shown/definitions/show_image.json",
       R"({"id": "show_image", "name": "Show an image", "description": "Answers its data.", "category": "read",
           "module": "shown", "permissions": ["block:read"], "confirmation": "never",
           "annotations": {"readOnly": true}, "executor": {"kind": "native"}, "event": "image_complete",
           "arguments": {"type": "object", "properties": {"data": {"type": "object", "additionalProperties": true}},
                         "required": ["data"]},
           "result": {"type": "object", "properties": {"imageUrl": {}, "imageData": {}}},
           "examples": [{"description": "Nothing", "arguments": {"data": {}}, "result": {}}]})"},
      {"executors/shown/definitions/show_search.json",
       R"({"id": "show_search", "name": "Show a search", "description": "Answers its data.", "category": "read",
           "module": "shown", "permissions": ["block:read"], "confirmation": "never",
           "annotations": {"readOnly": true}, "executor": {"kind": "native"}, "event": "web_search",
           "arguments": {"type": "object", "properties": {"data": {"type": "object", "additionalProperties": true}},
                         "required": ["data"]},
           "result": {"type": "object", "properties": {"query": {}, "sources": {}}},
           "examples": [{"description": "Nothing", "arguments": {"data": {}}, "result": {}}]})"}};
  return *files;
}

absl::StatusOr<executors::ToolOutput> AnswerData(executors::ToolContext& context, storage::ReadView&) {
  return executors::ToolOutput{.data_json = DumpJson(context.arguments["data"])};
}

}  // namespace

executors::Family ShownFamily() {
  return {"shown", &Definitions(), [](const executors::FamilyContext&) -> absl::StatusOr<executors::FamilyTools> {
            std::vector<executors::ToolHandlers> handlers;
            for (const char* id : {"show_artifact", "show_image", "show_search"}) {
              handlers.push_back({.id = id, .run = executors::ReadHandler(AnswerData)});
            }
            return executors::FamilyTools{handlers};
          }};
}

}  // namespace toolgate::testing
