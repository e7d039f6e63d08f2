// Tables for people.
#ifndef TOOLGATE_CLI_TABLE_H_
#define TOOLGATE_CLI_TABLE_H_

#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal.h"

namespace toolgate::cli {

// Rows of cells, which are made printable. On a terminal, the last column is cut to the remaining width; elsewhere
// nothing is cut.
class Table {
 public:
  explicit Table(std::vector<std::string> header);

  // `cells` must have as many entries as the header.
  void AddRow(const std::vector<std::string>& cells);
  bool empty() const { return rows_.empty(); }

  std::string Render(const Terminal& terminal) const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace toolgate::cli

#endif  // TOOLGATE_CLI_TABLE_H_
