// SPDX-License-Identifier: Apache-2.0
//
// Well-formed messages of a session about scenes and tracks, and what must hold of their replies
// by the messages before them: what is not there is not answered about.

#pragma once

#include <array>
#include <cstdint>

#include "clearance/v1/query_service.pb.h"
#include "tests/fuzz/byte_reader.h"
#include "tests/fuzz/session_replies.h"

namespace clearance::fuzz {

inline constexpr int kSceneKinds = 16;

// `kind` is below kSceneKinds.
void TakeSceneMessage(int kind, ByteReader& data, v1::SessionRequest* message);

// What the session has of scenes and tracks.
class SceneTable {
 public:
  void Follow(const v1::SessionRequest& request, const v1::SessionResponse& response);

 private:
  enum class Content { kNothing, kScene, kPoison };

  void FollowSlots(const v1::SessionRequest& request, const v1::SessionResponse& response);
  void FollowTrack(const v1::SessionRequest& request, const v1::SessionResponse& response);
  void Fill(std::uint32_t slot, bool is_done);
  bool HasScene(std::uint32_t slot) const;
  void CheckQuestion(const v1::SessionRequest& request) const;
  void CheckOwn(const v1::ConfigurationColumns& columns) const;

  std::array<Content, kLimits.max_session_scenes> slots_{};
  bool are_bodies_in_doubt_ = false;
  bool has_track_ = false;
  std::uint64_t last_tick_ = 0;  // of the track; 0: it has none
};

}  // namespace clearance::fuzz
