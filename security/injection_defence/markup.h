// Words that HTML tags and comments tear apart: a browser shows "ignore" where a file has "ig<b></b>nore".
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_MARKUP_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_MARKUP_H_

#include <cstddef>
#include <vector>

#include "security/injection_defence/text_view.h"

namespace toolgate::security::injection_defence {

// Appends to `out` the whole of `in` without tags and comments, when any of them stands between two letters. Tags that
// end a line or a block ("<br>", "</p>") tear nothing apart and stay. The text must fit `budget`, of which its size is
// taken. Linear.
void JoinTornWords(const TextView& in, size_t& budget, std::vector<TextView>& out);

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_MARKUP_H_
