// Small texts that reading and writing Markdown share.
#ifndef TOOLGATE_INTERCHANGE_MARKDOWN_TEXT_H_
#define TOOLGATE_INTERCHANGE_MARKDOWN_TEXT_H_

#include <string>
#include <string_view>

namespace toolgate::interchange::markdown {

// Without control characters but line feed and tab.
std::string CleanText(std::string_view text);

// On one line, trimmed.
std::string CleanLine(std::string_view text);

// Whether `text` begins with what may be an entity: "&amp;", "&#65;".
bool BeginsEntity(std::string_view text);

// What stands in the parentheses of a link or an image: where it leads, and the title if there is one. Plain addresses
// stand as they are; others are written so that Markdown reads the same again.
std::string LinkTarget(std::string_view url, std::string_view title);

// A callout is a quote that begins with "[!NAME]", as GitHub's alerts do. This name stands for a callout without an
// icon.
inline constexpr std::string_view kPlainCallout = "NOTE";
// The icon for a name and back: GitHub's names are in capitals ("TIP" for "tip"), all others are the icon itself.
std::string CalloutIcon(std::string_view name);
std::string CalloutName(std::string_view icon);

}  // namespace toolgate::interchange::markdown

#endif  // TOOLGATE_INTERCHANGE_MARKDOWN_TEXT_H_
