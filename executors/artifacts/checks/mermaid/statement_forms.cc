#include "executors/artifacts/checks/mermaid/statement_forms.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "absl/types/span.h"
#include "common/absl_bridge.h"
#include "common/text/words.h"

namespace toolgate::executors::artifacts::checks::mermaid {
namespace {

// In patterns, each of these is short for an expression.
const std::initializer_list<std::pair<absl::string_view, absl::string_view>> kShort = {
    // The participant of a sequence. "-x" in it would be an arrow.
    {"{actor}", R"([\p{L}_][\p{L}\p{N}_.]*(?: [\p{L}\p{N}_.]+|-[A-WYZa-wyz0-9_][\p{L}\p{N}_.]*)*)"},
    {"{arrow}", R"((?:<<-->>|<<->>|-->>|->>|-->|->|--x|-x|--\)|-\)))"},
    // To the end of its line: "#" begins a comment, but for "#35;" and the like, and ";" ends the statement.
    {"{said}", R"([^;#]*(?:#\w+;[^;#]*)*(?:#\w*(?:[^\w;].*)?|;\s*)?)"},
    {"{class}", R"([A-Za-z_]\w*(?:~[\w, ]+~)?)"},
    {"{css}", R"([a-z]+:[^:;"]+(?::[^:;"]+)*)"},
    {"{state}", R"((?:\[\*\]|[\p{L}_][\p{L}\p{N}_.]*))"},
    {"{described}", R"((?:[^:;]|:[^:;])+)"},
    {"{entity}", R"((?:[A-Za-z_]\w*(?:-\w+)*|"[^"%\\]+"))"},
    {"{many}", R"((?:\|o|\|\||\}o|\}\||o\||o\{|\|\{))"},
    {"{number}", R"((?:\d+(?:\.\d+)?|\.\d+))"},
    {"{word}", R"([A-Za-z]\w*)"},
    {"{quoted}", R"("[^"`\\]+")"},
    {"{leaf}", R"([^()\[\]{}%:"`@\s-][^()\[\]{}%"`@]*)"},
    {"{shaped}", R"((?:\[(?:[^()\[\]{}"`%]+|"[^"`%]+")\]|\((?:[^()\[\]{}"`%-]+|"[^"`%]+")\)|\(\((?:[^()\[\]{}"`%-]+)"
                 R"(|"[^"`%]+")\)\)|\{\{(?:[^()\[\]{}"`%]+|"[^"`%]+")\}\}|\)\)[^()\[\]{}"`%-]+\(\(|\)[^()\[\]{}"`%-)"
                 R"(]+\())"},
};

#define TOOLGATE_MERMAID_ACCESSIBLE \
  {kTop, R"(\s*accTitle\s*:\s*[^;#%\s].*)"}, { kTop, R"(\s*accDescr\s*:\s*[^;#%\s].*)" }

constexpr Form kSequenceForms[] = {
    {kAnySequence | kBox, R"(\s*)"},
    {kAnySequence, R"(\s*({actor})\s*{arrow}\s*([+-]?)\s*({actor})\s*:{said})", Step::kStay, kTop, Meaning::kMessage},
    {kAnySequence | kBox, R"(\s*(?:participant|actor)\s+({actor})(?:\s+as\s+[^#;\s][^#;]*)?\s*)", Step::kStay, kTop,
     Meaning::kParticipant},
    {kAnySequence, R"(\s*[Nn]ote (?:left of|right of)\s+({actor})\s*:{said})"},
    {kAnySequence, R"(\s*[Nn]ote over\s+({actor})\s*(?:,\s*({actor})\s*)?:{said})"},
    {kAnySequence, R"(\s*activate\s+({actor})\s*)", Step::kStay, kTop, Meaning::kActivate},
    {kAnySequence, R"(\s*deactivate\s+({actor})\s*)", Step::kStay, kTop, Meaning::kDeactivate},
    {kAnySequence, R"(\s*autonumber(?: +\d+(?: +\d+)?| +off)?)"},
    {kAnySequence, R"(\s*title:?\s[^#;]*[^#;\s])"},
    {kAnySequence, R"(\s*#\w*(?:[^\w;].*)?)"},
    {kAnySequence, R"(\s*(?:loop|opt|break|rect)(?:\s[^#;]*)?)", Step::kOpen, kBlock},
    {kAnySequence, R"(\s*alt(?:\s[^#;]*)?)", Step::kOpen, kAlt},
    {kAnySequence, R"(\s*par(?:_over)?(?:\s[^#;]*)?)", Step::kOpen, kPar},
    {kAnySequence, R"(\s*critical(?:\s[^#;]*)?)", Step::kOpen, kCritical},
    {kAnySequence, R"(\s*box(?:\s[^#;]*)?)", Step::kOpen, kBox},
    {kAlt, R"(\s*else(?:\s[^#;]*)?)"},
    {kPar, R"(\s*and(?:\s[^#;]*)?)"},
    {kCritical, R"(\s*option(?:\s[^#;]*)?)"},
    {(kAnySequence & ~kTop) | kBox, R"(\s*end\s*)", Step::kClose},
    TOOLGATE_MERMAID_ACCESSIBLE,
};

