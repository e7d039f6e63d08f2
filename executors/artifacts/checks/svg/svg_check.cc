#include "executors/artifacts/checks/svg/svg_check.h"

#include <libxml/parser.h>
#include <libxml/xmlerror.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/absl_bridge.h"
#include "executors/artifacts/checks/svg/element_rules.h"

namespace toolgate::executors::artifacts::checks::svg {
namespace {

struct FreeContext {
  void operator()(xmlParserCtxt* context) const {
    xmlFreeDoc(context->myDoc);
    context->myDoc = nullptr;
    xmlFreeParserCtxt(context);
  }
};

std::string_view View(const xmlChar* text) {
  return text == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(text));
}

// Elements of the source from the root to the present one, as libxml2 tells of them.
class SvgReader {
 public:
  explicit SvgReader(std::string_view source) : source_(source), problems_(source), rules_(problems_) {}

  std::vector<Problem> Read() && {
    Parse();
    if (!stopped_ && !failed_ && elements_ == 0) problems_.Error(0, "empty-image", "there is no <svg>");
    return problems_.Take();
  }

 private:
  static SvgReader& Self(void* context) {
    return *static_cast<SvgReader*>(static_cast<xmlParserCtxt*>(context)->_private);
  }

  void Parse() {
    xmlSAXHandler handler = {};
    handler.initialized = XML_SAX2_MAGIC;
    handler.internalSubset = &SvgReader::OnDocumentType;
    handler.startElementNs = &SvgReader::OnStart;
    handler.endElementNs = [](void* context, const xmlChar*, const xmlChar*, const xmlChar*) { Self(context).End(); };
    handler.characters = &SvgReader::OnText;
    handler.cdataBlock = &SvgReader::OnText;
    handler.processingInstruction = &SvgReader::OnInstruction;
    handler.serror = &SvgReader::OnError;
    const std::unique_ptr<xmlParserCtxt, FreeContext> context(
        xmlCreatePushParserCtxt(&handler, nullptr, nullptr, 0, nullptr));
    if (context == nullptr) {
      problems_.Unsafe(0, "not-read", "the image could not be read");
      return;
    }
    context->_private = this;
    // Text of a page is UTF-8, whatever a declaration says.
    xmlCtxtUseOptions(context.get(), XML_PARSE_NONET | XML_PARSE_IGNORE_ENC);
    context_ = context.get();
    xmlParseChunk(context.get(), source_.data(), static_cast<int>(source_.size()), /*terminate=*/1);
    context_ = nullptr;
  }

  void Stop() {
    stopped_ = true;
    xmlStopParser(context_);
  }

  // Bytes of the source before the parser's place, moved back to the tag that it has just read.
  size_t TagOffset() const {
    const long consumed = xmlByteConsumed(context_);
    const size_t end = std::min(source_.size(), static_cast<size_t>(std::max(0L, consumed)));
    const size_t start = end == 0 ? 0 : source_.rfind('<', end - 1);
    return start == std::string_view::npos ? 0 : start;
  }

  static void OnDocumentType(void* context, const xmlChar*, const xmlChar*, const xmlChar*) {
    SvgReader& self = Self(context);
    const size_t place = self.source_.find("<!DOCTYPE");
    self.problems_.Unsafe(place == std::string_view::npos ? 0 : place, "document-type",
                          "an image needs no <!DOCTYPE>, which may define entities; remove it");
    self.Stop();
  }

  static void OnStart(void* context, const xmlChar* local, const xmlChar*, const xmlChar* uri, int, const xmlChar**,
                      int attributes, int, const xmlChar** values) {
    Self(context).Start({View(local), View(uri)}, attributes, values);
  }

