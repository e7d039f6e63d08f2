#include "common/redis/reply.h"

#include <hiredis/hiredis.h>

#include "absl/strings/str_cat.h"
#include "common/openssl_ptr.h"

namespace toolgate::redis {
namespace {

Reply FromHiredis(const redisReply& from) {
  Reply reply;
  switch (from.type) {
    case REDIS_REPLY_INTEGER:
      reply.kind = Reply::Kind::kInteger;
      reply.integer = from.integer;
      break;
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
      reply.kind = Reply::Kind::kText;
      reply.text.assign(from.str, from.len);
      break;
    case REDIS_REPLY_ERROR:
      reply.kind = Reply::Kind::kError;
      reply.text.assign(from.str, from.len);
      break;
    case REDIS_REPLY_ARRAY:
      reply.kind = Reply::Kind::kArray;
      for (size_t i = 0; i < from.elements; ++i) reply.items.push_back(FromHiredis(*from.element[i]));
      break;
    default:
      break;
  }
  return reply;
}

}  // namespace

std::string Encode(absl::Span<const Command> commands) {
  std::string bytes;
  for (const Command& command : commands) {
    absl::StrAppend(&bytes, "*", command.size(), "\r\n");
    for (const std::string& argument : command) absl::StrAppend(&bytes, "$", argument.size(), "\r\n", argument, "\r\n");
  }
  return bytes;
}

struct ReplyReader::Impl {
  std::unique_ptr<redisReader, OpensslDeleter<redisReaderFree>> reader{redisReaderCreate()};

  absl::Status Malformed() const {
    return absl::DataLossError(absl::StrCat("a reply of Redis cannot be read: ", reader->errstr));
  }
};

ReplyReader::ReplyReader() : impl_(std::make_unique<Impl>()) {}
ReplyReader::~ReplyReader() = default;

absl::Status ReplyReader::Feed(std::string_view bytes) {
  const int fed = redisReaderFeed(impl_->reader.get(), bytes.data(), bytes.size());
  return fed == REDIS_OK ? absl::OkStatus() : impl_->Malformed();
}

absl::StatusOr<bool> ReplyReader::Next(Reply& reply) {
  void* found = nullptr;
  if (redisReaderGetReply(impl_->reader.get(), &found) != REDIS_OK) return impl_->Malformed();
  if (found == nullptr) return false;
  auto* const whole = static_cast<redisReply*>(found);
  reply = FromHiredis(*whole);
  freeReplyObject(whole);
  return true;
}

}  // namespace toolgate::redis
