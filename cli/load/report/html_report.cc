#include "cli/load/report/html_report.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "cli/load/report/format.h"
#include "cli/load/report/load_report_style.h"
#include "cli/load/report/report_charts.h"
#include "cli/load/report/svg_chart.h"
#include "common/embedded_file.h"

namespace toolgate::cli::load::report {
namespace {

// One cell of a table, as HTML.
struct Cell {
  std::string html;
  std::string css;  // Class; may be empty.
};

Cell Text(std::string_view text) { return {EscapeHtml(text), "text"}; }
Cell Number(std::string_view text) { return {EscapeHtml(text), ""}; }
Cell Count(int64_t count) { return {FormatCount(count), ""}; }
Cell Errors(int64_t count) { return {FormatCount(count), count > 0 ? "bad" : ""}; }
Cell Time(double seconds) { return {FormatSeconds(seconds), ""}; }

class TableHtml {
 public:
  TableHtml(std::string_view caption, const std::vector<std::string>& header) {
    html_ =
        absl::StrCat("<div class=\"panel wide scroll\"><table aria-label=\"", EscapeHtml(caption), "\"><thead><tr>");
    for (const std::string& name : header) absl::StrAppend(&html_, "<th scope=\"col\">", EscapeHtml(name), "</th>");
    html_ += "</tr></thead><tbody>";
  }

  void Row(const std::vector<Cell>& cells, std::string_view css = "") {
    html_ += css.empty() ? "<tr>" : absl::StrCat("<tr class=\"", std::string(css), "\">");
    for (const Cell& cell : cells) {
      html_ += cell.css.empty() ? "<td>" : absl::StrCat("<td class=\"", cell.css, "\">");
      absl::StrAppend(&html_, cell.html, "</td>");
    }
    html_ += "</tr>";
  }

  std::string Take() { return std::move(html_) + "</tbody></table></div>"; }

