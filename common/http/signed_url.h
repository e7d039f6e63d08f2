// URLs in the form that AWS Signature Version 4 signs.
#ifndef TOOLGATE_COMMON_HTTP_SIGNED_URL_H_
#define TOOLGATE_COMMON_HTTP_SIGNED_URL_H_

#include "common/http/http_url.h"

namespace toolgate::http {

// The same URL, written as the server computes its canonical form: path and query with everything escaped but letters,
// digits and "-._~" (and slashes of the path), parameters sorted, each with its equals sign. libcurl 7.88 signs a URL
// as it is written, so that any other spelling would be refused. A plus sign is one, never a space.
HttpUrl CanonicalForSigning(HttpUrl url);

}  // namespace toolgate::http

#endif  // TOOLGATE_COMMON_HTTP_SIGNED_URL_H_
