// Records of conversations between users and models.
#ifndef TOOLGATE_STORAGE_CONVERSATION_H_
#define TOOLGATE_STORAGE_CONVERSATION_H_

#include <cstdint>
#include <limits>
#include <string>

#include "absl/time/time.h"

namespace toolgate::storage {

// A conversation belongs to one user of one workspace; ids are unique within these.
struct Conversation {
  std::string id;
  std::string user_id;
  std::string title;
  absl::Time created_at;
  absl::Time updated_at;
  int64_t message_count = 0;  // Also the number of the next message. Counted by AppendMessage.
  std::string pause;          // Its pause, serialised by its owner; empty: none.
};

// One message, opaque to the store. Never changed once it is stored.
struct StoredMessage {
  int64_t number = 0;  // Its place in the conversation, from 0.
  std::string id;      // Unique in the conversation.
  absl::Time created_at;
  std::string bytes;
};

// A product of a message: a generated document or image, the sources of a search. Opaque to the store.
struct StoredArtifact {
  int64_t message_number = 0;
  int64_t number = 0;  // Its place among those of the message, from 0.
  std::string bytes;
};

// First place of a listing of conversations: behind the one that changed last at that time and has that id.
struct ConversationPlace {
  absl::Time updated_at = absl::InfiniteFuture();
  std::string id;
};

// A run of messages of one conversation.
struct MessageQuery {
  int64_t from = 0;                                      // Lowest number.
  int64_t before = std::numeric_limits<int64_t>::max();  // Numbers are below this one.
  bool newest_first = false;
  int64_t limit = 0;      // Rows.
  int64_t max_bytes = 0;  // Of all rows together; the first one may have more.
};

}  // namespace toolgate::storage

#endif  // TOOLGATE_STORAGE_CONVERSATION_H_
