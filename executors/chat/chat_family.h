// Settings of ChatService, as a family without tools: services/chat reads them.
#ifndef TOOLGATE_EXECUTORS_CHAT_CHAT_FAMILY_H_
#define TOOLGATE_EXECUTORS_CHAT_CHAT_FAMILY_H_

#include "executors/family.h"

namespace toolgate::executors::chat {

// The section "chat" with its defaults and its check.
Family ChatFamily();

}  // namespace toolgate::executors::chat

#endif  // TOOLGATE_EXECUTORS_CHAT_CHAT_FAMILY_H_