constexpr WrongForm kWrongSequenceForms[] = {
    {kAnySequence, R"(\s*({actor})\s*{arrow}\s*[+-]?\s*({actor})\s*)", "no-message",
     "a message needs a colon and a text: A->>B: text"},
    {kAnySequence, R"(\s*({actor})\s*{arrow}(?:[+-]?|\s*[+-]?\s*:.*))", "dangling-arrow",
     "a message needs a participant on both sides of its arrow"},
    {kAnySequence, R"(\s*{arrow}\s*[+-]?\s*{actor}\s*:.*)", "dangling-arrow",
     "a message needs a participant on both sides of its arrow"},
    {kAnySequence, R"(\s*({actor})\s*{arrow}\s*[+-]?\s*({actor})\s*:[^;#]*;\s*([A-Za-z][\w .!?']*))", "semicolon",
     "a semicolon ends the message; write a comma, or #59; for the character"},
    {kAnySequence, R"(\s*[Nn]ote (?:over|left of|right of)\s[^:;#,]*\w)", "no-message",
     "a note needs a colon and a text: Note over A: text"},
    {kTop | kBlock | kPar | kCritical, R"(\s*else(?:\s[^#;]*)?)", "unexpected-branch", "\"else\" belongs into \"alt\""},
    {kTop | kBlock | kAlt | kCritical, R"(\s*and(?:\s[^#;]*)?)", "unexpected-branch", "\"and\" belongs into \"par\""},
    {kTop | kBlock | kAlt | kPar, R"(\s*option(?:\s[^#;]*)?)", "unexpected-branch",
     "\"option\" belongs into \"critical\""},
    {kTop, R"(\s*end\s*)", "unexpected-end", "there is no block that this \"end\" would close"},
};

