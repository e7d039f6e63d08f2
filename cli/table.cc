#include "cli/table.h"

#include <algorithm>
#include <utility>

#include "cli/printable.h"

namespace toolgate::cli {
namespace {

constexpr int kGap = 2;
constexpr int kLeastLastColumn = 16;

std::string Line(const std::vector<std::string>& cells, const std::vector<int>& widths) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool last = i + 1 == cells.size();
    line += CutToWidth(cells[i], widths[i]);
    const int gap = std::max(0, widths[i] - DisplayWidth(cells[i])) + kGap;
    if (!last) line.append(static_cast<size_t>(gap), ' ');
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace

Table::Table(std::vector<std::string> header) : header_(std::move(header)) {}

void Table::AddRow(const std::vector<std::string>& cells) {
  std::vector<std::string>& row = rows_.emplace_back();
  row.reserve(cells.size());
  for (const std::string& cell : cells) row.push_back(PrintableLine(cell));
}

std::string Table::Render(const Terminal& terminal) const {
  std::vector<int> widths(header_.size(), 0);
  const auto widen = [&](const std::vector<std::string>& cells) {
    for (size_t i = 0; i < cells.size(); ++i) widths[i] = std::max(widths[i], DisplayWidth(cells[i]));
  };
  widen(header_);
  for (const auto& row : rows_) widen(row);
  if (terminal.out_is_terminal) {
    int before = 0;
    for (size_t i = 0; i + 1 < widths.size(); ++i) before += widths[i] + kGap;
    widths.back() = std::min(widths.back(), std::max(kLeastLastColumn, terminal.width - before));
  }
  std::string text = Paint(Line(header_, widths), Style::kBold, terminal.colour_out()) + "\n";
  for (const auto& row : rows_) text += Line(row, widths) + "\n";
  return text;
}

}  // namespace toolgate::cli