 private:
  std::string html_;
};

std::string Heading(std::string_view id, std::string_view title, std::string_view text) {
  return absl::StrCat("<h2 id=\"", std::string(id), "\">", EscapeHtml(title), "</h2><p>", EscapeHtml(text), "</p>");
}

std::string Card(std::string_view name, std::string_view value, std::string_view note) {
  return absl::StrCat("<div class=\"card\"><dt>", EscapeHtml(name), "</dt><dd>", EscapeHtml(value), "<small>",
                      EscapeHtml(note), "</small></dd></div>");
}

std::string Charts(const std::vector<Chart>& charts) {
  std::string html = "<div class=\"grid\">";
  for (const Chart& chart : charts) html += RenderChart(chart);
  return html + "</div>";
}

std::string Head(const Report& report) {
  const auto failed =
      std::count_if(report.thresholds.begin(), report.thresholds.end(), [](const auto& row) { return !row.passed; });
  std::string verdict = "<div class=\"verdict plain\">no thresholds given</div>";
  if (!report.thresholds.empty() && failed == 0) {
    verdict = absl::StrCat("<div class=\"verdict pass\">✓ ",
                           report.thresholds.size() == 1 ? "threshold" : "all thresholds", " met</div>");
  } else if (failed > 0) {
    verdict = absl::StrCat("<div class=\"verdict fail\">✗ ", failed, " of ", report.thresholds.size(),
                           " thresholds not met</div>");
  }
  std::string html =
      absl::StrCat("<header><div><h1>Load test: ", EscapeHtml(report.profile), "</h1><p class=\"lead\">",
                   EscapeHtml(report.description), report.description.empty() ? "" : ". ", EscapeHtml(report.load),
                   ". ", EscapeHtml(absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", report.started_at, absl::UTCTimeZone())),
                   ".</p></div>", verdict, "</header>");
  if (report.warnings.empty()) return html;
  html += "<div class=\"warnings\" role=\"note\"><strong>Read with care</strong><ul>";
  for (const std::string& warning : report.warnings) absl::StrAppend(&html, "<li>", EscapeHtml(warning), "</li>");
  return html + "</ul></div>";
}

std::string Cards(const Report& report) {
  std::string html = "<dl class=\"cards\">";
  html += Card("Throughput", FormatRate(report.rate) + "/s", FormatCount(report.count) + " RPCs measured");
  html += Card("Median", FormatSeconds(report.latency.At("p50")), "half took at most this long");
  html += Card("99th percentile", FormatSeconds(report.latency.At("p99")), "1 in 100 took longer");
  html += Card("99.99th percentile", FormatSeconds(report.latency.At("p99.99")),
               absl::StrCat("1 in 10,000; maximum ", FormatSeconds(report.latency.max)));
  html += Card("Errors", FormatPercent(report.error_share()), Plural(report.unexpected, "RPC"));
  html += report.open_loop ? Card("Missed starts", FormatCount(report.missed_starts), "due, but not started")
                           : Card("Measured time", FormatSeconds(report.measured_seconds),
                                  absl::StrCat("after ", FormatSeconds(report.warm_up_seconds), " of warm-up"));
  return html + "</dl>";
}

std::string Thresholds(const Report& report) {
  if (report.thresholds.empty()) return "";
  TableHtml table("Thresholds", {"Threshold", "Measured", "Result"});
  for (const ThresholdRow& row : report.thresholds) {
    table.Row({Text(row.text), Number(row.actual), {row.passed ? "met" : "not met", row.passed ? "good" : "bad"}});
  }
  return Heading("thresholds", "Thresholds", "Conditions that were given for this run. One that is not met fails it.") +
         table.Take();
}

std::vector<Cell> LatencyCells(const Distribution& distribution) {
  std::vector<Cell> cells;
  for (const double value : distribution.percentiles) cells.push_back(Time(value));
  cells.push_back(Time(distribution.max));
  return cells;
}

std::vector<std::string> WithPercentiles(std::vector<std::string> header) {
  for (const PercentileRow& row : kPercentiles) header.emplace_back(row.name);
  header.emplace_back("max");
  return header;
}

void LatencyRow(TableHtml& table, std::vector<Cell> cells, const Distribution& latency, std::string_view css = "") {
  for (Cell& cell : LatencyCells(latency)) cells.push_back(std::move(cell));
  table.Row(cells, css);
}

std::string Steps(const Report& report) {
  TableHtml table("Latency by step", WithPercentiles({"Step", "RPCs", "RPCs/s", "Errors"}));
  for (const OperationRow& row : report.operations) {
    LatencyRow(table, {Text(row.name), Count(row.count), Number(FormatRate(row.rate)), Errors(row.unexpected)},
               row.latency);
  }
  LatencyRow(table, {Text("all"), Count(report.count), Number(FormatRate(report.rate)), Errors(report.unexpected)},
             report.latency, "all");
  if (report.open_loop) {
    LatencyRow(table, {Text("all, service time"), Count(report.service.count), {}, {}}, report.service);
  }
  if (report.first_event.count > 0) {
    LatencyRow(table, {Text("first event of streams"), Count(report.first_event.count), {}, {}}, report.first_event);
  }
  return Heading("steps", "By step",
                 "Each step of the profile, and each part of a confirmation, is counted by itself.") +
         table.Take();
}

std::string Outcomes(const Report& report) {
  TableHtml table("Outcomes",
                  {"Step", "Outcome", "Kind", "gRPC status", "RPCs", "Errors", "p50", "p99", "First message"});
  for (const OperationRow& operation : report.operations) {
    for (const OutcomeRow& row : operation.outcomes) {
      table.Row({Text(operation.name), Text(row.outcome.code), Text(stats::NameOf(row.outcome.kind)),
                 Text(row.outcome.grpc_status), Count(row.count), Errors(row.unexpected), Time(row.latency.At("p50")),
                 Time(row.latency.At("p99")), Text(row.first_message)});
    }
  }
  return Heading("outcomes", "Outcomes",
                 "A tool that ran and failed answers the gRPC status OK and counts as failed here. An outcome is an "
                 "error if the profile does not expect it.") +
         table.Take();
}

std::string Targets(const Report& report) {
  if (report.targets.size() < 2) return "";
  TableHtml table("Targets", WithPercentiles({"Target", "RPCs", "Errors"}));
  for (const TargetRow& row : report.targets) {
    LatencyRow(table, {Text(row.address), Count(row.count), Errors(row.unexpected)}, row.latency);
  }
  return Heading("targets", "Targets", "The addresses between which the harness balanced the calls.") + table.Take();
}

// Client and service, tool by tool.
std::string ServerTools(const Report& report, const server_metrics::ServerNumbers& numbers) {
  TableHtml table("Service beside client", {"Tool", "Calls (service)", "p50 (service)", "p50 (client)", "p99 (service)",
                                            "p99 (client)", "Mean (service)", "Mean (client)"});
  for (const server_metrics::ServerTool& tool : numbers.tools) {
    stats::Histogram client;
    for (const OperationRow& row : report.operations) {
      if (row.tool == tool.tool) client.Merge(row.latency_histogram);
    }
    const Distribution seen = Distribution::Of(client);
    const auto of_client = [&](double value) { return seen.count == 0 ? Cell{"–", ""} : Time(value); };
    table.Row({Text(tool.tool), Count(static_cast<int64_t>(tool.duration.count)), Time(tool.duration.Quantile(0.5)),
               of_client(seen.At("p50")), Time(tool.duration.Quantile(0.99)), of_client(seen.At("p99")),
               Time(tool.duration.mean()), of_client(seen.mean)});
  }
  return table.Take();
}

std::string ServerLayers(const server_metrics::ServerNumbers& numbers) {
  double all = 0;
  for (const auto& layer : numbers.layers) all += layer.seconds;
  if (all <= 0) return "";
  TableHtml table("Time by layer", {"Layer", "Calls", "Mean", "Share of all time", ""});
  for (const auto& layer : numbers.layers) {
    const double share = layer.seconds / all;
    table.Row({Text(layer.layer),
               Count(static_cast<int64_t>(layer.calls)),
               Time(layer.seconds / layer.calls),
               Number(FormatPercent(share)),
               {absl::StrFormat("<span class=\"bar\" style=\"width:%.0fpx\"></span>", 1 + share * 180), "text"}});
  }
  return table.Take();
}

std::string Facts(const std::vector<std::pair<std::string, std::string>>& facts) {
  std::string html = "<div class=\"panel wide\"><dl class=\"facts\">";
  for (const auto& [name, value] : facts) {
    absl::StrAppend(&html, "<dt>", EscapeHtml(name), "</dt><dd>", EscapeHtml(value), "</dd>");
  }
  return html + "</dl></div>";
}

std::string ServerFacts(const Report& report, const server_metrics::ServerNumbers& numbers) {
  const double cores = numbers.seconds > 0 ? numbers.cpu_seconds / numbers.seconds : 0;
  double memory = 0;
  double queue = 0;
  for (const auto& gauges : report.server.gauges) {
    memory = std::max(memory, gauges.resident_bytes);
    queue = std::max(queue, gauges.queue_length);
  }
  std::vector<std::string> rejections;
  for (const auto& [reason, count] : numbers.rejections) {
    rejections.push_back(absl::StrCat(reason, " ", FormatCount(static_cast<int64_t>(count))));
  }
  return Facts({{"Version", numbers.version},
                {"Scraped", absl::StrJoin(report.server.urls, ", ")},
                {"Processor", absl::StrFormat("%.2f cores", cores)},
                {"Memory, most", FormatBytes(memory)},
                {"Queue, longest", FormatCount(static_cast<int64_t>(queue))},
                {"Wait for a worker, p99", FormatSeconds(numbers.queue_wait.Quantile(0.99))},
                {"Commits", absl::StrCat(FormatCount(static_cast<int64_t>(numbers.commit.count)), ", mean ",
                                         FormatSeconds(numbers.commit.mean()))},
                {"Refused", rejections.empty() ? "none" : absl::StrJoin(rejections, "; ")}});
}

std::string Server(const Report& report) {
  const std::string heading = Heading(
      "server", "The service's own numbers",
      "From its metrics, over the measured time. The service measures a call from the moment it has read it; the "
      "client also sees network, connection and its own work. Percentiles of the service are interpolated between "
      "the bounds of its histogram, so they are rough where buckets are wide.");
  if (report.server.urls.empty()) {
    return heading +
           "<p class=\"none panel\">Not scraped. Give --metrics with the address of the service's metrics.</p>";
  }
  if (!report.server.numbers.has_value())
    return heading + "<p class=\"none panel\">" + EscapeHtml(report.server.problem) + "</p>";
  const server_metrics::ServerNumbers& numbers = *report.server.numbers;
  return heading + ServerTools(report, numbers) + ServerLayers(numbers) + ServerFacts(report, numbers) +
         Charts(ServerCharts(report));
}

std::string Harness(const Report& report) {
  const HarnessPart& harness = report.harness;
  const double cores = report.measured_seconds > 0 ? harness.cpu_seconds / report.measured_seconds : 0;
  std::vector<std::pair<std::string, std::string>> facts = {
      {"Processor", absl::StrFormat("%.2f cores of %d", cores, harness.processors)},
      {"Threads and connections", absl::StrCat(harness.threads, " and ", harness.connections)}};
  if (report.open_loop) {
    facts.emplace_back("Late starts", absl::StrCat("p50 ", FormatSeconds(harness.start_lag.At("p50")), ", p99 ",
                                                   FormatSeconds(harness.start_lag.At("p99")), ", maximum ",
                                                   FormatSeconds(harness.start_lag.max)));
  }
  facts.emplace_back("Calls in the warm-up", FormatCount(report.warm_up_calls));
  if (report.skipped_steps > 0) facts.emplace_back("Draws without an id to use", FormatCount(report.skipped_steps));
  if (report.stream_events > 0) facts.emplace_back("Events of streams", FormatCount(report.stream_events));
  return Heading(
             "harness", "Cost of the harness",
             "The harness takes part in what it measures. Where it was late or out of processor time, that is in the "
             "latencies too, and not the service's fault.") +
         Facts(facts);
}

std::string Environment(const Report& report) {
  return Heading("environment", "Environment", "To repeat the run.") +
         Facts({{"Command", report.command_line},
                {"toolgate", report.version},
                {"Machine of the harness", report.machine},
                {"Targets", absl::StrJoin(report.targets_given, ", ")},
                {"Callers", absl::StrCat(Plural(static_cast<int64_t>(report.callers), "user"), " in ",
                                         Plural(static_cast<int64_t>(report.workspaces), "workspace"))},
                {"Seed", absl::StrCat(report.seed)},
                {"Run", report.run_id},
                {"Measured", absl::StrCat(FormatSeconds(report.measured_seconds), " after ",
                                          FormatSeconds(report.warm_up_seconds), " of warm-up")}});
}

std::string Reading() {
  static constexpr std::pair<const char*, const char*> kRows[] = {
      {"Percentile",
       "The 99th percentile is the time that 99 of 100 RPCs did not exceed. Users of a page that makes many "
       "calls meet the slow ones often, so look at high percentiles before the median."},
      {"Open and closed loop",
       "A closed loop keeps a number of callers busy, each with one call at a time: when the service "
       "slows down, so do they, and it measures the highest throughput. An open loop starts calls "
       "at a given rate, as many independent users do, and shows the latency at that rate."},
      {"Latency and service time",
       "In the open loop latency counts from the moment at which a call should have started. A "
       "call that had to wait because others were late is not forgiven that wait "
       "(\"coordinated omission\")."},
      {"Errors",
       "Outcomes that the profile does not expect. A refusal that it does expect, such as that of a hostile call, "
       "is none."},
      {"Precision",
       "Latencies are exact to 0.8 %. Few measurements make high percentiles uncertain: the 99.99th needs "
       "well over 10,000 RPCs."},
  };
  std::string html = Heading("reading", "How to read this", "What the words mean.") +
                     "<div class=\"panel wide\"><dl class=\"reading\">";
  for (const auto& [term, text] : kRows) {
    absl::StrAppend(&html, "<dt>", EscapeHtml(term), "</dt><dd>", EscapeHtml(text), "</dd>");
  }
  return html + "</dl></div>";
}

}  // namespace

std::string HtmlReport(const Report& report) {
  std::string style;
  for (const EmbeddedFile& file : StyleFiles()) style = file.text;
  std::string html = absl::StrCat(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src "
      "data:\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<link rel=\"icon\" href=\"data:,\"><title>Load test: ",
      EscapeHtml(report.profile), "</title><style>", style, "</style></head><body><main>");
  absl::StrAppend(&html, Head(report), Cards(report), Thresholds(report));
  absl::StrAppend(&html, Heading("latency", "Latency", "How long RPCs took, of all steps together."),
                  "<div class=\"wide\">", RenderChart(LatencyCurveChart(report)), "</div>");
  absl::StrAppend(&html, Heading("time", "Over time", "Look for trends and for moments at which something changed."),
                  Charts(TimelineCharts(report)));
  absl::StrAppend(&html, Steps(report), Outcomes(report), Targets(report), Server(report), Harness(report),
                  Environment(report), Reading());
  absl::StrAppend(&html, "<footer>Made by toolgate ", EscapeHtml(report.version), " (toolgate load).</footer>",
                  "</main></body></html>\n");
  return html;
}

}  // namespace toolgate::cli::load::report
