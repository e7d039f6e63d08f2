#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text/words.h"
#include "executors/code_graph/index/declaration_cursor.h"

namespace toolgate::executors::code_graph::index {
namespace {

// Keeps the blocks and tables that are open at each token.
class LuaScan : private DeclarationCursor {
 public:
  using DeclarationCursor::DeclarationCursor;

  std::vector<Tag> Run() {
    for (size_t i = 0; i < size();) i = std::max(Step(i), i + 1);
    while (!open_.empty()) CloseLast(size());
    return TakeTags();
  }

 private:
  static constexpr size_t kNoTag = static_cast<size_t>(-1);

  struct Open {
    std::string_view closer;     // "end", "until" or "}".
    size_t tag = kNoTag;         // The function whose end it is.
    bool awaits_do = false;      // A loop, whose `do` is no block of its own.
    std::optional<Scope> outer;  // The scope behind it; without one it makes none.
  };

  void OpenBlock(std::string_view closer, bool awaits_do = false) {
    Open block;
    block.closer = closer;
    block.awaits_do = awaits_do;
    open_.push_back(std::move(block));
  }

  void CloseLast(size_t end) {
    Open last = std::move(open_.back());
    open_.pop_back();
    if (last.tag != kNoTag) SetEnd(last.tag, end);
    if (last.outer.has_value()) Enter(*std::move(last.outer));
  }

  size_t CloseBlock(std::string_view closer, size_t at) {
    if (!open_.empty() && open_.back().closer == closer) CloseLast(at + 1);
    return at + 1;
  }

  size_t Step(size_t at) {
    if (IsSign(at, "{")) return OpenTable(at);
    if (IsSign(at, "}")) return CloseBlock("}", at);
    // Behind "..", it is no member.
    const bool is_member = at > 1 && (IsSign(at - 1, ".") || IsSign(at - 1, ":")) && !IsSign(at - 2, ".");
    if (!IsName(at) || is_member) return at + 1;
    const std::string_view word = At(at).text;
    if (word == "end" || word == "until") return CloseBlock(word, at);
    if (word == "function") return ScanFunction(at);
    if (word == "if") OpenBlock("end");
    if (word == "repeat") OpenBlock("until");
    if (word == "for" || word == "while") OpenBlock("end", /*awaits_do=*/true);
    if (word == "do") ScanDo();
    if (word == "local" && open_.empty()) return ScanLocals(at);
    return at + 1;
  }

  void ScanDo() {
    if (!open_.empty() && open_.back().awaits_do) {
      open_.back().awaits_do = false;
    } else {
      OpenBlock("end");
    }
  }

  // ---- Names

  // The first token of the name `a.b.c` that ends at `last`.
  size_t BeginOfPath(size_t last) const {
    size_t at = last;
    while (at >= 2 && (IsSign(at - 1, ".") || IsSign(at - 1, ":")) && IsName(at - 2)) at -= 2;
    return at;
  }

  // Enters the scope that all but the last part of a name make; a name without parts is in the present one.
  void EnterOwner(size_t first, size_t last) {
    if (first == last) return;
    Scope owner;
    for (size_t i = first; i < last; i += 2) {
      if (!owner.qualified_name.empty()) owner.qualified_name += '.';
      owner.qualified_name += At(i).text;
    }
    owner.is_function = scope().is_function;
    Enter(std::move(owner));
  }

  // The last token of the name to which what is at `value` is given; nothing when it is given to none.
  std::optional<size_t> TargetOf(size_t value) const {
    if (value < 2 || !IsSign(value - 1, "=") || !IsName(value - 2)) return std::nullopt;
    return value - 2;
  }

  // ---- Definitions

  size_t OpenTable(size_t at) {
    OpenBlock("}");
    const std::optional<size_t> name = TargetOf(at);
    if (!name.has_value() || scope().qualified_name.size() > kMaxScopeBytes) return at + 1;
    open_.back().outer = scope();
    EnterOwner(BeginOfPath(*name), *name);
    Scope table = scope();
    if (!table.qualified_name.empty()) table.qualified_name += '.';
    table.qualified_name += At(*name).text;
    Enter(std::move(table));
    return at + 1;
  }

  size_t ScanFunction(size_t at) {
    size_t last = at + 1;
    size_t first = at;
    size_t parameters = at + 1;
    Scope outer = scope();
    OpenBlock("end");
    if (IsName(at + 1)) {
      while ((IsSign(last + 1, ".") || IsSign(last + 1, ":")) && IsName(last + 2)) last += 2;
      EnterOwner(at + 1, last);
      parameters = last + 1;
    } else if (const std::optional<size_t> name = TargetOf(at); name.has_value()) {
      last = *name;
      first = BeginOfPath(last);
      EnterOwner(first, last);
    } else {
      return at + 1;
    }
    const size_t index = AddTag(At(last).text, "function", first, last);
    tag(index).file_scope = at > 0 && IsWord(at - 1, "local");
    if (IsSign(parameters, "(")) tag(index).signature = TextOf(parameters, Close(parameters) + 1);
    open_.back().tag = index;
    open_.back().outer = std::move(outer);
    Enter(ScopeOf(index, true));
    return IsSign(parameters, "(") ? Behind(parameters) : parameters;
  }

  // `local a, b = …` at the top of a file.
  size_t ScanLocals(size_t at) {
    if (IsWord(at + 1, "function")) return at + 1;
    size_t i = at + 1;
    const size_t first_name = i;
    while (IsName(i) && IsSign(i + 1, ",")) i += 2;
    if (!IsName(i) || (IsSign(i + 1, "=") && IsWord(i + 2, "function"))) return at + 1;
    for (size_t name = first_name; name <= i; name += 2) {
      const size_t index = AddTag(At(name).text, "variable", at, name);
      tag(index).file_scope = true;
      if (name == i && IsSign(i + 1, "=") && IsSign(i + 2, "{")) SetEnd(index, Behind(i + 2));
    }
    return i + 1;
  }

  static constexpr size_t kMaxScopeBytes = 1000;

  std::vector<Open> open_;
};

}  // namespace

std::vector<Tag> ScanLua(const std::vector<Token>& tokens, const Language& language) {
  return LuaScan(tokens, language).Run();
}

}  // namespace toolgate::executors::code_graph::index
