#include "security/safe_errors/masked_log_sink.h"

#include <optional>

#include "security/safe_errors/masker.h"

namespace toolgate::security::safe_errors {

void MaskedLogSink::Write(std::string_view line) {
  const std::optional<Masked> masked = Masker(MaskLevel::kKnown, &secrets_).MaskIfNeeded(line);
  sink_.Write(masked.has_value() ? std::string_view(masked->text) : line);
}

}  // namespace toolgate::security::safe_errors
