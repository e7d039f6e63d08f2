// An exporter under test: one span to send, fake time, and what it remarks.
#ifndef TOOLGATE_TESTS_UNIT_OBSERVABILITY_OTLP_EXPORTER_FIXTURE_H_
#define TOOLGATE_TESTS_UNIT_OBSERVABILITY_OTLP_EXPORTER_FIXTURE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "gtest/gtest.h"
#include "observability/otlp/otlp_exporter.h"
#include "observability/trace_ids.h"
#include "observability/tracing/trace_recording.h"
#include "tests/support/fake_clock.h"

namespace toolgate::observability::otlp {

class ExporterFixture : public ::testing::Test {
 protected:
  ExporterFixture() { recording_.Add({.id = 42, .name = "span"}); }

  // Waits are noted, and pass at once.
  OtlpExporter::Options Options() {
    OtlpExporter::Options options;
    options.timeout = absl::Minutes(1);
    options.version = "1.2.3";
    options.clock = &clock_;
    options.wait = [this](absl::Duration wait) {
      waits_.push_back(wait);
      clock_.Advance(wait);
    };
    options.on_remark = [this](int64_t rejected, std::string_view message) {
      remarks_.emplace_back(rejected, message);
    };
    return options;
  }

  absl::StatusOr<int64_t> Export(OtlpExporter& exporter, absl::Duration timeout = absl::Minutes(5)) {
    const tracing::SpanRef ref{&recording_, 0};
    return exporter.Export({&ref, 1}, timeout);
  }

  testing::FakeClock clock_;
  TraceIds ids_{IdSource::Real()};
  tracing::TraceRecording recording_{{1, 2, 3, 1, {}}, ids_, clock_};
  std::vector<absl::Duration> waits_;
  std::vector<std::pair<int64_t, std::string>> remarks_;
};

}  // namespace toolgate::observability::otlp

#endif  // TOOLGATE_TESTS_UNIT_OBSERVABILITY_OTLP_EXPORTER_FIXTURE_H_
