// Rules on what an HTML element may load, send and run.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_HTML_ELEMENT_POLICY_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_HTML_ELEMENT_POLICY_H_

#include <string>
#include <string_view>
#include <vector>

#include "executors/artifacts/checks/html/html_tree.h"
#include "executors/artifacts/checks/problem.h"
#include "executors/artifacts/checks/url.h"

namespace toolgate::executors::artifacts::checks::html {

// Name in lower case, of HTML and foreign elements alike.
std::string NameOf(const GumboElement& element);

// Judges one element after another. Used by one thread.
class ElementPolicy {
 public:
  // `runs_scripts`: the page has a sandboxed frame of its own. Borrows all.
  ElementPolicy(const HtmlTree& tree, const std::vector<std::string>& hosts, bool runs_scripts, Problems& problems)
      : tree_(tree), hosts_(hosts), runs_scripts_(runs_scripts), problems_(problems) {}

  void Check(const GumboElement& element);

 private:
  void CheckName(const GumboElement& element, std::string_view name);
  void CheckScript(const GumboElement& element);
  void CheckScriptUrl(const Url& url, size_t offset);
  void CheckMeta(const GumboElement& element);
  void CheckAttribute(std::string_view name, const GumboElement& element, const GumboAttribute& attribute);
  void CheckUrl(std::string_view name, std::string_view attribute_name, const GumboElement& element, const Url& url,
                size_t offset);
  void CheckWebUrl(std::string_view name, std::string_view attribute_name, const GumboElement& element, const Url& url,
                   size_t offset);
  void CheckImageSet(const GumboElement& element, std::string_view value, size_t offset);
  void CheckCss(std::string_view css, size_t offset);
  bool IsAllowed(const Url& url) const;
  // The severity of active content.
  Severity OfScripts(Severity where_they_run) const { return runs_scripts_ ? where_they_run : Severity::kUnsafe; }

  const HtmlTree& tree_;
  const std::vector<std::string>& hosts_;
  const bool runs_scripts_;
  Problems& problems_;
};

}  // namespace toolgate::executors::artifacts::checks::html

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_HTML_ELEMENT_POLICY_H_
