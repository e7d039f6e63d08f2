// Families of layer 1's rules: label values of metrics.
#ifndef TOOLGATE_SECURITY_INJECTION_DEFENCE_FINDING_FAMILIES_H_
#define TOOLGATE_SECURITY_INJECTION_DEFENCE_FINDING_FAMILIES_H_

#include <array>
#include <string_view>

namespace toolgate::security::injection_defence {

// The model of wording. It strengthens what rules and disguises say, and counts for nothing without them.
inline constexpr std::string_view kWordingFamily = "wording";
// Rules so weak that they count for nothing unless the wording confirms them.
inline constexpr std::string_view kSignalFamily = "signal";

// Those of the rule files, of the disguises and of what cannot be read (disguise.h), and of the model of wording. A
// test compares them with the rules.
inline constexpr std::array<std::string_view, 12> kFindingFamilies = {
    "data_exfiltration", "encoded_payload", "hidden_text",         "instruction_override",
    "jailbreak_persona", "memory_edit",     "prompt_exfiltration", "role_spoofing",
    kSignalFamily,       "tool_hijack",     "unreadable",          kWordingFamily};

}  // namespace toolgate::security::injection_defence

#endif  // TOOLGATE_SECURITY_INJECTION_DEFENCE_FINDING_FAMILIES_H_
