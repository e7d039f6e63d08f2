// The bytes of a request's head, looked at once more.
#ifndef TOOLGATE_SERVICES_HTTP_RAW_HEAD_H_
#define TOOLGATE_SERVICES_HTTP_RAW_HEAD_H_

#include <string_view>
#include <vector>

namespace toolgate::services::http {

// A head as libmicrohttpd 0.9.75 leaves it: where it stood on the wire, with a NUL in place of each byte that ends a
// part (the blanks around the target, the colon behind a name, both bytes of a line's end). All views lie in `bytes`,
// unless the library has put a part elsewhere. Borrows everything.
struct RawHead {
  struct Field {
    std::string_view name;
    std::string_view value;
  };
  std::string_view bytes;  // From the method to the empty line, which is included.
  std::string_view method;
  const char* target = nullptr;      // Its first byte,
  const char* target_end = nullptr;  // and the NUL behind it, before the library split the query.
  std::string_view version;
  std::vector<Field> fields;  // In their order.
};

// Whether a head is what the grammar of HTTP/1.1 says (RFC 9112), in the narrowest sense: one blank between the parts
// of the request line, names that are tokens right before their colon, values without control characters, each field on
// one line, each line ended by CR and LF, and no NUL anywhere.
//
// The library is lenient where it must not be: it ends a head at a line that begins with a NUL, ends lines at a bare
// LF, takes "Content-Length " for a header that it does not know, and glues a folded line to the name of the header
// before it. A proxy in front reads such heads differently, so that what is a body to one is a request to the other.
// None of that can be seen in the headers that the library hands over; but it shows in where they stand.
bool IsPlain(const RawHead& head);

// The same for the text of a target.
bool IsPlainTarget(std::string_view target);

}  // namespace toolgate::services::http

#endif  // TOOLGATE_SERVICES_HTTP_RAW_HEAD_H_
