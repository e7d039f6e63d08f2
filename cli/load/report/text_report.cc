#include "cli/load/report/text_report.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/load/report/format.h"
#include "cli/printable.h"
#include "cli/table.h"

namespace toolgate::cli::load::report {
namespace {

class Writer {
 public:
  Writer(const Report& report, const Terminal& terminal) : report_(report), terminal_(terminal) {}

  std::string Write() {
    Head();
    Steps();
    Outcomes();
    Targets();
    Server();
    Harness();
    Thresholds();
    for (const std::string& warning : report_.warnings) {
      absl::StrAppend(&text_, Paint("warning:", Style::kWarning, terminal_.colour_out()), " ", PrintableLine(warning),
                      "\n");
    }
    return std::move(text_);
  }

 private:
  void Head() {
    absl::StrAppend(&text_, Paint(PrintableLine(report_.profile), Style::kBold, terminal_.colour_out()), "  ",
                    PrintableLine(report_.load), "\n");
    absl::StrAppend(&text_, FormatCount(report_.count), " RPCs in ", FormatSeconds(report_.measured_seconds), ", ",
                    FormatRate(report_.rate), "/s, ", Plural(report_.unexpected, "error"), " (",
                    FormatPercent(report_.error_share()), ")");
    if (report_.open_loop) absl::StrAppend(&text_, ", ", Plural(report_.missed_starts, "missed start"));
    text_ += "\n\n";
  }

  // The last column is the only one that is cut, so the longest texts come last.
  void Steps() {
    Table table({"p50", "p90", "p99", "p99.9", "p99.99", "max", "RPCs", "RPCs/s", "errors", "step"});
    const auto add = [&](const std::string& name, const Distribution& d, int64_t count, const std::string& rate,
                         const std::string& errors) {
      table.AddRow({FormatSeconds(d.At("p50")), FormatSeconds(d.At("p90")), FormatSeconds(d.At("p99")),
                    FormatSeconds(d.At("p99.9")), FormatSeconds(d.At("p99.99")), FormatSeconds(d.max),
                    FormatCount(count), rate, errors, name});
    };
    for (const OperationRow& row : report_.operations) {
      add(row.name, row.latency, row.count, FormatRate(row.rate), FormatCount(row.unexpected));
    }
    add("all", report_.latency, report_.count, FormatRate(report_.rate), FormatCount(report_.unexpected));
    if (report_.open_loop) add("all, service time", report_.service, report_.service.count, "", "");
    if (report_.first_event.count > 0) {
      add("first event of streams", report_.first_event, report_.first_event.count, "", "");
    }
    Add(table);
  }

  void Outcomes() {
    Table table({"RPCs", "errors", "outcome", "kind", "gRPC status", "step: first message"});
    for (const OperationRow& operation : report_.operations) {
      for (const OutcomeRow& row : operation.outcomes) {
        if (row.outcome.kind == stats::OutcomeKind::kOk && row.unexpected == 0) continue;
        table.AddRow({FormatCount(row.count), FormatCount(row.unexpected), row.outcome.code,
                      std::string(stats::NameOf(row.outcome.kind)), row.outcome.grpc_status,
                      absl::StrCat(operation.name, row.first_message.empty() ? "" : ": ", row.first_message)});
      }
    }
    Add(table);
  }

  void Targets() {
    if (report_.targets.size() < 2) return;
    Table table({"RPCs", "errors", "p50", "p99", "target"});
    for (const TargetRow& row : report_.targets) {
      table.AddRow({FormatCount(row.count), FormatCount(row.unexpected), FormatSeconds(row.latency.At("p50")),
                    FormatSeconds(row.latency.At("p99")), row.address});
    }
    Add(table);
  }

  void Server() {
    if (!report_.server.numbers.has_value()) return;
    const server_metrics::ServerNumbers& numbers = *report_.server.numbers;
    Table table({"service p50", "client p50", "service p99", "client p99", "calls", "tool"});
    for (const auto& tool : numbers.tools) {
      stats::Histogram client;
      for (const OperationRow& row : report_.operations) {
        if (row.tool == tool.tool) client.Merge(row.latency_histogram);
      }
      const Distribution seen = Distribution::Of(client);
      const auto of_client = [&](double value) { return seen.count == 0 ? std::string("-") : FormatSeconds(value); };
      table.AddRow({FormatSeconds(tool.duration.Quantile(0.5)), of_client(seen.At("p50")),
                    FormatSeconds(tool.duration.Quantile(0.99)), of_client(seen.At("p99")),
                    FormatCount(static_cast<int64_t>(tool.duration.count)), tool.tool});
    }
    Add(table);
    absl::StrAppendFormat(&text_, "The service used %.2f cores",
                          numbers.seconds > 0 ? numbers.cpu_seconds / numbers.seconds : 0);
    for (size_t i = 0; i < numbers.layers.size() && i < 3; ++i) {
      const auto& layer = numbers.layers[i];
      absl::StrAppend(&text_, i == 0 ? "; most time in " : ", ", PrintableLine(layer.layer), " (mean ",
                      FormatSeconds(layer.seconds / layer.calls), ")");
    }
    text_ += ".\n";
  }

  void Harness() {
    const HarnessPart& harness = report_.harness;
    const double cores = report_.measured_seconds > 0 ? harness.cpu_seconds / report_.measured_seconds : 0;
    absl::StrAppendFormat(&text_, "The harness used %.2f of %d cores with %s", cores, harness.processors,
                          Plural(harness.threads, "thread"));
    if (report_.open_loop) {
      absl::StrAppend(&text_, "; starts were late by ", FormatSeconds(harness.start_lag.At("p99")), " at p99, ",
                      FormatSeconds(harness.start_lag.max), " at most");
    }
    absl::StrAppend(&text_, ". Seed ", report_.seed, ".\n");
  }

  void Thresholds() {
    for (const ThresholdRow& row : report_.thresholds) {
      absl::StrAppend(
          &text_,
          Paint(row.passed ? "met" : "NOT MET", row.passed ? Style::kGood : Style::kBad, terminal_.colour_out()), "  ",
          PrintableLine(row.text), "  measured ", row.actual, "\n");
    }
  }

  void Add(const Table& table) {
    if (!table.empty()) absl::StrAppend(&text_, table.Render(terminal_), "\n");
  }

  const Report& report_;
  const Terminal& terminal_;
  std::string text_;
};

}  // namespace

std::string TextReport(const Report& report, const Terminal& terminal) { return Writer(report, terminal).Write(); }

}  // namespace toolgate::cli::load::report
