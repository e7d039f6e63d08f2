// Answers of model services in tests.
#ifndef TOOLGATE_TESTS_SUPPORT_MODEL_ANSWERS_H_
#define TOOLGATE_TESTS_SUPPORT_MODEL_ANSWERS_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/absl_bridge.h"
#include "common/http/event_stream.h"
#include "common/ids.h"
#include "common/json.h"
#include "common/status_macros.h"
#include "executors/models/answer_bounds.h"
#include "executors/models/answer_reader.h"
#include "executors/models/chat_model.h"

namespace toolgate::testing {

// Bytes that differ with each call. Not thread-safe.
class ChangingIds final : public IdSource {
 public:
  std::string NewId(absl::Time) override { return "id" + std::to_string(++count_); }
  std::string RandomBytes(size_t count) override { return std::string(count, static_cast<char>('a' + count_++ % 26)); }

 private:
  int count_ = 0;
};

// Collects what it is told, until `limit` bytes of text have come.
class CollectedDeltas final : public executors::models::DeltaSink {
 public:
  explicit CollectedDeltas(size_t limit = std::string::npos) : limit_(limit) {}

  absl::Status Text(std::string_view piece) override {
    text += piece;
    return text.size() < limit_ ? absl::OkStatus() : absl::CancelledError("enough");
  }
  absl::Status Reasoning(std::string_view piece) override {
    reasoning += piece;
    return absl::OkStatus();
  }

  std::string text;
  std::string reasoning;

 private:
  const size_t limit_;
};

// A stream with these events.
inline std::string EventStream(const std::vector<std::string>& data) {
  std::string stream;
  for (const std::string& event : data) stream += "data: " + event + "\n\n";
  return stream;
}

// Reads `stream` in pieces of `piece` bytes.
inline absl::StatusOr<executors::models::ModelAnswer> ReadStream(executors::models::AnswerReader& reader,
                                                                 std::string_view stream,
                                                                 size_t piece = std::string_view::npos) {
  http::EventStreamParser parser;
  for (size_t begin = 0; begin < stream.size(); begin += std::min(piece, stream.size() - begin)) {
    ASSIGN_OR_RETURN(const auto events, parser.Feed(stream.substr(begin, piece)));
    for (const http::ServerEvent& event : events) RETURN_IF_ERROR(reader.Event(event));
  }
  return reader.Finish();
}

// The same with a reader of its own.
template <typename Reader>
absl::StatusOr<executors::models::ModelAnswer> ReadStreamAs(std::string_view stream,
                                                            size_t piece = std::string_view::npos,
                                                            executors::models::DeltaSink* sink = nullptr,
                                                            const executors::models::AnswerBounds& bounds = {}) {
  ChangingIds ids;
  Reader reader(bounds, ids, sink);
  return ReadStream(reader, stream, piece);
}

template <typename Reader>
absl::StatusOr<executors::models::ModelAnswer> ReadWholeAs(std::string_view body,
                                                           const executors::models::AnswerBounds& bounds = {}) {
  ChangingIds ids;
  Reader reader(bounds, ids, nullptr);
  RETURN_IF_ERROR(reader.Whole(body));
  return reader.Finish();
}

inline std::string StopName(executors::models::StopReason stop) {
  switch (stop) {
    case executors::models::StopReason::kEnd:
      return "end";
    case executors::models::StopReason::kToolUse:
      return "tool use";
    case executors::models::StopReason::kLength:
      return "length";
    case executors::models::StopReason::kRefusal:
      return "refusal";
  }
  return "";
}

// All of an answer but the provider's state: members only where there is something.
inline Json Shown(const executors::models::ModelAnswer& answer) {
  Json shown = {{"stop", StopName(answer.stop)}};
  if (!answer.message.text.empty()) shown["text"] = answer.message.text;
  if (!answer.message.reasoning.empty()) shown["reasoning"] = answer.message.reasoning;
  for (const auto& image : answer.message.images) {
    shown["images"].push_back(image.url.empty() ? image.media_type + " " + image.bytes : image.url);
  }
  for (const auto& use : answer.message.tool_uses) {
    shown["calls"].push_back(use.id + " " + use.name + " " + use.arguments_json);
  }
  if (!answer.model.empty()) shown["model"] = answer.model;
  if (answer.input_tokens + answer.output_tokens > 0) shown["tokens"] = {answer.input_tokens, answer.output_tokens};
  return shown;
}

// An answer, or its error, as one text.
inline std::string Shown(const absl::StatusOr<executors::models::ModelAnswer>& answer) {
  return answer.ok() ? DumpJson(Shown(*answer)) + answer->message.provider_state : answer.status().ToString();
}

}  // namespace toolgate::testing

#endif  // TOOLGATE_TESTS_SUPPORT_MODEL_ANSWERS_H_
