// Pieces of request bodies that all model APIs share.
#ifndef TOOLGATE_EXECUTORS_MODELS_REQUEST_JSON_H_
#define TOOLGATE_EXECUTORS_MODELS_REQUEST_JSON_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "executors/models/chat_model.h"

namespace toolgate::executors::models {

// A catalogue that ListTools rendered, or null for an empty text. INTERNAL if it is no JSON.
absl::StatusOr<Json> ToolsJson(std::string_view tools_json);

// The arguments of a call that goes back to its model. Services refuse a conversation with arguments that are no
// object, which a model may well have written: it was told so in the answer to the call, and an empty object stands
// here.
Json ArgumentsObject(const ToolUse& use);

// A rendered tool answer, or null if it is no JSON object: one of a turn with another provider.
Json RenderedObject(const ToolAnswer& answer);

// `body` with the members of `extra` merged in as a merge patch (RFC 7396): objects by member, null removes.
Json WithExtra(Json body, const Json& extra);

// Whether `text` has anything but white space. Some services refuse blank texts.
bool HasText(std::string_view text);

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_REQUEST_JSON_H_
