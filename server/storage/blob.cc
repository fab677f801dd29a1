// SPDX-License-Identifier: Apache-2.0

#include "server/storage/blob.h"

#include <algorithm>
#include <cmath>

namespace clearance::server {
namespace {

std::size_t WidthOf(absl::Span<const std::uint32_t> values) {
  const std::uint32_t largest =
      values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  if (largest <= 0xff) return 1;
  return largest <= 0xffff ? 2 : 4;
}

template <class Narrow>
void Append(absl::Span<const std::uint32_t> values, std::string* bytes) {
  const std::vector<Narrow> narrow(values.begin(), values.end());
  bytes->append(reinterpret_cast<const char*>(narrow.data()), narrow.size() * sizeof(Narrow));
}

}  // namespace

void BlobWriter::PutDoubles(absl::Span<const double> values) {
  bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
}

void BlobWriter::PutIndices(absl::Span<const std::uint32_t> values) {
  const std::size_t width = WidthOf(values);
  Put(static_cast<std::uint32_t>(values.size()));
  Put(static_cast<std::uint8_t>(width));
  if (width == 1) return Append<std::uint8_t>(values, &bytes_);
  if (width == 2) return Append<std::uint16_t>(values, &bytes_);
  Append<std::uint32_t>(values, &bytes_);
}

double BlobReader::GetFinite() {
  const auto value = Get<double>();
  Require(std::isfinite(value));
  return value;
}

std::vector<double> BlobReader::GetFinite(std::size_t count) {
  if (count > bytes_.size() / sizeof(double)) {
    Fail();
    return {};
  }
  if (count == 0) return {};  // its data() would be null, which memcpy must not get
  std::vector<double> values(count);
  std::memcpy(values.data(), bytes_.data(), count * sizeof(double));
  bytes_.remove_prefix(count * sizeof(double));
  Require(std::ranges::all_of(values, [](double value) { return std::isfinite(value); }));
  return values;
}

std::vector<std::uint32_t> BlobReader::GetIndices(std::uint64_t bound) {
  const auto count = Get<std::uint32_t>();
  const std::size_t width = Get<std::uint8_t>();
  Require(width == 1 || width == 2 || width == 4);
  if (!ok_ || count > bytes_.size() / width) {
    Fail();
    return {};
  }
  std::vector<std::uint32_t> values(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::memcpy(&values[i], bytes_.data() + i * width, width);
  }
  bytes_.remove_prefix(count * width);
  Require(WidthOf(values) == width);
  Require(std::ranges::all_of(values, [bound](std::uint32_t value) { return value < bound; }));
  return values;
}

std::uint32_t BlobReader::GetCount() {
  const auto count = Get<std::uint32_t>();
  Require(count <= bytes_.size());
  return ok_ ? count : 0;
}

}  // namespace clearance::server
