// Everything that chats of this process share.
#ifndef TOOLGATE_SERVICES_CHAT_CHATS_H_
#define TOOLGATE_SERVICES_CHAT_CHATS_H_

#include <memory>
#include <utility>

#include "common/fibers/wait_timer.h"
#include "coordination/leases/leases.h"
#include "executors/chat/chat_models.h"
#include "executors/chat/settings.pb.h"
#include "services/chat/chat_leases.h"

namespace toolgate::services::chat {

// Thread-safe. Borrows `waits` and `leases`.
class Chats {
 public:
  Chats(executors::chat::ChatSettings settings, std::unique_ptr<executors::chat::ChatModels> models,
        fibers::WaitTimer& waits, coordination::leases::Leases& leases)
      : settings_(std::move(settings)),
        models_(std::move(models)),
        leases_(static_cast<size_t>(settings_.max_chats()), static_cast<size_t>(settings_.max_chats_of_user()), leases),
        waits_(waits) {}

  const executors::chat::ChatSettings& settings() const { return settings_; }
  const executors::chat::ChatModels& models() const { return *models_; }
  ChatLeases& leases() { return leases_; }
  // For waits on models: they hold no thread.
  fibers::WaitTimer& waits() { return waits_; }

 private:
  const executors::chat::ChatSettings settings_;
  const std::unique_ptr<executors::chat::ChatModels> models_;
  ChatLeases leases_;
  fibers::WaitTimer& waits_;
};

}  // namespace toolgate::services::chat

#endif  // TOOLGATE_SERVICES_CHAT_CHATS_H_
