// Reads any bytes as a stream, and as a whole answer, of the model API that the first byte selects. However the stream
// is cut into pieces, it reads alike; an error is one for callers; an answer can go back to each of the services.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/json.h"
#include "common/tool_error.h"
#include "executors/models/answer_bounds.h"
#include "executors/models/anthropic_answer.h"
#include "executors/models/anthropic_request.h"
#include "executors/models/chat_model.h"
#include "executors/models/gemini_answer.h"
#include "executors/models/gemini_request.h"
#include "executors/models/openai_answer.h"
#include "executors/models/openai_request.h"
#include "tests/support/model_answers.h"

namespace {

namespace models = toolgate::executors::models;

constexpr models::AnswerBounds kBounds = {
    .max_bytes = 4096, .max_arguments_bytes = 512, .max_tool_uses = 8, .max_images = 2, .max_image_bytes = 256};

void Require(bool condition, std::string_view requirement) {
  if (condition) return;
  std::cerr << "not so: " << requirement << "\n";
  std::abort();
}

void CheckBody(const absl::StatusOr<toolgate::Json>& body) {
  Require(body.ok() && toolgate::ParseJson(toolgate::DumpJson(*body)).ok(), "the next request has a body of JSON");
}

void Check(const absl::StatusOr<models::ModelAnswer>& answer) {
  if (!answer.ok()) {
    const auto error = toolgate::GetToolError(answer.status());
    Require(error.has_value() && error->code == toolgate::ErrorCode::kExecutionError, "an error is EXECUTION_ERROR");
    return;
  }
  const models::Message& message = answer->message;
  Require(message.text.size() + message.reasoning.size() <= kBounds.max_bytes, "text is within its bound");
  Require(message.tool_uses.size() <= kBounds.max_tool_uses, "calls are within their bound");
  for (const models::ToolUse& use : message.tool_uses) Require(!use.id.empty() && !use.name.empty(), "calls are named");
  models::ModelRequest request;
  request.messages = {message};
  CheckBody(models::OpenAiRequestBody(request, "m", models::OpenAiDialect::kGlm, true));
  CheckBody(models::AnthropicRequestBody(request, "m", true));
  CheckBody(models::GeminiRequestBody(request));
}

template <typename Reader>
void Read(std::string_view text) {
  toolgate::testing::CollectedDeltas deltas;
  const auto answer = toolgate::testing::ReadStreamAs<Reader>(text, std::string_view::npos, &deltas, kBounds);
  Check(answer);
  // Thoughts without an opening tag are text until the closing one comes.
  if (answer.ok()) Require(deltas.text.ends_with(answer->message.text), "the sink is told all of the text");
  const auto by_bytes = toolgate::testing::ReadStreamAs<Reader>(text, 1, nullptr, kBounds);
  Require(toolgate::testing::Shown(by_bytes) == toolgate::testing::Shown(answer), "pieces make no difference");
  Check(toolgate::testing::ReadWholeAs<Reader>(text, kBounds));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'a':
      Read<models::AnthropicAnswer>(text);
      break;
    case 'g':
      Read<models::GeminiAnswer>(text);
      break;
    default:
      Read<models::OpenAiAnswer>(text);
  }
  return 0;
}
