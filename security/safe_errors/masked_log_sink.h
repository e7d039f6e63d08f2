// A log without the service's own secrets.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_MASKED_LOG_SINK_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_MASKED_LOG_SINK_H_

#include <string_view>

#include "observability/logger.h"
#include "security/safe_errors/known_secrets.h"

namespace toolgate::security::safe_errors {

// Masks known secrets in every line, no matter what wrote it and what else that masked, and passes it on. Borrows both;
// thread-safe.
class MaskedLogSink final : public observability::LogSink {
 public:
  MaskedLogSink(const KnownSecrets& secrets, observability::LogSink& sink) : secrets_(secrets), sink_(sink) {}

  void Write(std::string_view line) override;

 private:
  const KnownSecrets& secrets_;
  observability::LogSink& sink_;
};

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_MASKED_LOG_SINK_H_
