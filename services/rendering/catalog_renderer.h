// Tools in the forms that clients use: as toolgate.v1.Tool, and in each model provider's function-calling form.
#ifndef TOOLGATE_SERVICES_RENDERING_CATALOG_RENDERER_H_
#define TOOLGATE_SERVICES_RENDERING_CATALOG_RENDERER_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/tool.h"
#include "toolgate/v1/tool_service.pb.h"

namespace toolgate::services::rendering {

v1::ToolCategory CategoryOf(const executors::Tool& tool);

// The native form.
v1::Tool ToProto(const executors::Tool& tool);

// `tools` as JSON text in the form of `format`: an array, or for Gemini {"functionDeclarations": […]}. Empty for
// CATALOG_FORMAT_UNSPECIFIED. Every tool's name is ProviderName.
//
// OpenAI and Anthropic get the argument schema in strict form where there is one (MakeStrict), and where the request
// has room for one more: Anthropic bounds the strict tools of a request, so that in the order of `tools` only as many
// are strict as fit.
//
// Gemini gets the argument schema as parametersJsonSchema and not as parameters: the latter is a subset of OpenAPI
// 3.0's schema language without additionalProperties, $ref, type lists and const, so that a model would see another
// contract than the one its calls are checked against.
absl::StatusOr<std::string> RenderCatalog(const std::vector<const executors::Tool*>& tools, v1::CatalogFormat format);

// `schema` without toolgate's own annotations (keywords that begin with "x-toolgate-"), which are for the layers.
// Values (const, enum, default, examples) and the names of properties stay unchanged.
Json PublicSchema(const Json& schema);

}  // namespace toolgate::services::rendering

#endif  // TOOLGATE_SERVICES_RENDERING_CATALOG_RENDERER_H_
