// SPDX-License-Identifier: Apache-2.0
//
// Imports the items of an exported file into a server.

#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "clearance/client.h"
#include "clearance/error.h"
#include "client/cli/output.h"
#include "client/cli/transfer_file.h"

namespace clearance::client {

// Registers shapes as they come, hulls many at a time, creates scenes, and records the result of
// each item. Thread-compatible.
class Importer {
 public:
  // The client outlives this. `replace`: existing names take the content of the file.
  Importer(const Client& client, bool replace) : client_(client), replace_(replace) {}

  // Returns the failure of a whole call; a refused item is in refusals().
  absl::Status Add(const TransferItem& item);

  // Registers the hulls that wait.
  absl::Status Flush();

  int registered() const { return registered_; }  // shapes, including those that were already there
  int scenes() const { return scenes_; }          // scenes, including those that were already there
  const Json& refusals() const { return refusals_; }

 private:
  absl::Status AddShape(const TransferShape& shape);
  absl::Status RegisterAlone(const TransferShape& shape);
  absl::Status AddScene(const TransferScene& scene);
  // Adds a scene whose name is taken. An equal one counts; another is replaced or refused.
  absl::Status AddTo(const FoundScene& found, const TransferScene& scene);
  absl::Status Replace(const FoundScene& found, const TransferScene& scene) const;
  // Records the failure of one item as a refusal. Returns an error only if the whole call failed.
  absl::Status RefuseOrFail(const std::string& name, const absl::Status& status);
  void Take(const std::string& name, const std::string& digest, const std::string& expected);
  void Refuse(const std::string& name, const Error& error);

  const Client& client_;
  const bool replace_;
  HullColumns batch_;
  std::vector<std::string> digests_;  // of the batch
  int registered_ = 0;
  int scenes_ = 0;
  Json refusals_ = Json::array();
};

}  // namespace clearance::client
