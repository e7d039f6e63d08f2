// Owning OpenSSL's objects: `using Bignum = std::unique_ptr<BIGNUM, OpensslDeleter<BN_free>>;`
#ifndef TOOLGATE_COMMON_OPENSSL_PTR_H_
#define TOOLGATE_COMMON_OPENSSL_PTR_H_

namespace toolgate {

template <auto kFree>
struct OpensslDeleter {
  template <typename T>
  void operator()(T* object) const {
    kFree(object);
  }
};

}  // namespace toolgate

#endif  // TOOLGATE_COMMON_OPENSSL_PTR_H_
