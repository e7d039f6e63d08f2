#include "cli/load/server_metrics/exposition.h"

#include <cstddef>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "common/status_macros.h"

namespace toolgate::cli::load::server_metrics {
namespace {

constexpr size_t kMostSamples = 1'000'000;

// Reads one line from left to right.
class LineReader {
 public:
  explicit LineReader(std::string_view line) : rest_(line) {}

  absl::StatusOr<Sample> Read() {
    Sample sample;
    ASSIGN_OR_RETURN(sample.name, Name());
    if (Take('{')) RETURN_IF_ERROR(ReadLabels(sample.labels));
    SkipBlanks();
    const std::string_view number = rest_.substr(0, rest_.find_first_of(" \t"));
    if (number.empty() || !absl::SimpleAtod(ToAbsl(number), &sample.value)) {
      return absl::InvalidArgumentError("no number where the value should be");
    }
    rest_.remove_prefix(number.size());
    SkipBlanks();
    int64_t timestamp = 0;
    if (!rest_.empty() && !absl::SimpleAtoi(ToAbsl(rest_), &timestamp)) {
      return absl::InvalidArgumentError("text behind the value");
    }
    return sample;
  }

 private:
  bool Take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void SkipBlanks() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }

  absl::StatusOr<std::string> Name() {
    size_t size = 0;
    while (size < rest_.size() &&
           (absl::ascii_isalnum(static_cast<unsigned char>(rest_[size])) || rest_[size] == '_' || rest_[size] == ':')) {
      ++size;
    }
    if (size == 0 || absl::ascii_isdigit(static_cast<unsigned char>(rest_[0]))) {
      return absl::InvalidArgumentError("no name where one should be");
    }
    std::string name(rest_.substr(0, size));
    rest_.remove_prefix(size);
    return name;
  }

  absl::Status ReadLabels(Labels& labels) {
    while (true) {
      SkipBlanks();
      if (Take('}')) return absl::OkStatus();
      ASSIGN_OR_RETURN(std::string name, Name());
      SkipBlanks();
      if (!Take('=')) return absl::InvalidArgumentError("no \"=\" behind a label's name");
      SkipBlanks();
      ASSIGN_OR_RETURN(std::string value, Quoted());
      labels[std::move(name)] = std::move(value);
      SkipBlanks();
      if (!Take(',') && !rest_.starts_with('}')) return absl::InvalidArgumentError("labels without end");
    }
  }

  absl::StatusOr<std::string> Quoted() {
    if (!Take('"')) return absl::InvalidArgumentError("a label's value without quotes");
    std::string value;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return value;
      if (c == '\\' && !rest_.empty()) {
        value += rest_.front() == 'n' ? '\n' : rest_.front();
        rest_.remove_prefix(1);
      } else {
        value += c;
      }
    }
    return absl::InvalidArgumentError("a label's value without end");
  }

  std::string_view rest_;
};

}  // namespace

std::string_view Sample::label(std::string_view label_name) const {
  const auto found = labels.find(label_name);
  return found == labels.end() ? std::string_view() : std::string_view(found->second);
}

absl::StatusOr<std::vector<Sample>> ParseExposition(std::string_view text) {
  std::vector<Sample> samples;
  int line_number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++line_number;
    line = FromAbsl(absl::StripAsciiWhitespace(ToAbsl(line)));
    if (line.empty() || line.front() == '#') continue;
    absl::StatusOr<Sample> sample = LineReader(line).Read();
    if (!sample.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("line ", line_number, ": ", sample.status().message()));
    }
    if (samples.size() == kMostSamples) return absl::InvalidArgumentError("more than a million samples");
    samples.push_back(*std::move(sample));
  }
  return samples;
}

}  // namespace toolgate::cli::load::server_metrics
