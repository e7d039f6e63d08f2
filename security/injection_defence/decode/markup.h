// Words that are split by HTML tags and comments: a browser shows "ignore" for "ig<b></b>nore".
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_MARKUP_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_MARKUP_H_

#include <string_view>

#include "security/injection_defence/text/text_view.h"

namespace toolgate::security::injection_defence::decode {

// Writes `text` without tags and comments to `out`; false, with unspecified `out`, if none of them is between two
// letters. Tags that end a line or a block ("<br>", "</p>") split no words and stay. Linear.
bool JoinTornWords(std::string_view text, text::TextView& out);

}  // namespace toolgate::security::injection_defence::decode

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_DECODE_MARKUP_H_
