// Words that HTML tags and comments tear apart: a browser shows "ignore" where a file has "ig<b></b>nore".
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_MARKUP_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_MARKUP_H_

#include <string_view>

#include "security/injection_defence/text/text_view.h"

namespace toolgate::security::injection_defence::decode {

// `text` without tags and comments; false, and nothing to be read in `out`, when none of them stands between two
// letters. Tags that end a line or a block ("<br>", "</p>") tear nothing apart and stay. Linear.
bool JoinTornWords(std::string_view text, text::TextView& out);

}  // namespace toolgate::security::injection_defence::decode

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_MARKUP_H_
