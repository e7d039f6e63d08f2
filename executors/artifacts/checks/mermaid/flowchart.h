// Lines of Mermaid flowcharts.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_FLOWCHART_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_FLOWCHART_H_

#include <cstddef>
#include <string_view>

#include "executors/artifacts/checks/problem.h"

namespace toolgate::executors::artifacts::checks::mermaid {

// Checks shapes, labels and arrows of one flowchart, statement after statement. Used by one thread.
class FlowchartCheck {
 public:
  // Borrows both.
  FlowchartCheck(std::string_view source, Problems& problems) : source_(source), problems_(problems) {}

  // Checks the statement at [begin, line_end), and returns where the next one begins: a label in quotes may span lines.
  size_t CheckStatement(size_t begin, size_t line_end);
  // At the end of the diagram.
  void Finish();

 private:
  struct Shape {
    std::string_view open;
    std::string_view close;
    std::string_view other_close = {};
  };

  const Shape* ShapeAt(size_t at) const;
  bool IsArrowAt(size_t at) const;
  // Each returns the place after what it has read.
  size_t ReadPart(size_t at, size_t line_end);
  size_t ReadArrowLabel(size_t at, size_t line_end);
  size_t ReadQuotes(size_t at);
  size_t ReadShape(const Shape& shape, size_t at, size_t line_end);
  size_t ReadArrow(size_t at, size_t line_end);
  size_t ReadProperties(size_t at);
  size_t EndOfString(size_t at) const;
  bool IsKeywordLine(std::string_view line, size_t begin);

  const std::string_view source_;
  Problems& problems_;
  int subgraphs_ = 0;
  size_t last_subgraph_ = 0;
};

}  // namespace toolgate::executors::artifacts::checks::mermaid

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_MERMAID_FLOWCHART_H_
