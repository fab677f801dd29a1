// SPDX-License-Identifier: Apache-2.0
//
// The boxes of the same bodies at many poses, computed as many side by side as the processor's
// vectors hold.

#pragma once

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "core/broad/float_box.h"
#include "core/math/pose.h"
#include "core/shape/rigid_body.h"

namespace clearance {

// The numbers that the boxes of some bodies are made of, in one column each.
class RowBoxes {
 public:
  void Clear() { count_ = 0; }
  void Add(const RigidBody& body, double margin);

  // boxes[i] is Rounded(BoxAt()) of body i % size() at poses[i], to the last bit. Requires: bodies;
  // equal lengths.
  void Find(absl::Span<const Pose> poses, absl::Span<FloatBox> boxes);

  std::size_t size() const { return count_; }

  // The columns from body k on; the first bodies follow the last one, as many as fill a vector.
  enum Column : std::size_t {
    kCenterX,
    kCenterY,
    kCenterZ,
    kHalfX,
    kHalfY,
    kHalfZ,
    kCenterSize,  // the sums of the coordinates' sizes
    kHalfSize,
    kMargin,
    kColumns
  };
  static constexpr std::size_t kMaxLanes = 8;
  const double* Of(Column column, std::size_t k) const { return columns_[column].data() + k; }

 private:
  std::size_t count_ = 0;
  std::vector<double> columns_[kColumns];
};

}  // namespace clearance