constexpr Form kClassForms[] = {
    {kTop | kNamespace, R"(\s*)"},
    {kTop | kNamespace, R"(\s*class\s+({class})\s*(?:\["[^"]+"\])?\s*(?::::\w+)?\s*)", Step::kStay, kTop,
     Meaning::kClass},
    {kTop | kNamespace, R"(\s*class\s+({class})\s*(?:\["[^"]+"\])?\s*\{\s*)", Step::kOpen, kMembers, Meaning::kClass},
    {kTop | kNamespace, R"(\s*class\s+({class})\s*(?:\["[^"]+"\])?\s*\{[^{}"\[()]*\}\s*)", Step::kStay, kTop,
     Meaning::kClass},
    // A method has one pair of parentheses, after a name.
    {kMembers, R"((?:[^{}"\[()][^{}()]*)?)"},
    {kMembers, R"([\s#+~-]*[^"\[{}()\s#+~-][^{}()]*\([^{}()]*\)[^{}()]*)"},
    {kMembers | kNamespace, R"(\s*\}\s*)", Step::kClose},
    {kTop, R"(\s*namespace\s+({word})\s*\{\s*)", Step::kOpen, kNamespace},
    {kTop, R"(\s*({class})\s*(?:"[^"]+"\s*)?(?:<\||\*|\bo|<|\(\))?(?:--|\.\.)(?:\|>|\*|o\b|>|\(\))?\s*(?:"[^")"
           R"(]+"\s*)?({class})\s*(?::[^:;]+)?)"},
    {kTop, R"(\s*({class})\s*:\s*[^:;()\s][^:;()]*)"},
    {kTop, R"(\s*({class})\s*:[\s#+~-]*[^:;()\s#+~-][^:;()]*\([^:;()]*\)[^:;()]*)"},
    {kTop, R"(\s*<<({word})>>\s*({class})\s*)", Step::kStay, kTop, Meaning::kAnnotation},
    {kTop, R"(\s*note\s+"[^"]+"\s*)"},
    {kTop, R"(\s*note for\s+({class})\s+"[^"]+"\s*)"},
    {kTop, R"(\s*direction\s+(?:TB|BT|RL|LR)\s*)"},
    {kTop, R"(\s*(?:style|classDef)\s+({word})\s+{css})"},
    {kTop, R"(\s*cssClass\s+"[^"]+"\s+({word})\s*)"},
    {kTop, R"(\s*click\s+({class})\s+href\s+"[^"]+"\s*(?:"[^"]+"\s*)?(?:_(?:self|blank|parent|top)\s*)?)"},
    {kTop, R"(\s*link\s+({class})\s+"[^"]+"\s*(?:"[^"]+"\s*)?(?:_(?:self|blank|parent|top)\s*)?)"},
    {kTop, R"(\s*callback\s+({class})\s+"[^"]+"\s*(?:"[^"]+"\s*)?)"},
    {kTop, R"(\s*click\s+({class})\s+call\s+{word}\(\s*\)\s*)"},
    TOOLGATE_MERMAID_ACCESSIBLE,
};

constexpr WrongForm kWrongClassForms[] = {
    {kTop, R"(\s*({class})\s*:[^:;"]+:[^:;"]+)", "second-colon",
     "a member after a colon has no second colon; put members into braces: class A { +f(x: int) }"},
    {kTop, R"(\s*\}\s*)", "unexpected-end", "there is no block that this } would close"},
};

constexpr Form kStateForms[] = {
    {kTop | kState, R"(\s*)"},
    {kTop | kState, R"(\s*({state})\s*(?::::({word}))?\s*)"},
    {kTop | kState, R"(\s*({state})\s*:{described})", Step::kStay, kTop, Meaning::kDescribed},
    {kTop | kState, R"(\s*({state})(?::::({word}))?\s*-->\s*({state})(?::::({word}))?\s*(?::{described})?)"},
    {kTop | kState, R"(\s*state\s+({state})\s*)"},
    {kTop | kState, R"(\s*state\s+({state})\s*\{\s*)", Step::kOpen, kState, Meaning::kComposite},
    {kTop | kState, R"(\s*state\s+"[^"]+"\s+as\s+({state})\s*)"},
    {kTop | kState, R"(\s*state\s+"[^"]+"\s+as\s+({state})\s*\{\s*)", Step::kOpen, kState, Meaning::kComposite},
    {kTop | kState, R"(\s*state\s+({state})\s+(?:<<(?:fork|join|choice)>>|\[\[(?:fork|join|choice)\]\])\s*)"},
    {kState, R"(\s*\}\s*)", Step::kClose},
    {kState, R"(\s*--\s*)"},
    {kTop | kState, R"(\s*note (?:left of|right of)\s+({state})\s*:[^:;]+)"},
    {kTop | kState, R"(\s*note (?:left of|right of)\s+({state})\s*)", Step::kOpen, kNote},
    {kNote, R"(\s*end note\s*)", Step::kClose},
    {kNote, R"(\s*(?:[^:\se].*|e(?:[^n].*)?|en(?:[^d].*)?|end(?:[^ ].*| [^n].*)?))"},
    {kTop | kState, R"(\s*direction\s+(?:TB|BT|RL|LR)\s*)"},
    {kTop | kState, R"(\s*classDef\s+({word})\s+[a-z][a-z-]*:[^;%]+)"},
    {kTop | kState, R"(\s*class\s+{word}(?:,\s*{word})*\s+({word})\s*)"},
    {kTop, R"(\s*hide empty description\s*)"},
    TOOLGATE_MERMAID_ACCESSIBLE,
};

constexpr WrongForm kWrongStateForms[] = {
    {kTop | kState, R"(\s*({state})\s*(?:->|=>|==>)\s*({state})\s*(?::.*)?)", "bad-arrow",
     "a transition is written -->"},
};

constexpr Form kEntityForms[] = {
    {kTop | kMembers, R"(\s*)"},
    {kTop, R"(\s*({entity})\s*(?:\[(?:{word}|"[^"%\\]+")\])?\s*)"},
    {kTop, R"(\s*({entity})\s*(?:\[(?:{word}|"[^"%\\]+")\])?\s*\{\s*)", Step::kOpen, kMembers},
    {kTop, R"(\s*({entity})\s*\{\s*\})"},
    {kTop, R"(\s*({entity})\s+{many}(?:--|\.\.){many}\s+({entity})\s*:\s*("[^"]*"|[A-Za-z_][\w-]*)\s*)"},
    {kMembers,
     R"(\s*[A-Za-z_][\w()\[\]-]*\s+([A-Za-z_][\w-]*)(?:\s+(?:PK|FK|UK)(?:\s*,\s*(?:PK|FK|UK))*)?(?:\s+"[^"]*")?\s*)"},
    {kMembers, R"(\s*\}\s*)", Step::kClose},
    {kTop, R"(\s*direction\s+(?:TB|BT|RL|LR)\s*)"},
    TOOLGATE_MERMAID_ACCESSIBLE,
};

constexpr WrongForm kWrongEntityForms[] = {
    {kTop, R"(\s*({entity})\s+{many}(?:--|\.\.){many}\s+({entity})\s*)", "no-label",
     "a relationship needs a colon and a label: A ||--o{ B : has"},
    {kTop, R"(\s*\}\s*)", "unexpected-end", "there is no block that this } would close"},
};

constexpr Form kGanttForms[] = {
    {kTop, R"(\s*)"},
    {kTop, R"(\s*title\s[^;#%]*[^;#%\s])"},
    {kTop, R"(\s*(?:dateFormat|axisFormat)\s+[A-Za-z0-9%:/., -]*[A-Za-z0-9.])"},
    {kTop, R"(\s*tickInterval\s+\d+(?:millisecond|second|minute|hour|day|week|month)\s*)"},
    {kTop, R"(\s*(?:includes|excludes)\s+[\w, -]*\w)"},
    {kTop, R"(\s*todayMarker\s+[\w:#,. -]*\w)"},
    {kTop, R"(\s*(?:inclusiveEndDates|topAxis)\s*)"},
    {kTop, R"(\s*weekday\s+(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)\s*)"},
    {kTop, R"(\s*weekend\s+(?:friday|saturday)\s*)"},
    {kTop, R"(\s*section\s[^;#%]*[^;#%\s])"},
    {kTop, R"(\s*([\p{L}][^:;#%]*):[\w:/. -]+(?:,[\w:/. -]+)*)"},
    TOOLGATE_MERMAID_ACCESSIBLE,
};

constexpr WrongForm kWrongGanttForms[] = {
    {kTop, R"(\s*([A-Za-z][\w ]*\w)\s*)", "no-dates", "a task needs a colon and its dates: Task :a1, 2024-01-01, 3d"},
};

constexpr Form kPieForms[] = {
    {kTop, R"(\s*)"},
    {kTop, R"(\s*title\s[^%]+)"},
    {kTop, R"(\s*showData\s*)"},
    {kTop, R"(\s*{quoted}\s*:\s*(?:0|[1-9]\d*|\d+\.\d+)\s*)"},
    {kTop, R"(\s*accTitle\s*:\s*[^%\s][^%]*)"},
    {kTop, R"(\s*accDescr\s*:\s*[^%\s][^%]*)"},
};

constexpr WrongForm kWrongPieForms[] = {
    {kTop, R"(\s*"[^"\\]*"\s*:\s*-.*)", "bad-value", "a slice needs a number that is not negative"},
    {kTop, R"(\s*"[^"\\]*"\s*:\s*(?:\d[\d.]*\s*(?:[A-Za-z$€,]|%).*|[^\d\s-].*|)\s*)", "bad-value",
     "a slice needs a plain number: \"Label\" : 12.5"},
    {kTop, R"(\s*([A-Za-z][\w ]*)\s*:\s*[\d.]+\s*)", "unquoted-label", "put the label of a slice into quotes"},
};

constexpr Form kJourneyForms[] = {
    {kTop, R"(\s*)"},
    {kTop, R"(\s*title\s[^#;%]*[^#;%\s])"},
    {kTop, R"(\s*section\s[^#:;%]*[^#:;%\s])"},
    {kTop, R"(\s*([\p{L}][^#:;%]*):\s*\d+\s*(?::[^#;:%]*[^#;:%\s]\s*)?)"},
    TOOLGATE_MERMAID_ACCESSIBLE,
};

constexpr WrongForm kWrongJourneyForms[] = {
    {kTop, R"(\s*section\s[^#:;]*:.+)", "colon-in-section", "the name of a section has no colon"},
    {kTop, R"(\s*([A-Za-z][\w ]*))", "no-score", "a task needs a score: Task: 5: Me"},
};

constexpr Form kMindmapForms[] = {
    {kTop, R"(\s*)", Step::kStay, kTop, Meaning::kBlankInTree},
    {kTop, R"(([ ]*)({leaf}))", Step::kStay, kTop, Meaning::kNode},
    {kTop, R"(([ ]*)({word}(?: {word})*)?{shaped}\s*)", Step::kStay, kTop, Meaning::kNode},
    {kTop, R"(\s+::icon\([a-z][\w -]*\)\s*)", Step::kStay, kTop, Meaning::kDecoration},
    {kTop, R"(\s+:::[a-z][\w -]*)", Step::kStay, kTop, Meaning::kDecoration},
};

constexpr Form kTimelineForms[] = {
    {kTop, R"(\s*)"},
    {kTop, R"(\s*title\s[^:;#%]*[^:;#%\s])"},
    {kTop, R"(\s*section\s[^:;#%]*[^:;#%\s])"},
    {kTop, R"(\s*([\p{L}\p{N}][^#:%]*)(?::[ \t](?:[^:%]|:[^\s:%])*[^:%\s]\s*)*)", Step::kStay, kTop, Meaning::kPlot},
};

constexpr WrongForm kWrongTimelineForms[] = {
    {kTop, R"(\s*([A-Za-z0-9][^#:%]*):[^\s:].*)", "no-blank", "a blank belongs after the colon: 2004 : Event"},
};

constexpr Form kQuadrantForms[] = {
    {kTop, R"(\s*)"},
    {kTop, R"(\s*title [^;#%]*[^;#%\s])"},
    {kTop, R"( *[xy]-axis +({word}(?: {word})*)(?: *-->(?: *({word}(?: {word})*))?)? *)"},
    {kTop, R"( *[xy]-axis +"[^"]+"(?: *--> *"[^"]+")?)"},
    {kTop, R"( *quadrant-[1-4] +({word}(?: {word})*) *)"},
    {kTop, R"( *quadrant-[1-4] +"[^"]+")"},
    {kTop, R"( *({word}(?: {word})*) *: *\[ *(?:1|0(?:\.\d+)?) *, *(?:1|0(?:\.\d+)?) *\] *)"},
    {kTop, R"( *"[^"]+" *: *\[ *(?:1|0(?:\.\d+)?) *, *(?:1|0(?:\.\d+)?) *\] *)"},
};

constexpr WrongForm kWrongQuadrantForms[] = {
    {kTop, R"( *{word}(?: {word})* *: *\[ *[\d.]+ *, *(?:[2-9][\d.]*|1\d[\d.]*|1\.\d*[1-9]\d*) *\] *)", "bad-value",
     "the coordinates of a point are between 0 and 1"},
    {kTop, R"( *{word}(?: {word})* *: *\[ *(?:[2-9][\d.]*|1\d[\d.]*|1\.\d*[1-9]\d*) *, *[\d.]+ *\] *)", "bad-value",
     "the coordinates of a point are between 0 and 1"},
};

constexpr Form kChartForms[] = {
    {kTop, R"(\s*)"},
    {kTop, R"(\s*title\s+(?:"[^"]+"|({word}))\s*)"},
    {kTop, R"(\s*x-axis\s+(?:(?:"[^"]+"|({word}))\s+)?\[\s*(?:"[^"]+"|{word}|\d+)(?:\s*,\s*(?:"[^"]+"|{word}|)"
           R"(\d+))*\s*\]\s*)"},
    {kTop, R"(\s*[xy]-axis\s+(?:"[^"]+"|({word}))\s*)"},
    {kTop, R"(\s*[xy]-axis\s+(?:(?:"[^"]+"|({word}))\s+)?[+-]?{number}\s*-->\s*[+-]?{number}\s*)"},
    {kTop, R"(\s*(?:bar|line)(?:\s+"[^"]+")?\s*\[\s*[+-]?{number}(?:\s*,\s*[+-]?{number})*\s*\]\s*)", Step::kStay, kTop,
     Meaning::kPlot},
    TOOLGATE_MERMAID_ACCESSIBLE,
};

constexpr Form kSankeyForms[] = {
    {kTop, ""},
    {kTop, R"([ -!#-+\--~]*[!#-+\--~][ -!#-+\--~]*,[ -!#-+\--~]*[!#-+\--~][ -!#-+\--~]*,\s*\d+(?:\.\d+)?\s*)"},
};

constexpr Form kPacketForms[] = {
    {kTop, R"(\s*)"},
    {kTop, R"(\s*title\s[^%]+)"},
    {kTop, R"(\s*(0|[1-9]\d{0,3})(?:\s*-\s*(0|[1-9]\d{0,3}))?\s*:\s*{quoted}\s*)", Step::kStay, kTop, Meaning::kBits},
    {kTop, R"(\s*\+([1-9]\d{0,3})\s*:\s*{quoted}\s*)", Step::kStay, kTop, Meaning::kMoreBits},
};

constexpr Form kKanbanForms[] = {
    {kTop, R"(\s*)", Step::kStay, kTop, Meaning::kBlankInTree},
    {kTop, R"(([ ]*)({leaf}))", Step::kStay, kTop, Meaning::kNode},
    {kTop,
     R"(([ ]*)({word})?\[[^()\[\]{}"`%]+\](?:@\{\s*(?:ticket|assigned|priority)\s*:\s*(?:\w+|'[^'"{}\\])"
     R"(*')(?:\s*,\s*(?:ticket|assigned|priority)\s*:\s*(?:\w+|'[^'"{}\\]*'))?\s*\})?)",
     Step::kStay, kTop, Meaning::kNode},
};

constexpr Form kRequirementForms[] = {
    {kTop | kRequirement | kElement, R"(\s*)"},
    {kTop,
     R"(\s*(?:requirement|functionalRequirement|interfaceRequirement|performanceRequirement|physicalReq)"
     R"(uirement|designConstraint)\s+(?:({word})|"[^"]+")\s*\{)",
     Step::kOpen, kRequirement},
    {kTop, R"(\s*element\s+(?:({word})|"[^"]+")\s*\{)", Step::kOpen, kElement},
    {kRequirement, R"(\s*(?:id|text)\s*:\s*(?:"[^"]+"|(\w(?:[\w .]*\w)?)))"},
    {kRequirement, R"(\s*risk\s*:\s*(?:[Ll]ow|[Mm]edium|[Hh]igh))"},
    {kRequirement, R"(\s*verify[Mm]ethod\s*:\s*(?:[Aa]nalysis|[Dd]emonstration|[Ii]nspection|[Tt]est))"},
    {kElement, R"(\s*(?:type|docref)\s*:\s*(?:"[^"]+"|(\w(?:[\w .]*\w)?)))"},
    {kRequirement | kElement, R"(\s*\})", Step::kClose},
    {kTop, R"(\s*({word})\s*-\s*(?:contains|copies|derives|satisfies|verifies|refines|traces)\s*->\s*({word}))"},
    {kTop, R"(\s*direction\s+(?:TB|BT|RL|LR))"},
};

constexpr WrongForm kWrongRequirementForms[] = {
    {kRequirement, R"(\s*risk\s*:\s*(?:critical|none|very high|[0-9]+)\s*)", "bad-value",
     "a risk is Low, Medium or High"},
};

constexpr Form kTreemapForms[] = {
    {kTop, ""},
    {kTop, R"(([ ]*){quoted})", Step::kStay, kTop, Meaning::kPlot},
    {kTop, R"(([ ]*){quoted}: \d+(?:\.\d+)?)", Step::kStay, kTop, Meaning::kPlot},
};

// Words that a statement may not begin with, or a name not be: keywords to Mermaid's lexers. In lower case, but
// for those of classes.
constexpr std::string_view kSequenceWords[] = {
    "box",        "participant", "actor",      "create",     "destroy",  "loop",     "rect",   "opt",
    "alt",        "else",        "par",        "par_over",   "and",      "critical", "option", "break",
    "end",        "links",       "link",       "properties", "details",  "over",     "note",   "activate",
    "deactivate", "off",         "autonumber", "title",      "acctitle", "accdescr", "left",   "sequencediagram",
    "right",      "as"};
constexpr std::string_view kClassWords[] = {"class",    "namespace", "style",       "classDef", "cssClass",  "callback",
                                            "link",     "click",     "note",        "href",     "direction", "accTitle",
                                            "accDescr", "call",      "o",           "for",      "_self",     "_blank",
                                            "_parent",  "_top",      "classDiagram"};
constexpr std::string_view kStateWords[] = {"state", "note",     "class",        "classdef", "style",     "scale",
                                            "click", "href",     "default",      "hide",     "direction", "acctitle",
                                            "as",    "accdescr", "statediagram", "end"};
constexpr std::string_view kEntityWords[] = {
    "one", "many", "only", "zero", "to",       "optionally", "u",         "style",     "classdef", "class",   "title",
    "pk",  "fk",   "uk",   "o",    "acctitle", "accdescr",   "direction", "erdiagram", "end",      "subgraph"};
constexpr std::string_view kGanttWords[] = {
    "gantt",       "dateformat", "inclusiveenddates", "topaxis",  "axisformat", "tickinterval",   "includes", "title",
    "todaymarker", "weekday",    "weekend",           "excludes", "section",    "accdescription", "click",    "call",
    "href",        "acctitle",   "accdescr"};
constexpr std::string_view kTextWords[] = {"title",    "section",    "acctitle",      "accdescr",      "journey",
                                           "timeline", "mindmap",    "kanban",        "pie",           "showdata",
                                           "line",     "bar",        "xychart",       "quadrantchart", "classdef",
                                           "vertical", "horizontal", "accdescription"};
constexpr std::string_view kRequirementWords[] = {"id",
                                                  "text",
                                                  "risk",
                                                  "verifymethod",
                                                  "requirement",
                                                  "low",
                                                  "medium",
                                                  "high",
                                                  "analysis",
                                                  "test",
                                                  "element",
                                                  "contains",
                                                  "copies",
                                                  "derives",
                                                  "traces",
                                                  "type",
                                                  "satisfies",
                                                  "verifies",
                                                  "refines",
                                                  "docref",
                                                  "style",
                                                  "classdef",
                                                  "class",
                                                  "title",
                                                  "demonstration",
                                                  "inspection",
                                                  "direction",
                                                  "functionalrequirement",
                                                  "interfacerequirement",
                                                  "performancerequirement",
                                                  "physicalrequirement",
                                                  "designconstraint",
                                                  "acctitle",
                                                  "accdescr",
                                                  "requirementdiagram"};

}  // namespace

struct StatementForms::Tables {
  Grammar grammar;
  const char* header;
  absl::Span<const Form> forms;
  absl::Span<const WrongForm> wrong;
  absl::Span<const std::string_view> reserved;
};

const StatementForms* StatementForms::Of(Grammar grammar) {
  static const Tables kTables[] = {
      {Grammar::kSequence, R"(sequenceDiagram\s*)", kSequenceForms, kWrongSequenceForms, kSequenceWords},
      {Grammar::kClass, R"(classDiagram(?:-v2)?\s*)", kClassForms, kWrongClassForms, kClassWords},
      {Grammar::kState, R"(stateDiagram(?:-v2)?\s*)", kStateForms, kWrongStateForms, kStateWords},
      {Grammar::kEntity, R"(erDiagram\s*)", kEntityForms, kWrongEntityForms, kEntityWords},
      {Grammar::kGantt, R"(gantt\s*)", kGanttForms, kWrongGanttForms, kGanttWords},
      {Grammar::kPie, R"(pie(?:\s+showData)?(?:\s+title\s[^%]+)?\s*)", kPieForms, kWrongPieForms, kTextWords},
      {Grammar::kJourney, R"(journey\s*)", kJourneyForms, kWrongJourneyForms, kTextWords},
      {Grammar::kMindmap, "mindmap", kMindmapForms, {}, kTextWords},
      {Grammar::kTimeline, R"(timeline(?: (?:LR|TD))?\s*)", kTimelineForms, kWrongTimelineForms, kTextWords},
      {Grammar::kQuadrant, R"(quadrantChart *)", kQuadrantForms, kWrongQuadrantForms, kTextWords},
      {Grammar::kChart, R"(xychart(?:-beta)?(?:\s+(?:horizontal|vertical))?\s*)", kChartForms, {}, kTextWords},
      {Grammar::kSankey, R"(sankey(?:-beta)?)", kSankeyForms, {}, kTextWords},
      {Grammar::kPacket, R"(packet(?:-beta)?\s*)", kPacketForms, {}, kTextWords},
      {Grammar::kKanban, "kanban", kKanbanForms, {}, kTextWords},
      {Grammar::kRequirement, "requirementDiagram", kRequirementForms, kWrongRequirementForms, kRequirementWords},
      {Grammar::kTreemap, R"(treemap(?:-beta)?\s*)", kTreemapForms, {}, kTextWords},
  };
  static const auto* const kAll = [] {
    auto* const all = new std::vector<std::unique_ptr<const StatementForms>>();
    for (const Tables& tables : kTables) all->emplace_back(new StatementForms(tables));
    return all;
  }();
  const auto found =
      std::find_if(kAll->begin(), kAll->end(), [&](const auto& forms) { return forms->tables_.grammar == grammar; });
  return found == kAll->end() ? nullptr : found->get();
}

StatementForms::StatementForms(const Tables& tables) : tables_(tables) {
  const auto compile = [](const char* pattern) {
    return std::make_unique<RE2>(absl::StrReplaceAll(absl::StrReplaceAll(pattern, kShort), kShort));
  };
  header_ = compile(tables.header);
  for (const Form& form : tables.forms) forms_.push_back(compile(form.pattern));
  for (const WrongForm& wrong : tables.wrong) wrong_.push_back(compile(wrong.pattern));
}

bool StatementForms::IsHeader(std::string_view line) const { return RE2::FullMatch(line, *header_); }

bool StatementForms::IsReserved(std::string_view name) const {
  const size_t end =
      std::find_if_not(name.begin(), name.end(), [](char c) { return absl::ascii_isalnum(c) || c == '_'; }) -
      name.begin();
  std::string word(name.substr(0, end));
  // Of classes, Mermaid's lexer tells upper from lower case.
  if (tables_.grammar != Grammar::kClass) absl::AsciiStrToLower(&word);
  return text::IsOneOf(std::string_view(word), tables_.reserved);
}

bool StatementForms::Matches(const RE2& pattern, std::string_view line, Groups& groups) const {
  std::array<RE2::Arg, kMaxGroups> args;
  std::array<const RE2::Arg*, kMaxGroups> arg_pointers;
  for (int i = 0; i < kMaxGroups; ++i) {
    groups[i] = {};
    args[i] = &groups[i];
    arg_pointers[i] = &args[i];
  }
  if (!RE2::FullMatchN(line, pattern, arg_pointers.data(), pattern.NumberOfCapturingGroups())) return false;
  return std::none_of(groups.begin(), groups.end(), [this](const re2::StringPiece& group) {
    return IsReserved({group.data(), group.size()});
  });
}

const Form* StatementForms::Find(Scope in, std::string_view line, Groups& groups) const {
  for (size_t i = 0; i < forms_.size(); ++i) {
    const Form& form = tables_.forms[i];
    if ((form.in & in) != 0 && Matches(*forms_[i], line, groups)) return &form;
  }
  return nullptr;
}

const WrongForm* StatementForms::FindWrong(Scope in, std::string_view line) const {
  Groups groups;
  for (size_t i = 0; i < wrong_.size(); ++i) {
    const WrongForm& wrong = tables_.wrong[i];
    if ((wrong.in & in) != 0 && Matches(*wrong_[i], line, groups)) return &wrong;
  }
  return nullptr;
}

}  // namespace toolgate::executors::artifacts::checks::mermaid
