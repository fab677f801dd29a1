// SPDX-License-Identifier: Apache-2.0

#include "server/storage/checksum.h"

#include <openssl/evp.h>

#include <array>
#include <memory>

#include "absl/strings/str_cat.h"

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

std::string RowChecksum(const StoredContent& content) {
  return ChecksumOf({content.digest, content.shape, content.body});
}

std::string RowChecksum(const StoredName& name) {
  return ChecksumOf({name.name, name.digest, absl::StrCat(name.revision), name.owner});
}

std::string RowChecksum(const SceneRecord& record) {
  const std::string numbers =
      absl::StrCat(record.incarnation, " ", record.revision, " ", record.is_whole);
  if (record.owner.empty()) return ChecksumOf({record.name, numbers, record.change});
  return ChecksumOf({record.name, numbers, record.change, record.owner});
}

std::string RowChecksum(std::uint64_t revision) { return ChecksumOf({absl::StrCat(revision)}); }

}  // namespace clearance::server
