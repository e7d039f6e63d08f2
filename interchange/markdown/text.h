// Text helpers shared by reading and writing Markdown.
#ifndef TOOLGATE_INTERCHANGE_MARKDOWN_TEXT_H_
#define TOOLGATE_INTERCHANGE_MARKDOWN_TEXT_H_

#include <string>
#include <string_view>

namespace toolgate::interchange::markdown {

// Removes control characters except line feed and tab.
std::string CleanText(std::string_view text);

// On one line, trimmed.
std::string CleanLine(std::string_view text);

// Whether `text` begins with a possible entity: "&amp;", "&#65;".
bool BeginsEntity(std::string_view text);

// Content of the parentheses of a link or an image: the address, and the title if there is one. Plain addresses are
// written unchanged, others so that Markdown reads the same again.
std::string LinkTarget(std::string_view url, std::string_view title);

// A callout is a quote that begins with "[!NAME]", like GitHub's alerts. This is the name of a callout without an icon.
inline constexpr std::string_view kPlainCallout = "NOTE";
// Converts between names and icons: GitHub's names are in capitals ("TIP" for "tip"), all others are the icon itself.
std::string CalloutIcon(std::string_view name);
std::string CalloutName(std::string_view icon);

}  // namespace toolgate::interchange::markdown

#endif  // TOOLGATE_INTERCHANGE_MARKDOWN_TEXT_H_
