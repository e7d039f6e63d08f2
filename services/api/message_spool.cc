#include "services/api/message_spool.h"

#include <fcntl.h>
#include <google/protobuf/util/delimited_message_util.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"

namespace toolgate::services::api {
namespace {

using google::protobuf::util::ParseDelimitedFromZeroCopyStream;
using google::protobuf::util::SerializeDelimitedToZeroCopyStream;

absl::Status CannotWrite(int error) {
  return absl::ErrnoToStatus(error, absl::StrCat("cannot write to a scratch file: ", std::strerror(error)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<MessageSpool>> MessageSpool::Create(const std::string& dir) {
  std::string path = dir + "/spool-XXXXXX";
  const int file = mkostemp(path.data(), O_CLOEXEC);
  if (file < 0) {
    return absl::UnavailableError(absl::StrCat("cannot make a scratch file in ", dir, ": ", std::strerror(errno)));
  }
  unlink(path.c_str());
  return absl::WrapUnique(new MessageSpool(file));
}

MessageSpool::~MessageSpool() {
  out_.reset();
  close(file_);
}

absl::Status MessageSpool::Add(const google::protobuf::MessageLite& message) {
  return SerializeDelimitedToZeroCopyStream(message, &*out_) ? absl::OkStatus() : CannotWrite(out_->GetErrno());
}

absl::StatusOr<bool> MessageSpool::Next(google::protobuf::MessageLite& message) {
  if (!in_.has_value()) {
    if (!out_->Flush()) return CannotWrite(out_->GetErrno());
    lseek(file_, 0, SEEK_SET);
    in_.emplace(file_);
  }
  bool ended = false;
  message.Clear();
  if (ParseDelimitedFromZeroCopyStream(&message, &*in_, &ended)) return true;
  if (ended) return false;
  return absl::DataLossError("a scratch file does not hold what was written to it");
}

}  // namespace toolgate::services::api
