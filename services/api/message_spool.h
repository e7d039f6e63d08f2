// Messages that are made in one go and handed on at another one's pace.
#ifndef TOOLGATE_SERVICES_API_MESSAGE_SPOOL_H_
#define TOOLGATE_SERVICES_API_MESSAGE_SPOOL_H_

#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/message_lite.h>

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace toolgate::services::api {

// First takes every message, then gives them back in their order. Keeps them in a file without a name, which is gone
// with this object, however the process ends. Used by one thread at a time.
class MessageSpool {
 public:
  // The file lies on the disk of the folder `dir`. UNAVAILABLE when it cannot be made there.
  static absl::StatusOr<std::unique_ptr<MessageSpool>> Create(const std::string& dir);
  ~MessageSpool();
  MessageSpool(const MessageSpool&) = delete;
  MessageSpool& operator=(const MessageSpool&) = delete;

  // Not after the first Next. RESOURCE_EXHAUSTED when the disk is full.
  absl::Status Add(const google::protobuf::MessageLite& message);
  // False when all were given. DATA_LOSS when the file does not hold what was written.
  absl::StatusOr<bool> Next(google::protobuf::MessageLite& message);

 private:
  explicit MessageSpool(int file) : file_(file), out_(std::in_place, file) {}

  const int file_;
  std::optional<google::protobuf::io::FileOutputStream> out_;
  std::optional<google::protobuf::io::FileInputStream> in_;
};

}  // namespace toolgate::services::api

#endif  // TOOLGATE_SERVICES_API_MESSAGE_SPOOL_H_
