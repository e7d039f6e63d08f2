#include "observability/otlp/request_encoder.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <variant>

#include "observability/tracing/attribute_names.h"
#include "observability/tracing/span.h"
#include "observability/tracing/trace_recording.h"

namespace toolgate::observability::otlp {
namespace {

using tracing::Attribute;
using tracing::Span;
using tracing::SpanRef;
using tracing::TraceRecording;

// Field numbers, as in proto/opentelemetry.
constexpr uint32_t kRequestResourceSpans = 1;
constexpr uint32_t kResourceSpansResource = 1;
constexpr uint32_t kResourceSpansScopeSpans = 2;
constexpr uint32_t kResourceSpansSchemaUrl = 3;
constexpr uint32_t kResourceAttributes = 1;
constexpr uint32_t kScopeSpansScope = 1;
constexpr uint32_t kScopeSpansSpans = 2;
constexpr uint32_t kScopeSpansSchemaUrl = 3;
constexpr uint32_t kScopeName = 1;
constexpr uint32_t kScopeVersion = 2;
constexpr uint32_t kSpanTraceId = 1;
constexpr uint32_t kSpanSpanId = 2;
constexpr uint32_t kSpanTraceState = 3;
constexpr uint32_t kSpanParentSpanId = 4;
constexpr uint32_t kSpanName = 5;
constexpr uint32_t kSpanKind = 6;
constexpr uint32_t kSpanStartTime = 7;
constexpr uint32_t kSpanEndTime = 8;
constexpr uint32_t kSpanAttributes = 9;
constexpr uint32_t kSpanStatus = 15;
constexpr uint32_t kSpanFlags = 16;
constexpr uint32_t kStatusCode = 3;
constexpr uint32_t kKeyValueKey = 1;
constexpr uint32_t kKeyValueValue = 2;
constexpr uint32_t kAnyString = 1;
constexpr uint32_t kAnyBool = 2;
constexpr uint32_t kAnyInt = 3;
constexpr uint32_t kAnyDouble = 4;

constexpr uint64_t kStatusError = 2;
constexpr uint32_t kHasIsRemote = 0x100;
constexpr uint32_t kIsRemote = 0x200;

// Wire types of protobuf.
constexpr uint32_t kVarint = 0;
constexpr uint32_t kFixed64 = 1;
constexpr uint32_t kBytes = 2;
constexpr uint32_t kFixed32 = 5;

// Each of these writes to memory with room for it, whose size the functions below tell, and returns the end.
char* PutRawVarint(uint64_t value, char* at) {
  while (value >= 0x80) {
    *at++ = static_cast<char>(value | 0x80);
    value >>= 7;
  }
  *at++ = static_cast<char>(value);
  return at;
}

char* PutTag(uint32_t field, uint32_t type, char* at) { return PutRawVarint(field << 3 | type, at); }

char* PutVarint(uint32_t field, uint64_t value, char* at) { return PutRawVarint(value, PutTag(field, kVarint, at)); }

template <typename T>
char* PutLittleEndian(T value, char* at) {
  for (size_t i = 0; i < sizeof(T); ++i) *at++ = static_cast<char>(value >> (8 * i));
  return at;
}

char* PutFixed64(uint32_t field, uint64_t value, char* at) {
  return PutLittleEndian(value, PutTag(field, kFixed64, at));
}

// The start of a field of `size` bytes.
char* PutHead(uint32_t field, size_t size, char* at) { return PutRawVarint(size, PutTag(field, kBytes, at)); }

char* PutBytes(uint32_t field, std::string_view bytes, char* at) {
  return std::copy(bytes.begin(), bytes.end(), PutHead(field, bytes.size(), at));
}

// Ids are sent with the highest byte first.
char* PutBigEndian(uint64_t value, char* at) {
  for (int shift = 56; shift >= 0; shift -= 8) *at++ = static_cast<char>(value >> shift);
  return at;
}

char* PutId(uint32_t field, uint64_t id, char* at) { return PutBigEndian(id, PutHead(field, sizeof(id), at)); }

// Field numbers below 16 and a type take one byte. All are but that of the flags.
constexpr size_t kTagSize = 1;
constexpr size_t kFlagsSize = 2 + sizeof(uint32_t);

constexpr size_t VarintSize(uint64_t value) { return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7; }

// Of a field of `size` bytes.
constexpr size_t FieldSize(size_t size) { return kTagSize + VarintSize(size) + size; }

template <typename T>
size_t ValueSize(const T& value) {
  if constexpr (std::is_convertible_v<T, std::string_view>) {
    return FieldSize(std::string_view(value).size());
  } else if constexpr (std::is_same_v<T, double>) {
    return kTagSize + sizeof(double);
  } else {
    return kTagSize + VarintSize(static_cast<uint64_t>(value));
  }
}

template <typename T>
char* PutValue(const T& value, char* at) {
  if constexpr (std::is_convertible_v<T, std::string_view>) {
    return PutBytes(kAnyString, value, at);
  } else if constexpr (std::is_same_v<T, double>) {
    return PutFixed64(kAnyDouble, std::bit_cast<uint64_t>(value), at);
  } else {
    return PutVarint(std::is_same_v<T, bool> ? kAnyBool : kAnyInt, static_cast<uint64_t>(value), at);
  }
}

// Of the message KeyValue.
template <typename Variant>
size_t AttributeSize(std::string_view name, const Variant& variant) {
  return FieldSize(name.size()) + std::visit([](const auto& value) { return FieldSize(ValueSize(value)); }, variant);
}

template <typename Variant>
char* PutAttribute(uint32_t field, std::string_view name, const Variant& variant, char* at) {
  at = PutHead(field, AttributeSize(name, variant), at);
  at = PutBytes(kKeyValueKey, name, at);
  return std::visit([at](const auto& value) { return PutValue(value, PutHead(kKeyValueValue, ValueSize(value), at)); },
                    variant);
}

constexpr size_t kStatusSize = kTagSize + VarintSize(kStatusError);

size_t SpanSize(const TraceRecording& recording, size_t index) {
  const Span& span = recording.spans()[index];
  const std::string_view trace_state = recording.server().trace_state;
  size_t size = FieldSize(2 * sizeof(uint64_t)) + FieldSize(sizeof(span.id)) + FieldSize(span.name.size()) + kTagSize +
                VarintSize(static_cast<uint64_t>(span.kind)) + 2 * (kTagSize + sizeof(uint64_t)) + kFlagsSize;
  if (!trace_state.empty()) size += FieldSize(trace_state.size());
  if (span.parent_id != 0) size += FieldSize(sizeof(span.parent_id));
  for (const Attribute& attribute : recording.AttributesOf(index)) {
    size += FieldSize(AttributeSize(attribute.name, attribute.value));
  }
  if (span.failed) size += FieldSize(kStatusSize);
  return size;
}

char* PutSpan(const TraceRecording& recording, size_t index, char* at) {
  const Span& span = recording.spans()[index];
  const TraceContext& trace = recording.server();
  at = PutHead(kSpanTraceId, 2 * sizeof(uint64_t), at);
  at = PutBigEndian(trace.trace_id_low, PutBigEndian(trace.trace_id_high, at));
  at = PutId(kSpanSpanId, span.id, at);
  if (!trace.trace_state.empty()) at = PutBytes(kSpanTraceState, trace.trace_state, at);
  if (span.parent_id != 0) at = PutId(kSpanParentSpanId, span.parent_id, at);
  at = PutBytes(kSpanName, span.name, at);
  at = PutVarint(kSpanKind, static_cast<uint64_t>(span.kind), at);
  at = PutFixed64(kSpanStartTime, recording.UnixNanos(span.start_ns), at);
  at = PutFixed64(kSpanEndTime, recording.UnixNanos(span.end_ns), at);
  for (const Attribute& attribute : recording.AttributesOf(index)) {
    at = PutAttribute(kSpanAttributes, attribute.name, attribute.value, at);
  }
  if (span.failed) at = PutVarint(kStatusCode, kStatusError, PutHead(kSpanStatus, kStatusSize, at));
  at = PutTag(kSpanFlags, kFixed32, at);
  return PutLittleEndian(trace.flags | kHasIsRemote | (span.parent_is_remote ? kIsRemote : 0), at);
}

// Has `put` write `size` bytes at the end of `out`.
template <typename Put>
void Append(size_t size, std::string& out, Put put) {
  const size_t begin = out.size();
  out.resize(begin + size);
  put(out.data() + begin);
}

void AppendBytes(uint32_t field, std::string_view bytes, std::string& out) {
  Append(FieldSize(bytes.size()), out, [&](char* at) { PutBytes(field, bytes, at); });
}

}  // namespace

RequestEncoder::RequestEncoder(const tracing::Resource& resource, std::string_view scope_version) {
  std::string message;
  for (const auto& [name, value] : resource) {
    Append(FieldSize(AttributeSize(name, value)), message,
           [&, &name = name, &value = value](char* at) { PutAttribute(kResourceAttributes, name, value, at); });
  }
  AppendBytes(kResourceSpansResource, message, resource_);
  AppendBytes(kResourceSpansSchemaUrl, tracing::kSchemaUrl, resource_);
  message.clear();
  AppendBytes(kScopeName, tracing::kScopeName, message);
  AppendBytes(kScopeVersion, scope_version, message);
  AppendBytes(kScopeSpansScope, message, scope_);
  AppendBytes(kScopeSpansSchemaUrl, tracing::kSchemaUrl, scope_);
}

std::string_view RequestEncoder::Encode(std::span<const SpanRef> batch) {
  spans_.clear();
  for (const SpanRef& ref : batch) AppendSpan(ref);
  const size_t scope_size = scope_.size() + spans_.size();
  const size_t resource_size = resource_.size() + FieldSize(scope_size);
  request_.clear();
  Append(FieldSize(resource_size), request_, [&](char* at) {
    at = PutHead(kRequestResourceSpans, resource_size, at);
    at = std::copy(resource_.begin(), resource_.end(), at);
    at = PutHead(kResourceSpansScopeSpans, scope_size, at);
    at = std::copy(scope_.begin(), scope_.end(), at);
    std::copy(spans_.begin(), spans_.end(), at);
  });
  return request_;
}

void RequestEncoder::AppendSpan(const SpanRef& ref) {
  const size_t size = SpanSize(*ref.recording, ref.index);
  Append(FieldSize(size), spans_,
         [&](char* at) { PutSpan(*ref.recording, ref.index, PutHead(kScopeSpansSpans, size, at)); });
}

}  // namespace toolgate::observability::otlp
