#include "observability/otlp/request_encoder.h"

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

void PutRawVarint(uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

size_t VarintSize(uint64_t value) { return (static_cast<size_t>(std::bit_width(value | 1)) + 6) / 7; }

void PutTag(uint32_t field, uint32_t type, std::string& out) { PutRawVarint(field << 3 | type, out); }

void PutVarint(uint32_t field, uint64_t value, std::string& out) {
  PutTag(field, kVarint, out);
  PutRawVarint(value, out);
}

template <typename T>
void PutLittleEndian(T value, std::string& out) {
  for (size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

void PutFixed64(uint32_t field, uint64_t value, std::string& out) {
  PutTag(field, kFixed64, out);
  PutLittleEndian(value, out);
}

void PutBytes(uint32_t field, std::string_view bytes, std::string& out) {
  PutTag(field, kBytes, out);
  PutRawVarint(bytes.size(), out);
  out += bytes;
}

// Ids are sent with the highest byte first.
void PutBigEndian(uint64_t value, std::string& out) {
  for (int shift = 56; shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}

void PutId(uint32_t field, uint64_t id, std::string& out) {
  PutTag(field, kBytes, out);
  PutRawVarint(sizeof(id), out);
  PutBigEndian(id, out);
}

// Field numbers below 16, as here, and a type take one byte.
constexpr size_t kTagSize = 1;

size_t BytesSize(std::string_view bytes) { return kTagSize + VarintSize(bytes.size()) + bytes.size(); }

template <typename T>
size_t ValueSize(const T& value) {
  if constexpr (std::is_convertible_v<T, std::string_view>) {
    return BytesSize(value);
  } else if constexpr (std::is_same_v<T, double>) {
    return kTagSize + sizeof(double);
  } else {
    return kTagSize + VarintSize(static_cast<uint64_t>(value));
  }
}

template <typename T>
void PutValue(const T& value, std::string& out) {
  if constexpr (std::is_convertible_v<T, std::string_view>) {
    PutBytes(kAnyString, value, out);
  } else if constexpr (std::is_same_v<T, double>) {
    PutFixed64(kAnyDouble, std::bit_cast<uint64_t>(value), out);
  } else {
    PutVarint(std::is_same_v<T, bool> ? kAnyBool : kAnyInt, static_cast<uint64_t>(value), out);
  }
}

template <typename Variant>
void PutAttribute(uint32_t field, std::string_view name, const Variant& variant, std::string& out) {
  std::visit(
      [&](const auto& value) {
        const size_t size = ValueSize(value);
        PutTag(field, kBytes, out);
        PutRawVarint(BytesSize(name) + kTagSize + VarintSize(size) + size, out);
        PutBytes(kKeyValueKey, name, out);
        PutTag(kKeyValueValue, kBytes, out);
        PutRawVarint(size, out);
        PutValue(value, out);
      },
      variant);
}

void PutSpan(const TraceRecording& recording, size_t index, std::string& out) {
  const Span& span = recording.spans()[index];
  const TraceContext& trace = recording.server();
  PutTag(kSpanTraceId, kBytes, out);
  PutRawVarint(2 * sizeof(uint64_t), out);
  PutBigEndian(trace.trace_id_high, out);
  PutBigEndian(trace.trace_id_low, out);
  PutId(kSpanSpanId, span.id, out);
  if (!trace.trace_state.empty()) PutBytes(kSpanTraceState, trace.trace_state, out);
  if (span.parent_id != 0) PutId(kSpanParentSpanId, span.parent_id, out);
  PutBytes(kSpanName, span.name, out);
  PutVarint(kSpanKind, static_cast<uint64_t>(span.kind), out);
  PutFixed64(kSpanStartTime, recording.UnixNanos(span.start_ns), out);
  PutFixed64(kSpanEndTime, recording.UnixNanos(span.end_ns), out);
  for (const Attribute& attribute : recording.AttributesOf(index)) {
    PutAttribute(kSpanAttributes, attribute.name, attribute.value, out);
  }
  if (span.failed) {
    PutTag(kSpanStatus, kBytes, out);
    PutRawVarint(kTagSize + VarintSize(kStatusError), out);
    PutVarint(kStatusCode, kStatusError, out);
  }
  PutTag(kSpanFlags, kFixed32, out);
  PutLittleEndian(trace.flags | kHasIsRemote | (span.parent_is_remote ? kIsRemote : 0), out);
}

}  // namespace

RequestEncoder::RequestEncoder(const tracing::Resource& resource, std::string_view scope_version) {
  std::string message;
  for (const auto& [name, value] : resource) PutAttribute(kResourceAttributes, name, value, message);
  PutBytes(kResourceSpansResource, message, resource_);
  PutBytes(kResourceSpansSchemaUrl, tracing::kSchemaUrl, resource_);
  message.clear();
  PutBytes(kScopeName, tracing::kScopeName, message);
  PutBytes(kScopeVersion, scope_version, message);
  PutBytes(kScopeSpansScope, message, scope_);
  PutBytes(kScopeSpansSchemaUrl, tracing::kSchemaUrl, scope_);
}

std::string_view RequestEncoder::Encode(std::span<const SpanRef> batch) {
  spans_.clear();
  for (const SpanRef& ref : batch) AppendSpan(ref);
  request_.clear();
  const size_t scope_size = scope_.size() + spans_.size();
  PutTag(kRequestResourceSpans, kBytes, request_);
  PutRawVarint(resource_.size() + kTagSize + VarintSize(scope_size) + scope_size, request_);
  request_ += resource_;
  PutTag(kResourceSpansScopeSpans, kBytes, request_);
  PutRawVarint(scope_size, request_);
  request_ += scope_;
  request_ += spans_;
  return request_;
}

void RequestEncoder::AppendSpan(const SpanRef& ref) {
  span_.clear();
  PutSpan(*ref.recording, ref.index, span_);
  PutBytes(kScopeSpansSpans, span_, spans_);
}

}  // namespace toolgate::observability::otlp
