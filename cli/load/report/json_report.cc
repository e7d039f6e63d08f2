#include "cli/load/report/json_report.h"

#include <cstddef>
#include <string>
#include <utility>

namespace toolgate::cli::load::report {
namespace {

Json ToJson(const Distribution& distribution) {
  Json json{{"count", distribution.count}, {"min", distribution.min}, {"mean", distribution.mean}};
  for (size_t i = 0; i < kPercentiles.size(); ++i) {
    json[std::string(kPercentiles[i].name)] = distribution.percentiles[i];
  }
  json["max"] = distribution.max;
  return json;
}

Json ToJson(const OperationRow& row) {
  Json json{
      {"name", row.name}, {"tool", row.tool}, {"count", row.count}, {"errors", row.unexpected}, {"rate", row.rate}};
  json["latency"] = ToJson(row.latency);
  json["serviceTime"] = ToJson(row.service);
  json["outcomes"] = Json::array();
  for (const OutcomeRow& outcome : row.outcomes) {
    json["outcomes"].push_back({{"code", outcome.outcome.code},
                                {"kind", stats::NameOf(outcome.outcome.kind)},
                                {"grpcStatus", outcome.outcome.grpc_status},
                                {"count", outcome.count},
                                {"errors", outcome.unexpected},
                                {"latency", ToJson(outcome.latency)},
                                {"firstMessage", outcome.first_message}});
  }
  return json;
}

Json ToJson(const TimePoint& point) {
  return {{"begin", point.begin},
          {"end", point.end},
          {"warmUp", point.warm_up},
          {"scheduledRate", point.intended_rate},
          {"startedRate", point.started_rate},
          {"completedRate", point.completed_rate},
          {"missedRate", point.missed_rate},
          {"inFlight", point.in_flight},
          {"p50", point.p50},
          {"p99", point.p99},
          {"max", point.max},
          {"errors", point.errors}};
}

Json ToJson(const server_metrics::BucketCounts& counts) {
  return {{"count", counts.count},       {"mean", counts.mean()},        {"p50", counts.Quantile(0.5)},
          {"p90", counts.Quantile(0.9)}, {"p99", counts.Quantile(0.99)}, {"p99.9", counts.Quantile(0.999)}};
}

Json ToJson(const ServerPart& server) {
  Json json{{"urls", server.urls}, {"problem", server.problem}};
  if (!server.numbers.has_value()) return json;
  const server_metrics::ServerNumbers& numbers = *server.numbers;
  json["version"] = numbers.version;
  json["seconds"] = numbers.seconds;
  json["cpuSeconds"] = numbers.cpu_seconds;
  json["execute"] = ToJson(numbers.execute);
  json["executeStream"] = ToJson(numbers.execute_stream);
  json["queueWait"] = ToJson(numbers.queue_wait);
  json["commit"] = ToJson(numbers.commit);
  json["tools"] = Json::array();
  for (const auto& tool : numbers.tools) {
    json["tools"].push_back({{"tool", tool.tool}, {"duration", ToJson(tool.duration)}, {"outcomes", tool.outcomes}});
  }
  json["layers"] = Json::array();
  for (const auto& layer : numbers.layers) {
    json["layers"].push_back({{"layer", layer.layer}, {"calls", layer.calls}, {"seconds", layer.seconds}});
  }
  json["rejections"] = numbers.rejections;
  json["gauges"] = Json::array();
  for (const auto& gauges : server.gauges) {
    json["gauges"].push_back({{"time", gauges.seconds},
                              {"cpuSeconds", gauges.cpu_seconds},
                              {"residentBytes", gauges.resident_bytes},
                              {"queueLength", gauges.queue_length},
                              {"inFlight", gauges.in_flight},
                              {"waiting", gauges.waiting},
                              {"auditPending", gauges.audit_pending}});
  }
  return json;
}

Json HarnessJson(const HarnessPart& harness) {
  return {{"threads", harness.threads},
          {"connections", harness.connections},
          {"processors", harness.processors},
          {"cpuSeconds", harness.cpu_seconds},
          {"startLag", ToJson(harness.start_lag)}};
}

// The part about the run as a whole.
Json HeadJson(const Report& report) {
  return {{"schema", kJsonSchema},
          {"version", report.version},
          {"command", report.command_line},
          {"profile", report.profile},
          {"load", report.load},
          {"loop", report.open_loop ? "open" : "closed"},
          {"seed", report.seed},
          {"run", report.run_id},
          {"callers", report.callers},
          {"workspaces", report.workspaces},
          {"startedAt", absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", report.started_at, absl::UTCTimeZone())},
          {"warmUpSeconds", report.warm_up_seconds},
          {"measuredSeconds", report.measured_seconds},
          {"interrupted", report.interrupted},
          {"machine", report.machine},
          {"passed", report.passed()}};
}

}  // namespace

Json JsonReport(const Report& report) {
  Json json = HeadJson(report);
  json["warnings"] = report.warnings;
  json["thresholds"] = Json::array();
  for (const ThresholdRow& row : report.thresholds) {
    json["thresholds"].push_back({{"threshold", row.text}, {"actual", row.actual}, {"passed", row.passed}});
  }
  json["summary"] = {{"count", report.count},
                     {"errors", report.unexpected},
                     {"errorShare", report.error_share()},
                     {"rate", report.rate},
                     {"missedStarts", report.missed_starts},
                     {"skippedSteps", report.skipped_steps},
                     {"warmUpCalls", report.warm_up_calls},
                     {"cancelledCalls", report.cancelled_calls},
                     {"streamEvents", report.stream_events},
                     {"latency", ToJson(report.latency)},
                     {"serviceTime", ToJson(report.service)},
                     {"firstEvent", ToJson(report.first_event)}};
  json["steps"] = Json::array();
  for (const OperationRow& row : report.operations) json["steps"].push_back(ToJson(row));
  json["targets"] = Json::array();
  for (const TargetRow& row : report.targets) {
    json["targets"].push_back(
        {{"address", row.address}, {"count", row.count}, {"errors", row.unexpected}, {"latency", ToJson(row.latency)}});
  }
  json["timeline"] = Json::array();
  for (const TimePoint& point : report.timeline) json["timeline"].push_back(ToJson(point));
  json["server"] = ToJson(report.server);
  json["harness"] = HarnessJson(report.harness);
  return json;
}

}  // namespace toolgate::cli::load::report
