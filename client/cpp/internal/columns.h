// SPDX-License-Identifier: Apache-2.0
//
// Columns between std::vector and packed repeated fields: one memcpy each where the types agree.

#pragma once

#include <google/protobuf/repeated_field.h>

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "clearance/shape.h"

namespace clearance::client {

template <class T>
void Assign(const T* first, std::size_t size, google::protobuf::RepeatedField<T>* field) {
  field->Clear();
  if (size > 0) field->Add(first, first + size);
}

template <class T>
void Assign(const std::vector<T>& column, google::protobuf::RepeatedField<T>* field) {
  Assign(column.data(), column.size(), field);
}

inline void Assign(absl::Span<const Pose> poses, google::protobuf::RepeatedField<double>* field) {
  field->Clear();
  field->Reserve(static_cast<int>(7 * poses.size()));
  for (const Pose& pose : poses) {
    for (const double number : {pose.x, pose.y, pose.z, pose.qx, pose.qy, pose.qz, pose.qw})
      field->AddAlreadyReserved(number);
  }
}

template <class T>
void Append(const google::protobuf::RepeatedField<T>& field, std::vector<T>* column) {
  column->insert(column->end(), field.data(), field.data() + field.size());
}

template <class T>
std::vector<T> ToVector(const google::protobuf::RepeatedField<T>& field) {
  return std::vector<T>(field.data(), field.data() + field.size());
}

}  // namespace clearance::client
