// SPDX-License-Identifier: Apache-2.0
//
// The C++ client's side of client_rate.py: asks one distance batch over and over through a session,
// and says how many queries a second it had and what the answer was. Every reply must be the
// same.
//
//   client_rate ADDRESS QUESTION ANSWER POINTS MESSAGES IN_FLIGHT
//
// QUESTION holds doubles: the points of two hulls, POINTS each, then poses of B, 7 a row. ANSWER
// gets distances, points of A, points of B and normals.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "clearance/client.h"
#include "clearance/session.h"

namespace clearance::client {
namespace {

constexpr int kPoseNumbers = 7;

[[noreturn]] void Fail(const std::string& text) {
  std::fprintf(stderr, "client_rate: %s\n", text.c_str());
  std::exit(1);
}

void Require(const absl::Status& status) {
  if (!status.ok()) Fail(status.ToString());
}

std::vector<double> ReadDoubles(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (!file || bytes.size() % sizeof(double) != 0) Fail(std::string("cannot read ") + path);
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(numbers.data()));
  return numbers;
}

void WriteAnswer(const char* path, const DistanceResult& answer) {
  std::ofstream file(path, std::ios::binary);
  for (const auto* column :
       {&answer.distances, &answer.points_a, &answer.points_b, &answer.normals}) {
    file.write(reinterpret_cast<const char*>(column->data()),
               static_cast<std::streamsize>(column->size() * sizeof(double)));
  }
  if (!file) Fail(std::string("cannot write ") + path);
}

bool IsSame(const DistanceResult& a, const DistanceResult& b) {
  return a.states == b.states && a.distances == b.distances && a.points_a == b.points_a &&
         a.points_b == b.points_b && a.normals == b.normals;
}

// Seconds for so many messages, with so many of them not yet answered.
double Measure(const SessionMessage& message, const DistanceResult& expected, int messages,
               int in_flight, Session* session) {
  const absl::Time start = absl::Now();
  for (int sent = 0, taken = 0; taken < messages;) {
    if (sent < messages && sent - taken < in_flight) {
      Require(session->Send(message));
      ++sent;
      continue;
    }
    const absl::StatusOr<Reply> reply = session->Next();
    Require(reply.status());
    Require(reply->status);
    if (!IsSame(std::get<DistanceResult>(reply->answer), expected)) Fail("answers differ");
    ++taken;
  }
  return absl::ToDoubleSeconds(absl::Now() - start);
}

int Main(char** arguments) {
  const std::vector<double> question = ReadDoubles(arguments[2]);
  const std::size_t hull_numbers = 3 * std::strtoul(arguments[4], nullptr, 10);
  const int messages = std::atoi(arguments[5]);
  const absl::StatusOr<Client> client = Client::Connect(arguments[1]);
  Require(client.status());
  const std::unique_ptr<Session> session = client->OpenSession({.reopen = false});
  const auto poses = question.begin() + static_cast<std::ptrdiff_t>(2 * hull_numbers);
  for (const std::uint32_t slot : {0u, 1u}) {
    const auto first = question.begin() + static_cast<std::ptrdiff_t>(slot * hull_numbers);
    const std::vector<double> points(first, first + static_cast<std::ptrdiff_t>(hull_numbers));
    Require(session->Open(slot, Shape{.kind = Hull{points, {}, {}}}).status());
  }
  DistanceBatch batch;
  batch.pairs.poses_b.assign(poses, question.end());
  batch.pairs.count = static_cast<std::uint32_t>(batch.pairs.poses_b.size() / kPoseNumbers);
  batch.detail.points = true;
  batch.detail.normals = true;
  const absl::StatusOr<DistanceResult> expected = session->Ask(batch);
  Require(expected.status());
  WriteAnswer(arguments[3], *expected);
  const double seconds =
      Measure(batch, *expected, messages, std::atoi(arguments[6]), session.get());
  std::printf("%.0f\n", messages * static_cast<double>(batch.pairs.count) / seconds);
  return 0;
}

}  // namespace
}  // namespace clearance::client

int main(int count, char** arguments) {
  constexpr int kArguments = 7;
  if (count != kArguments) {
    std::fprintf(stderr, "usage: client_rate ADDRESS QUESTION ANSWER POINTS MESSAGES IN_FLIGHT\n");
    return 2;
  }
  return clearance::client::Main(arguments);
}
