// Size limits for what a model answers.
#ifndef TOOLGATE_EXECUTORS_MODELS_ANSWER_BOUNDS_H_
#define TOOLGATE_EXECUTORS_MODELS_ANSWER_BOUNDS_H_

#include <cstddef>

#include "common/json.h"

namespace toolgate::executors::models {

// The provider's max_response_bytes bounds the bytes on the wire besides.
struct AnswerBounds {
  size_t max_bytes = size_t{8} << 20;            // Text, reasoning, arguments and the provider's state together.
  size_t max_arguments_bytes = size_t{1} << 20;  // Of one tool call. The pipeline takes no more.
  size_t max_tool_uses = 128;
  size_t max_images = 16;
  size_t max_image_bytes = size_t{32} << 20;  // All images, decoded.
  size_t max_events = 500'000;
};

// Limits for one message of a service: a whole answer, or one event of a stream. Images in base64 make them long.
inline JsonLimits WireJsonLimits() {
  return {.max_bytes = size_t{64} << 20, .max_depth = 64, .max_keys = 100'000, .max_values = 500'000};
}

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_ANSWER_BOUNDS_H_
