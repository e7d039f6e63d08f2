// Commands and replies of Redis.
#ifndef TOOLGATE_COMMON_REDIS_REPLY_H_
#define TOOLGATE_COMMON_REDIS_REPLY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace toolgate::redis {

// A command and its arguments, which may hold any bytes.
using Command = std::vector<std::string>;

// The commands in Redis's protocol, one after the other.
std::string Encode(absl::Span<const Command> commands);

struct Reply {
  enum class Kind { kNil, kInteger, kText, kArray, kError };
  Kind kind = Kind::kNil;
  int64_t integer = 0;
  std::string text;  // Of kText and kError.
  std::vector<Reply> items;

  bool is_error() const { return kind == Kind::kError; }
};

// Puts replies together from the bytes that come in. Used by one thread at a time.
class ReplyReader {
 public:
  ReplyReader();
  ~ReplyReader();
  ReplyReader(const ReplyReader&) = delete;
  ReplyReader& operator=(const ReplyReader&) = delete;

  // DATA_LOSS if they are no protocol of Redis's.
  absl::Status Feed(std::string_view bytes);
  // The next whole reply; false if more bytes are needed. DATA_LOSS as above.
  absl::StatusOr<bool> Next(Reply& reply);

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace toolgate::redis

#endif  // TOOLGATE_COMMON_REDIS_REPLY_H_