  void Start(const ElementName& element, int attributes, const xmlChar** values) {
    const size_t offset = TagOffset();
    if (++elements_ == 1 && (element.local != "svg" || element.uri != kSvgNamespace)) {
      const bool is_svg = element.local == "svg";
      problems_.Error(offset, is_svg ? "no-namespace" : "not-svg",
                      is_svg ? absl::StrCat("<svg> needs xmlns=\"", ToAbsl(kSvgNamespace), "\"")
                             : absl::StrCat("the root is <", ToAbsl(element.local), ">, not <svg>"));
      if (is_svg && element.uri.empty()) lacks_namespace_ = true;
    }
    if (++depth_ > kMaxDepth || elements_ > kMaxElements) {
      problems_.Unsafe(offset, "too-large",
                       absl::StrCat("more than ", kMaxElements, " elements, or ", kMaxDepth, " inside each other"));
      Stop();
      return;
    }
    rules_.CheckElement({element.local, lacks_namespace_ && element.uri.empty() ? kSvgNamespace : element.uri}, offset);
    // Five pointers an attribute: local name, prefix, namespace, begin and end of the value.
    for (int i = 0; i < attributes; ++i, values += 5) {
      const std::string_view value(reinterpret_cast<const char*>(values[3]),
                                   static_cast<size_t>(values[4] - values[3]));
      rules_.CheckAttribute(element.local, View(values[0]), value, offset);
    }
    if (absl::AsciiStrToLower(ToAbsl(element.local)) == "style" && style_depth_ == 0) {
      style_depth_ = depth_;
      style_offset_ = offset;
      style_.clear();
    }
  }

  void End() {
    if (depth_-- != style_depth_) return;
    style_depth_ = 0;
    rules_.CheckCss(style_, style_offset_);
  }

  static void OnText(void* context, const xmlChar* text, int length) {
    SvgReader& self = Self(context);
    if (self.style_depth_ != 0) self.style_.append(reinterpret_cast<const char*>(text), static_cast<size_t>(length));
  }

  static void OnInstruction(void* context, const xmlChar* target, const xmlChar*) {
    SvgReader& self = Self(context);
    self.problems_.Unsafe(self.TagOffset(), "processing-instruction",
                          absl::StrCat("<?", ToAbsl(View(target)), "?> has no place in an image; remove it"));
  }

  static void OnError(void* context, xmlErrorPtr error) {
    SvgReader& self = Self(context);
    if (self.stopped_ || error->level == XML_ERR_WARNING) return;
    self.failed_ = true;
    self.problems_.Error(self.OffsetOf(error->line, error->int2), "not-well-formed",
                         absl::StrCat("is not well-formed XML: ",
                                      absl::StripAsciiWhitespace(error->message == nullptr ? "" : error->message)));
  }

  // Of a line and a column of libxml2's, both from 1.
  size_t OffsetOf(int line, int column) const {
    size_t offset = 0;
    for (int i = 1; i < line; ++i) {
      const size_t end = source_.find('\n', offset);
      if (end == std::string_view::npos) break;
      offset = end + 1;
    }
    const size_t end = std::min(source_.find('\n', offset), source_.size());
    return std::min(offset + static_cast<size_t>(std::max(0, column - 1)), end);
  }

  const std::string_view source_;
  Problems problems_;
  ElementRules rules_;
  xmlParserCtxt* context_ = nullptr;
  bool stopped_ = false;
  bool failed_ = false;
  bool lacks_namespace_ = false;  // The root does: judge the rest as if it had it.
  int elements_ = 0;
  int depth_ = 0;
  int style_depth_ = 0;  // Of the <style> that is open; 0: none.
  size_t style_offset_ = 0;
  std::string style_;
};

void InitLibrary() {
  static const bool done = [] {
    xmlInitParser();
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace

std::vector<Problem> CheckSvg(std::string_view source) {
  if (source.size() > kMaxBytes) {
    Problems problems(source);
    problems.Unsafe(0, "too-large", absl::StrCat("the image is longer than ", kMaxBytes, " bytes"));
    return problems.Take();
  }
  InitLibrary();
  return SvgReader(source).Read();
}

}  // namespace toolgate::executors::artifacts::checks::svg
