// SPDX-License-Identifier: Apache-2.0

#include "server/storage/checksum.h"

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <memory>

namespace clearance::server {

std::string ChecksumOf(std::initializer_list<absl::string_view> parts) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> hash;
  unsigned int size = 0;
  const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(),
                                                                   EVP_MD_CTX_free);
  EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  for (const absl::string_view part : parts) {
    const std::uint64_t length = part.size();
    EVP_DigestUpdate(context.get(), &length, sizeof(length));
    EVP_DigestUpdate(context.get(), part.data(), part.size());
  }
  EVP_DigestFinal_ex(context.get(), hash.data(), &size);
  return std::string(reinterpret_cast<const char*>(hash.data()), size);
}

}  // namespace clearance::server
