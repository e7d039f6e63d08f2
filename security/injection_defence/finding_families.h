// Families of layer 1's rules: label values of metrics.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_FINDING_FAMILIES_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_FINDING_FAMILIES_H_

#include <array>
#include <string_view>

namespace toolgate::security::injection_defence {

// Those of the rule files, of the disguises and of what cannot be read (disguise.h), and of the model of wording. A
// test compares them with the rules.
inline constexpr std::array<std::string_view, 10> kFindingFamilies = {
    "data_exfiltration",   "encoded_payload", "hidden_text", "instruction_override", "jailbreak_persona",
    "prompt_exfiltration", "role_spoofing",   "tool_hijack", "unreadable",           "wording"};

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_FINDING_FAMILIES_H_
