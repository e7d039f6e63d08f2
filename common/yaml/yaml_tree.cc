#include "common/yaml/yaml_tree.h"

#include <exception>
#include <sstream>
#include <unordered_map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "yaml-cpp/eventhandler.h"
#include "yaml-cpp/exceptions.h"
#include "yaml-cpp/mark.h"
#include "yaml-cpp/parser.h"

namespace toolgate::yaml {
namespace {

// Thrown through the YAML library by the builder, and caught where the library is called.
class Refusal : public std::exception {
 public:
  Refusal(const YAML::Mark& mark, std::string reason) : mark_(mark), reason_(std::move(reason)) {}
  const YAML::Mark& mark() const { return mark_; }
  const std::string& reason() const { return reason_; }

 private:
  const YAML::Mark mark_;
  const std::string reason_;
};

class TreeBuilder final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw Refusal(mark, "a second document; only one is read");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto node = Make(mark, anchor, Kind::kNull);
    const YamlNode* key = open_.empty() ? nullptr : open_.back().key.get();
    if (key != nullptr && key->line != node->line) {
      // The library places a value that is not there at whatever comes next.
      node->line = key->line;
      node->column = key->column;
    }
    Add(std::move(node));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw Refusal(mark, "an alias inside the value that it stands for");
    Add(found->second);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    auto node = Make(mark, anchor, Kind::kScalar);
    CheckTag(mark, tag);
    node->scalar = value;
    node->quoted = tag == "!";  // The library's mark of a quoted or block scalar.
    Add(std::move(node));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(mark, tag, anchor, Kind::kSequence);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(mark, tag, anchor, Kind::kMap);
  }
  void OnMapEnd() override { Close(); }

  std::shared_ptr<const YamlNode> root() const {
    if (root_ != nullptr) return root_;
    auto nothing = std::make_shared<YamlNode>();
    nothing->line = nothing->column = 1;
    return nothing;
  }

 private:
  using Kind = YamlNode::Kind;

  struct OpenNode {
    std::shared_ptr<YamlNode> node;
    YAML::anchor_t anchor;
    std::shared_ptr<const YamlNode> key;  // Of a map: read, and waiting for its value.
  };

  static void CheckTag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "!" && tag != "?") throw Refusal(mark, "a tag; values are typed by their field");
  }

  std::shared_ptr<YamlNode> Make(const YAML::Mark& mark, YAML::anchor_t anchor, Kind kind) {
    auto node = std::make_shared<YamlNode>();
    node->kind = kind;
    node->line = mark.line + 1;
    node->column = mark.column + 1;
    // A sequence or map can be referred to only once it is closed.
    if (anchor != 0 && kind != Kind::kSequence && kind != Kind::kMap) anchors_[anchor] = node;
    return node;
  }

  void Open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Kind kind) {
    CheckTag(mark, tag);
    if (open_.size() == kMaxYamlDepth) {
      throw Refusal(mark, absl::StrCat("nested deeper than ", kMaxYamlDepth, " levels"));
    }
    open_.push_back({Make(mark, anchor, kind), anchor, nullptr});
  }

  void Close() {
    OpenNode closed = std::move(open_.back());
    open_.pop_back();
    if (closed.anchor != 0) anchors_[closed.anchor] = closed.node;
    Add(std::move(closed.node));
  }

  void Add(std::shared_ptr<const YamlNode> node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    OpenNode& parent = open_.back();
    if (parent.node->kind == Kind::kSequence) {
      parent.node->items.push_back(std::move(node));
    } else if (parent.key == nullptr) {
      parent.key = std::move(node);
    } else {
      parent.node->members.emplace_back(std::move(parent.key), std::move(node));
      parent.key = nullptr;
    }
  }

  int documents_ = 0;
  std::vector<OpenNode> open_;
  std::unordered_map<YAML::anchor_t, std::shared_ptr<const YamlNode>> anchors_;
  std::shared_ptr<const YamlNode> root_;
};

absl::Status Invalid(std::string_view file_name, const YAML::Mark& mark, std::string_view what) {
  // Some errors of the library have no place.
  const int line = mark.is_null() ? 1 : mark.line + 1;
  const int column = mark.is_null() ? 1 : mark.column + 1;
  return absl::InvalidArgumentError(absl::StrCat(ToAbsl(file_name), ":", line, ":", column, ": ", ToAbsl(what)));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const YamlNode>> ParseYaml(std::string_view file_name, std::string_view text) {
  if (text.size() > kMaxYamlBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(ToAbsl(file_name), ": ", text.size(), " bytes; at most ", kMaxYamlBytes, " are read"));
  }
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    TreeBuilder builder;
    while (parser.HandleNextDocument(builder)) {
    }
    return builder.root();
  } catch (const Refusal& refusal) {
    return Invalid(file_name, refusal.mark(), refusal.reason());
  } catch (const YAML::Exception& error) {
    return Invalid(file_name, error.mark, absl::StrCat("not well-formed YAML: ", error.msg));
  } catch (const std::exception& error) {
    return absl::InvalidArgumentError(absl::StrCat(ToAbsl(file_name), ": not readable as YAML: ", error.what()));
  }
}

}  // namespace toolgate::yaml
