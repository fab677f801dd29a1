// SPDX-License-Identifier: Apache-2.0
//
// An arm among obstacles at a server: the obstacles and the arm's base are a scene, the moving
// links are the session's query bodies. Only the poses of a configuration are sent.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clearance/client.h"
#include "clearance/session.h"
#include "client/examples/ompl/data_files.h"
#include "client/examples/ompl/robot.h"

namespace clearance::plan {

// A body of the arm and a body near it.
struct NearPair {
  std::uint32_t body = 0;
  std::uint32_t other = 0;  // a body of the arm if is_self; otherwise the base or an obstacle
  bool is_self = false;
  double lower_bound = 0;  // of their distance, metres; proved
};

// The proved surroundings of a configuration: every pair that may be nearer than the distance asked
// for. If one pair is not proved to be apart, the list ends with it.
struct Surroundings {
  bool is_free = false;
  std::vector<NearPair> pairs;
};

class ConfigurationAsker {
 public:
  virtual ~ConfigurationAsker() = default;
  // Returns whether each row is proved to be free; all in one message.
  virtual absl::StatusOr<std::vector<bool>> AreFree(const std::vector<JointVector>& rows) = 0;
  virtual absl::StatusOr<std::vector<Surroundings>> Near(const std::vector<JointVector>& rows,
                                                         double max_distance) = 0;
};

class ServiceCell final : public ConfigurationAsker {
 public:
  // Attaches the arm. Keeps a reference to it. Everything it leaves at the server has a name below
  // `prefix` and goes with it.
  static absl::StatusOr<std::unique_ptr<ServiceCell>> Make(const client::Client& client,
                                                           const Robot& robot,
                                                           const std::string& prefix);
  ~ServiceCell() override;

  // Replaces the obstacles.
  absl::Status Load(const std::vector<Obstacle>& obstacles);

  absl::StatusOr<std::vector<bool>> AreFree(const std::vector<JointVector>& rows) override;
  absl::StatusOr<std::vector<Surroundings>> Near(const std::vector<JointVector>& rows,
                                                 double max_distance) override;

 private:
  ServiceCell(const client::Client& client, const Robot& robot, const std::string& prefix);
  absl::Status Attach();
  client::Configurations ConfigurationsOf(const std::vector<JointVector>& rows) const;
  absl::StatusOr<client::ShapeKey> Register(const Shape& shape);
  void DropScene();

  const client::Client client_;
  const Robot& robot_;
  const std::string prefix_;
  std::unique_ptr<client::Session> session_;
  std::vector<std::string> registered_;
  std::uint64_t scenes_made_ = 0;
  std::string scene_;  // empty: none yet
};

}  // namespace clearance::plan
