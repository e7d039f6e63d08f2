// Reads what one model API answers.
#ifndef TOOLGATE_EXECUTORS_MODELS_ANSWER_READER_H_
#define TOOLGATE_EXECUTORS_MODELS_ANSWER_READER_H_

#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/http/event_stream.h"
#include "executors/models/chat_model.h"

namespace toolgate::executors::models {

// For one answer: either Whole once, or Event for each event of the stream; then Finish once. After an error it is not
// used any more. Errors are those of AnswerDraft, and of answer_error.h for what is no answer. Not thread-safe.
class AnswerReader {
 public:
  virtual ~AnswerReader() = default;

  // The body of an answer that is not streamed.
  virtual absl::Status Whole(std::string_view body) = 0;
  // Unknown events are skipped: services add some from time to time.
  virtual absl::Status Event(const http::ServerEvent& event) = 0;
  // Whether the service has said that nothing follows. Where it has no such word, false until the end.
  virtual bool complete() const = 0;
  // At the end. UnusableAnswer for an answer that is cut off.
  virtual absl::StatusOr<ModelAnswer> Finish() = 0;
};

}  // namespace toolgate::executors::models

#endif  // TOOLGATE_EXECUTORS_MODELS_ANSWER_READER_H_
