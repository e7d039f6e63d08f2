# Run by toolgate_embed: writes a header that declares `const std::vector<EmbeddedFile>& FUNCTION()` and its source.
# Bytes are written as hex so that no content needs escaping.
string(REPLACE "::" "_" guard "${NAMESPACE}_${FUNCTION}_H_")
string(TOUPPER "${guard}" guard)
file(WRITE ${OUT_HEADER}
"#ifndef ${guard}
#define ${guard}
#include <vector>
#include \"common/embedded_file.h\"
namespace ${NAMESPACE} {
const std::vector<EmbeddedFile>& ${FUNCTION}();
}  // namespace ${NAMESPACE}
#endif
")
set(arrays "")
set(rows "")
set(i 0)
foreach(path IN LISTS FILES)
  file(READ ${path} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  file(RELATIVE_PATH name ${ROOT} ${path})
  string(APPEND arrays "constexpr unsigned char kFile${i}[] = {${bytes}0};\n")
  string(APPEND rows
         "      {\"${name}\", {reinterpret_cast<const char*>(kFile${i}), sizeof(kFile${i}) - 1}},\n")
  math(EXPR i "${i} + 1")
endforeach()
file(WRITE ${OUT_SOURCE}
"#include \"${INCLUDE}\"
namespace ${NAMESPACE} {
namespace {
${arrays}}  // namespace
const std::vector<EmbeddedFile>& ${FUNCTION}() {
  static const auto* const files = new std::vector<EmbeddedFile>{
${rows}  };
  return *files;
}
}  // namespace ${NAMESPACE}
")
