#include "common/proto_bytes.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <climits>

#include "absl/strings/str_cat.h"

namespace toolgate {
namespace {

using google::protobuf::Message;
using google::protobuf::MessageLite;

absl::Status CheckLength(const MessageLite& message) {
  const size_t bytes = message.ByteSizeLong();
  if (bytes <= INT_MAX) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("a ", message.GetTypeName(), " of ", bytes,
                                                   " bytes cannot be serialised; protobuf takes ", INT_MAX));
}

absl::Status NotSerialized(const MessageLite& message) {
  return absl::InternalError(absl::StrCat("a ", message.GetTypeName(), " could not be serialised"));
}

absl::Status NotParsed(const MessageLite& message, absl::string_view form) {
  return absl::DataLossError(absl::StrCat(form, " cannot be read as a ", message.GetTypeName()));
}

}  // namespace

absl::StatusOr<std::string> SerializeProto(const MessageLite& message) {
  std::string bytes;
  if (absl::Status status = AppendProto(message, bytes); !status.ok()) return status;
  return bytes;
}

absl::StatusOr<std::string> SerializeProtoInFixedOrder(const MessageLite& message) {
  if (absl::Status status = CheckLength(message); !status.ok()) return status;
  std::string bytes;
  bool serialized = false;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    serialized = message.SerializeToCodedStream(&out) && !out.HadError();
  }
  if (!serialized) return NotSerialized(message);
  return bytes;
}

absl::Status AppendProto(const MessageLite& message, std::string& bytes) {
  return SerializeProtoInto(message, [&bytes](size_t length) {
    const size_t before = bytes.size();
    bytes.resize(before + length);
    return reinterpret_cast<uint8_t*>(bytes.data() + before);
  });
}

absl::Status SerializeProtoInto(const MessageLite& message, absl::FunctionRef<uint8_t*(size_t)> allocate) {
  if (absl::Status status = CheckLength(message); !status.ok()) return status;
  if (!message.IsInitialized()) return NotSerialized(message);
  // The message has just counted its bytes, and remembers the number.
  message.SerializeWithCachedSizesToArray(allocate(static_cast<size_t>(message.GetCachedSize())));
  return absl::OkStatus();
}

absl::Status ParseProto(std::string_view bytes, MessageLite& message) {
  if (bytes.size() <= INT_MAX && message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::OkStatus();
  }
  return NotParsed(message, "bytes");
}

absl::Status PackProto(const Message& message, google::protobuf::Any& any) {
  if (absl::Status status = CheckLength(message); !status.ok()) return status;
  return any.PackFrom(message) ? absl::OkStatus() : NotSerialized(message);
}

bool UnpackProto(const google::protobuf::Any& any, Message& message) { return any.UnpackTo(&message); }

absl::StatusOr<std::string> ProtoToJson(const Message& message,
                                        const google::protobuf::util::JsonPrintOptions& options) {
  std::string json;
  if (google::protobuf::util::MessageToJsonString(message, &json, options).ok()) return json;
  return absl::InternalError(absl::StrCat("a ", message.GetTypeName(), " cannot be written as JSON"));
}

absl::Status JsonToProto(std::string_view json, const google::protobuf::util::JsonParseOptions& options,
                         Message& message) {
  const google::protobuf::StringPiece text(json.data(), json.size());
  return google::protobuf::util::JsonStringToMessage(text, &message, options).ok() ? absl::OkStatus()
                                                                                   : NotParsed(message, "JSON");
}

}  // namespace toolgate
