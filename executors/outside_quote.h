// Errors whose message quotes text from outside the workspace, such as lines of a file. Whoever passes one on takes the
// message in as it does a result from outside: it is scanned, and the conversation is marked.
#ifndef TOOLGATE_EXECUTORS_OUTSIDE_QUOTE_H_
#define TOOLGATE_EXECUTORS_OUTSIDE_QUOTE_H_

#include "common/tool_error.h"

namespace toolgate::executors {

// A fact, so that the client is told as well.
inline constexpr char kQuotesOutside[] = "quotesOutside";

inline void MarkQuotesOutside(ToolError& error) { error.facts.emplace_back(kQuotesOutside, "true"); }

inline bool QuotesOutside(const ToolError& error) {
  for (const auto& [name, value] : error.facts) {
    if (name == kQuotesOutside) return true;
  }
  return false;
}

}  // namespace toolgate::executors

#endif  // TOOLGATE_EXECUTORS_OUTSIDE_QUOTE_H_
