// Position at which the rest of a long result begins.
#ifndef TOOLGATE_EXECUTORS_CONTINUATION_H_
#define TOOLGATE_EXECUTORS_CONTINUATION_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace toolgate::executors {

// Identifies a kept result and a byte of it. It is not secret and grants nothing: only the user whose result it is can
// read on. Clients get it as text: "<id>.<offset>".
struct Continuation {
  std::string id;
  int64_t offset = 0;

  std::string ToText() const;
  // Nothing if the text does not have that form.
  static std::optional<Continuation> Parse(std::string_view text);
};

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_CONTINUATION_H_
