// The YAML that may stand before a Markdown document, between lines of "---".
#ifndef TOOLGATE_INTERCHANGE_MARKDOWN_FRONT_MATTER_H_
#define TOOLGATE_INTERCHANGE_MARKDOWN_FRONT_MATTER_H_

#include <string>
#include <string_view>
#include <vector>

namespace toolgate::interchange::markdown {

struct FrontMatter {
  std::string title;
  std::string icon;
  std::string description;
  std::vector<std::string> tags;
};

// Reads it and moves `text` behind it. Text that does not begin with a YAML mapping is left alone.
FrontMatter TakeFrontMatter(std::string_view& text);

}  // namespace toolgate::interchange::markdown

#endif  // TOOLGATE_INTERCHANGE_MARKDOWN_FRONT_MATTER_H_
