// SPDX-License-Identifier: Apache-2.0
//
// clearance-score --server ADDRESS PATH…
//
// Asks a running server what files with known answers ask, through the C++ client library (scenes
// by the stubs), and judges what it says. Each PATH is a case file (*.jsonl), a folder of case
// files, or a data folder (shapes.jsonl and answers_*.jsonl). Exit code: 0 all that was judged
// passed, 1 something failed, 2 some input could not be read or there is no server.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "clearance/client.h"
#include "tests/acceptance/asker.h"
#include "tests/acceptance/case_file.h"
#include "tests/acceptance/data_folder.h"
#include "tests/acceptance/registrar.h"
#include "tests/acceptance/report.h"
#include "tests/acceptance/scene_asker.h"

ABSL_FLAG(std::string, server, "127.0.0.1:50051", "address of the server, as gRPC takes it");

namespace clearance::acceptance {
namespace {

namespace fs = std::filesystem;

TaskFile Unreadable(const fs::path& path, const std::string& why) {
  TaskFile file;
  file.name = path.string();
  file.unreadable.push_back(path.string() + ": " + why);
  return file;
}

std::vector<TaskFile> ReadCaseFolder(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::vector<std::string> skipped;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".jsonl") {
      paths.push_back(entry.path());
    } else {
      skipped.push_back("not looked at: " + entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<TaskFile> files;
  for (const fs::path& path : paths) files.push_back(ReadCaseFile(path));
  if (files.empty()) files.push_back(Unreadable(folder, "no *.jsonl file"));
  files.back().notes.insert(files.back().notes.end(), skipped.begin(), skipped.end());
  return files;
}

std::vector<TaskFile> Read(const fs::path& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (!fs::exists(path, error)) return {Unreadable(path, "does not exist")};
    return {ReadCaseFile(path)};
  }
  if (fs::exists(path / "shapes.jsonl", error)) return {ReadDataFolder(path)};
  return ReadCaseFolder(path);
}

std::vector<Question> AllQuestions(const TaskFile& file) {
  std::vector<Question> questions;
  for (const Task& task : file.tasks) {
    questions.insert(questions.end(), task.questions.begin(), task.questions.end());
  }
  return questions;
}

int Run(const std::vector<char*>& paths) {
  const std::string address = absl::GetFlag(FLAGS_server);
  const absl::StatusOr<client::Client> client = client::Client::Connect(address);
  if (!client.ok()) {
    std::cerr << "no server: " << client.status() << "\n";
    return 2;
  }
  const absl::StatusOr<client::ServerInfo> info = client->GetServerInfo();
  if (!info.ok()) {
    std::cerr << "no server: " << info.status() << "\n";
    return 2;
  }
  std::cout << "sizes in tolerances are the larger diagonal of both shapes' bounding boxes\n";
  Report report(std::cout);
  for (const char* path : paths) {
    for (TaskFile& file : Read(path)) {
      RegisterShapes(*client, info->limits, &file);
      const std::vector<Question> questions = AllQuestions(file);
      std::vector<Answer> answers = AskAll(*client, info->limits, file.shapes, questions);
      AskInScene({*client, address}, file, questions, absl::MakeSpan(answers));
      report.Add(file, answers);
    }
  }
  report.Finish();
  return report.ExitCode();
}

}  // namespace
}  // namespace clearance::acceptance

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "--server ADDRESS PATH…\nJudges a server by files with known answers.");
  std::vector<char*> paths = absl::ParseCommandLine(argc, argv);
  paths.erase(paths.begin());
  if (paths.empty()) {
    std::cerr << "usage: clearance-score --server ADDRESS PATH…\n";
    return 2;
  }
  return clearance::acceptance::Run(paths);
}
