// CountWire must count at least what protobuf makes of a message, and find well-formed just what protobuf does.
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/struct.pb.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "services/grpc/wire_count.h"
#include "toolgate/v1/tool_service.pb.h"

namespace {

using google::protobuf::Struct;
using google::protobuf::Value;
using toolgate::JsonLimits;
using toolgate::services::grpc::WireCounts;

void Add(const Struct& object, WireCounts& counts);

void Add(const Value& value, WireCounts& counts) {
  ++counts.values;
  if (value.has_struct_value()) Add(value.struct_value(), counts);
  for (const Value& item : value.list_value().values()) Add(item, counts);
}

void Add(const Struct& object, WireCounts& counts) {
  counts.keys += static_cast<size_t>(object.fields_size());
  for (const auto& [key, value] : object.fields()) Add(value, counts);
}

// A member that has no value on the wire gets one from protobuf, inside what is counted for its key.
bool Covers(const WireCounts& counted, const WireCounts& real) {
  return counted.keys >= real.keys && counted.values + counted.keys >= real.values;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  toolgate::v1::ExecuteRequest request;
  const int bytes = static_cast<int>(size);
  const bool parsed = request.ParseFromArray(data, bytes);
  google::protobuf::io::ArrayInputStream stream(data, bytes);
  // No bound that a message of this size could exceed but those of protobuf's own on depth.
  const JsonLimits limits{.max_bytes = size + 1, .max_depth = 100, .max_keys = size + 1, .max_values = size + 1};
  const auto counted = toolgate::services::grpc::CountWire(stream, *request.GetDescriptor(), limits);
  if (!parsed) return 0;
  if (!counted.ok()) std::abort();
  WireCounts real;
  Add(request.arguments(), real);
  if (!Covers(*counted, real)) std::abort();
  return 0;
}
