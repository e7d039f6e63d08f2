#include "services/grpc/wire_count.h"

#include <google/protobuf/io/coded_stream.h>

#include <climits>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"

namespace toolgate::services::grpc {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::io::CodedInputStream;

// As deep as protobuf parses messages.
constexpr int kMaxMessages = 100;

// Forms of a field (the encoding of Protocol Buffers); the others are no longer, or not yet, in use.
enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kBeginGroup = 3, kEndGroup = 4, kFixed32 = 5 };

WireType TypeOf(uint32_t tag) { return static_cast<WireType>(tag & 7); }
int NumberOf(uint32_t tag) { return static_cast<int>(tag >> 3); }

absl::Status NoMessage() { return absl::DataLossError("not well-formed"); }

class WireCounter {
 public:
  WireCounter(CodedInputStream& in, const JsonLimits& limits) : in_(in), limits_(limits) {}

  // Place of a message in the whole.
  struct Level {
    const Descriptor* type;  // Null: unknown.
    int messages = 0;        // Around it.
    int json_levels = 0;     // Structs and ListValues around it, itself included.
    int group = 0;           // Number of the group's field that it is; 0: it ends with its bytes.
  };

  absl::Status Walk(const Level& level) {
    while (true) {
      const uint32_t tag = in_.ReadTag();
      if (tag == 0) return level.group == 0 && in_.ConsumedEntireMessage() ? absl::OkStatus() : NoMessage();
      if (TypeOf(tag) == kEndGroup) return NumberOf(tag) == level.group ? absl::OkStatus() : NoMessage();
      RETURN_IF_ERROR(TakeField(tag, level));
    }
  }

  const WireCounts& counts() const { return counts_; }

 private:
  absl::Status TakeField(uint32_t tag, const Level& level) {
    const int number = NumberOf(tag);
    if (number == 0) return NoMessage();
    const FieldDescriptor* field = level.type == nullptr ? nullptr : level.type->FindFieldByNumber(number);
    if (TypeOf(tag) == kBytes) return TakeBytes(field, level);
    if (!IsNumber(field)) RETURN_IF_ERROR(Add(counts_.parts, limits_.max_values, "parts"));
    if (TypeOf(tag) == kBeginGroup) return Enter({nullptr, level.messages + 1, level.json_levels, number});
    return SkipNumber(TypeOf(tag)) ? absl::OkStatus() : NoMessage();
  }

  // False for what is unknown, if only in this form: protobuf keeps it, each in an entry of its own.
  static bool IsNumber(const FieldDescriptor* field) {
    if (field == nullptr) return false;
    const FieldDescriptor::CppType type = field->cpp_type();
    return type != FieldDescriptor::CPPTYPE_MESSAGE && type != FieldDescriptor::CPPTYPE_STRING;
  }

  bool SkipNumber(WireType type) {
    uint64_t number = 0;
    if (type == kVarint) return in_.ReadVarint64(&number);
    return (type == kFixed32 && in_.Skip(4)) || (type == kFixed64 && in_.Skip(8));
  }

  absl::Status TakeBytes(const FieldDescriptor* field, const Level& level) {
    uint32_t length = 0;
    if (!in_.ReadVarint32(&length)) return NoMessage();
    if (field != nullptr && field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      return TakeMessage(*field->message_type(), length, level);
    }
    // A single text is where the message is; a packed list is no longer in memory than eight times its bytes.
    const bool in_place =
        field != nullptr &&
        (field->is_packable() || (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING && !field->is_repeated()));
    if (!in_place) RETURN_IF_ERROR(Add(counts_.parts, limits_.max_values, "parts"));
    return length <= INT_MAX && in_.Skip(static_cast<int>(length)) ? absl::OkStatus() : NoMessage();
  }

  absl::Status TakeMessage(const Descriptor& type, uint32_t length, const Level& level) {
    const std::string_view name = type.full_name();
    Level inner{&type, level.messages + 1, level.json_levels, 0};
    if (name == "google.protobuf.Value") {
      RETURN_IF_ERROR(Add(counts_.values, limits_.max_values, "values"));
    } else if (name == "google.protobuf.Struct.FieldsEntry") {
      RETURN_IF_ERROR(Add(counts_.keys, limits_.max_keys, "keys"));
    } else {
      RETURN_IF_ERROR(Add(counts_.parts, limits_.max_values, "parts"));
      if (name == "google.protobuf.Struct" || name == "google.protobuf.ListValue") ++inner.json_levels;
    }
    // Otherwise its end would be that of the message around it.
    const int left = in_.BytesUntilLimit();
    if (length > INT_MAX || (left >= 0 && static_cast<int>(length) > left)) return NoMessage();
    const CodedInputStream::Limit outer = in_.PushLimit(static_cast<int>(length));
    RETURN_IF_ERROR(Enter(inner));
    if (in_.BytesUntilLimit() != 0) return NoMessage();
    in_.PopLimit(outer);
    return absl::OkStatus();
  }

  absl::Status Enter(const Level& level) {
    if (level.json_levels > limits_.max_depth) return Beyond("levels", static_cast<size_t>(limits_.max_depth));
    if (level.messages > kMaxMessages) return Beyond("messages in one another", kMaxMessages);
    return Walk(level);
  }

  absl::Status Add(size_t& count, size_t limit, std::string_view what) {
    return ++count <= limit ? absl::OkStatus() : Beyond(what, limit);
  }

  absl::Status Beyond(std::string_view what, size_t limit) const {
    return absl::InvalidArgumentError(
        absl::StrCat("more than ", limit, " ", ToAbsl(what), ", at byte ", in_.CurrentPosition()));
  }

  CodedInputStream& in_;
  const JsonLimits& limits_;
  WireCounts counts_;
};

}  // namespace

absl::StatusOr<WireCounts> CountWire(google::protobuf::io::ZeroCopyInputStream& bytes, const Descriptor& type,
                                     const JsonLimits& limits) {
  CodedInputStream in(&bytes);
  WireCounter counter(in, limits);
  RETURN_IF_ERROR(counter.Walk({&type}));
  return counter.counts();
}

}  // namespace toolgate::services::grpc
