// Rules on what the elements of an SVG image may do.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_SVG_ELEMENT_RULES_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_SVG_ELEMENT_RULES_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "executors/artifacts/checks/problem.h"
#include "executors/artifacts/checks/url.h"

namespace toolgate::executors::artifacts::checks::svg {

inline constexpr std::string_view kSvgNamespace = "http://www.w3.org/2000/svg";

struct ElementName {
  std::string_view local;
  std::string_view uri;  // Of its namespace; empty: none.
};

// Judges names, attributes and style sheets. Used by one thread.
class ElementRules {
 public:
  // Borrows it.
  explicit ElementRules(Problems& problems) : problems_(problems) {}

  // `offset` is the element's in the source, as for what follows.
  void CheckElement(const ElementName& element, size_t offset);
  // `name` and `element` are names without prefix. `value` has its references resolved.
  void CheckAttribute(std::string_view element, std::string_view name, std::string_view value, size_t offset);
  // A style sheet, or the value of a property.
  void CheckCss(std::string_view css, size_t offset);

 private:
  void CheckReference(std::string_view element, std::string_view attribute, const Url& url, size_t offset);
  void CheckAnimationValues(std::string_view element, std::string_view attribute, std::string_view values,
                            size_t offset);

  Problems& problems_;
};

}  // namespace toolgate::executors::artifacts::checks::svg

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_SVG_ELEMENT_RULES_H_
