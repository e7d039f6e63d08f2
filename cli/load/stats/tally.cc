#include "cli/load/stats/tally.h"

#include <algorithm>

namespace toolgate::cli::load::stats {

int64_t OperationTally::unexpected() const {
  int64_t sum = 0;
  for (const auto& [outcome, tally] : outcomes) sum += tally.unexpected;
  return sum;
}

Histogram OperationTally::Latency() const {
  Histogram all;
  for (const auto& [outcome, tally] : outcomes) all.Merge(tally.latency);
  return all;
}

void Tally::Add(const Result& result) {
  OperationTally& operation = operations[result.operation];
  OutcomeTally& outcome = operation.outcomes[result.outcome];
  outcome.latency.Record(result.ended - result.intended);
  ++(result.expected ? outcome.expected : outcome.unexpected);
  if (!result.expected && outcome.first_message.empty()) outcome.first_message = result.message;
  operation.service.Record(result.ended - result.started);
  if (result.in_window) ++operation.in_window;
  TargetTally& target = targets[result.target];
  ++target.count;
  if (!result.expected) ++target.unexpected;
  target.latency.Record(result.ended - result.intended);
}

void Tally::Merge(const Tally& other) {
  operations.resize(std::max(operations.size(), other.operations.size()));
  for (size_t i = 0; i < other.operations.size(); ++i) {
    for (const auto& [outcome, from] : other.operations[i].outcomes) {
      OutcomeTally& into = operations[i].outcomes[outcome];
      into.expected += from.expected;
      into.unexpected += from.unexpected;
      into.latency.Merge(from.latency);
      if (into.first_message.empty()) into.first_message = from.first_message;
    }
    operations[i].service.Merge(other.operations[i].service);
    operations[i].in_window += other.operations[i].in_window;
  }
  targets.resize(std::max(targets.size(), other.targets.size()));
  for (size_t i = 0; i < other.targets.size(); ++i) {
    targets[i].count += other.targets[i].count;
    targets[i].unexpected += other.targets[i].unexpected;
    targets[i].latency.Merge(other.targets[i].latency);
  }
  start_lag.Merge(other.start_lag);
  first_event.Merge(other.first_event);
  stream_events += other.stream_events;
  missed_starts += other.missed_starts;
  skipped_steps += other.skipped_steps;
  warm_up_calls += other.warm_up_calls;
  cancelled_calls += other.cancelled_calls;
}

int64_t Tally::count() const {
  int64_t sum = 0;
  for (const OperationTally& operation : operations) sum += operation.count();
  return sum;
}

int64_t Tally::in_window() const {
  int64_t sum = 0;
  for (const OperationTally& operation : operations) sum += operation.in_window;
  return sum;
}

int64_t Tally::unexpected() const {
  int64_t sum = 0;
  for (const OperationTally& operation : operations) sum += operation.unexpected();
  return sum;
}

void Interval::Add(const Result& result) {
  ++completed;
  latency.Record(result.ended - result.intended);
  if (result.expected) return;
  ++unexpected;
  ++errors[result.outcome.code];
}

void Interval::Merge(const Interval& other) {
  started += other.started;
  completed += other.completed;
  unexpected += other.unexpected;
  missed_starts += other.missed_starts;
  in_flight += other.in_flight;
  latency.Merge(other.latency);
  for (const auto& [code, count] : other.errors) errors[code] += count;
}

}  // namespace toolgate::cli::load::stats
