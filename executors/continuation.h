// Where the rest of a result begins that was too long to answer at once.
#ifndef TOOLGATE_EXECUTORS_CONTINUATION_H_
#define TOOLGATE_EXECUTORS_CONTINUATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace toolgate::executors {

// Names a kept result and a byte of it. It is no secret and grants nothing: whoever reads on must be the user whose
// result it is. As text, what clients are given: "<id>.<offset>".
struct Continuation {
  std::string id;
  int64_t offset = 0;

  std::string ToText() const;
  // Nothing when it is no such text.
  static std::optional<Continuation> Parse(std::string_view text);
};

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_CONTINUATION_H_
