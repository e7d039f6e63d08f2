// Domains of e-mail addresses.
#ifndef TOOLGATE_SECURITY_SAFE_ERRORS_MAIL_DOMAIN_H_
#define TOOLGATE_SECURITY_SAFE_ERRORS_MAIL_DOMAIN_H_

#include <string_view>

namespace toolgate::security::safe_errors {

// The domain with which `text`, what follows the "@" of an address, begins; empty if it begins with none. An address
// may be part of the name of a file, as of an export: of "example.com.csv" the domain is "example.com". "2x.png" and
// "4.17.21.tgz" have none.
std::string_view MailDomain(std::string_view text);

}  // namespace toolgate::security::safe_errors

#endif  // TOOLGATE_SECURITY_SAFE_ERRORS_MAIL_DOMAIN_H_
