// The client's end of a chat.
#ifndef TOOLGATE_SERVICES_CHAT_CHAT_WRITER_H_
#define TOOLGATE_SERVICES_CHAT_CHAT_WRITER_H_

#include "absl/status/status.h"
#include "common/fibers/cancellation.h"
#include "toolgate/v1/chat_service.pb.h"

namespace toolgate::services::chat {

// Takes the events of one chat, in their order. Borrowed by the chat; used by one fiber at a time.
class ChatWriter {
 public:
  virtual ~ChatWriter() = default;

  // Queues `event`, and waits while the queue is full, so the caller holds no lock and no transaction. CANCELLED when
  // the client is gone, TIMEOUT at the deadline of `cancellation`.
  virtual absl::Status Write(const v1::ChatResponse& event, const fibers::Cancellation& cancellation) = 0;
};

}  // namespace toolgate::services::chat

#endif  // TOOLGATE_SERVICES_CHAT_CHAT_WRITER_H_
