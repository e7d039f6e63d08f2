// YAML front matter of a Markdown document, between lines of "---".
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

// Parses it and removes it from `text`. Text that does not begin with a YAML mapping stays unchanged.
FrontMatter TakeFrontMatter(std::string_view& text);

}  // namespace toolgate::interchange::markdown

#endif  // TOOLGATE_INTERCHANGE_MARKDOWN_FRONT_MATTER_H_
