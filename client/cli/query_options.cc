// SPDX-License-Identifier: Apache-2.0
#include "client/cli/query_options.h"

#include <vector>

namespace clearance::client {
namespace {

// Numbers after blanks or commas; how many says the caller.
CLI::Option* AddNumbers(CLI::App* command, const char* name, std::vector<double>* column,
                        const char* text) {
  return command->add_option(name, *column, text)->delimiter(',');
}

void AddPose(CLI::App* command, const char* name, std::vector<double>* column, const char* text) {
  AddNumbers(command, name, column, text)->expected(7);
}

void AddPoses(CLI::App* command, Pairs* pairs) {
  AddPose(command, "--pose-a", &pairs->poses_a, "x y z qx qy qz qw of A");
  AddPose(command, "--pose-b", &pairs->poses_b, "x y z qx qy qz qw of B");
}

}  // namespace

void AddOptions(CLI::App* command, DistanceBatch* batch) {
  AddPoses(command, &batch->pairs);
  command->add_option("--max-distance", batch->max_distances, "Only if nearer than this, metres")
      ->expected(1);
  command->add_option("--tolerance", batch->tolerance, "Good enough, metres");
  command->add_flag("--exact", batch->exact, "Exact arithmetic where rounding leaves it open");
  DistanceDetail& detail = batch->detail;
  command->add_flag("--points", detail.points, "Also the closest points");
  command->add_flag("--normals", detail.normals, "Also the normal");
  command->add_flag("--witnesses", detail.witnesses, "Also vertices and weights");
  command->add_flag("--iterations", detail.iterations, "Also the solver's iterations");
  command->add_flag("--pieces", detail.pieces, "Also which pieces of compounds are nearest");
  command->add_flag("--contacts", detail.contacts, "Also the corners of the contact area");
  command->add_option("--max-contact-separation", batch->max_contact_separation,
                      "Only contacts nearer than this, metres");
  command->add_flag("--depth-proofs", detail.depth_proofs, "Also why an overlap is so deep");
  command->add_flag("--tolerances", detail.tolerances, "Also what the state is judged by");
}

void AddOptions(CLI::App* command, IntersectionBatch* batch) {
  AddPoses(command, &batch->pairs);
  command->add_flag("--bounds", batch->detail.bounds, "Also what was proved of the gap");
  command->add_flag("--exact", batch->exact, "Exact arithmetic where rounding leaves it open");
}

void AddOptions(CLI::App* command, TimeOfCollisionBatch* batch) {
  AddPoses(command, &batch->pairs);
  const auto add = [command](const char* name, std::vector<double>* column, const char* text) {
    AddNumbers(command, name, column, text)->expected(3);
  };
  add("--displacement-a", &batch->displacements_a, "Of A in t = 0 .. 1, metres");
  add("--displacement-b", &batch->displacements_b, "Of B");
  add("--rotation-a", &batch->rotations_a, "Rotation vector of A, radians");
  add("--rotation-b", &batch->rotations_b, "Of B");
  add("--pivot-a", &batch->pivots_a, "What A turns about, metres (default: its origin)");
  add("--pivot-b", &batch->pivots_b, "What B turns about");
  AddPose(command, "--end-pose-a", &batch->end_poses_a, "Pose of A at t = 1 instead");
  AddPose(command, "--end-pose-b", &batch->end_poses_b, "Pose of B at t = 1 instead");
  command->add_option("--target", batch->target_distances, "Stop this far before contact, metres")
      ->expected(1);
  command->add_flag("--ignore-initial-contact", batch->ignore_initial_contact,
                    "Shapes in contact at t = 0 may leave");
  TimeOfCollisionDetail& detail = batch->detail;
  command->add_flag("--distances", detail.distances, "Also the distance of the contact");
  command->add_flag("--points", detail.points, "Also the closest points of the contact");
  command->add_flag("--normals", detail.normals, "Also the normal of the contact");
  command->add_flag("--proofs", detail.proofs, "Also why it is free before t_free");
  command->add_flag("--pieces", detail.pieces, "Also which pieces of compounds meet");
}

}  // namespace clearance::client
