// Rules on a module's imports, exports and names.
#ifndef TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_REACT_MODULE_RULES_H_
#define TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_REACT_MODULE_RULES_H_

#include <string>
#include <string_view>
#include <vector>

#include "executors/artifacts/checks/problem.h"
#include "executors/artifacts/checks/react/token.h"

namespace toolgate::executors::artifacts::checks::react {

// Reads the tokens of one module. Used by one thread.
class ModuleRules {
 public:
  // Borrows all.
  ModuleRules(const std::vector<Token>& tokens, const std::vector<std::string>& modules, Problems& problems)
      : tokens_(tokens), modules_(modules), problems_(problems) {}

  // `complete`: the tokens are those of the whole module, so what is missing in them is missing.
  void Check(bool complete);

  // After Check: the name of what the module exports by default; empty when it has none.
  const std::string& default_export() const { return default_export_; }

 private:
  void CheckToken(size_t i);
  void CheckImport(size_t i);
  void CheckModule(const Token& module);
  void CheckExport(size_t i);
  void CheckDefaultExport(size_t name);
  void CheckName(size_t i);
  void CheckGlobal(size_t i);
  void CheckMember(size_t i);
  void CheckElement(size_t i);
  void CheckAttribute(size_t i);

  bool Is(size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].text == text &&
           (tokens_[i].kind == TokenKind::kIdentifier || tokens_[i].kind == TokenKind::kPunctuator);
  }
  bool IsMember(size_t i) const { return i > 0 && (Is(i - 1, ".") || Is(i - 1, "?.")); }
  // A member of the global object: "eval", "window.eval", "globalThis.eval".
  bool IsGlobal(size_t i) const;

  const std::vector<Token>& tokens_;
  const std::vector<std::string>& modules_;
  Problems& problems_;
  int default_exports_ = 0;
  std::string default_export_;
};

}  // namespace toolgate::executors::artifacts::checks::react

#endif  // TOOLGATE_EXECUTORS_ARTIFACTS_CHECKS_REACT_MODULE_RULES_H_
