// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/process/server_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

extern char** environ;

namespace clearance::test {
namespace {

// Starts `command` with both outputs going to the descriptor `output`; 0 or why it cannot.
int Spawn(std::vector<std::string> command, int output, pid_t* pid) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  const int error = posix_spawnp(pid, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

std::vector<std::string> Command(const std::vector<std::string>& first,
                                 const std::vector<std::string>& rest) {
  std::vector<std::string> command = {CLEARANCE_SERVER_PROGRAM};
  command.insert(command.end(), first.begin(), first.end());
  command.insert(command.end(), rest.begin(), rest.end());
  return command;
}

}  // namespace

TemporaryDirectory::TemporaryDirectory() {
  std::string pattern = std::filesystem::temp_directory_path() / "clearance_test_XXXXXX";
  path_ = mkdtemp(pattern.data());
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

ChildProcess::ChildProcess(const std::vector<std::string>& command) {
  std::array<int, 2> ends;
  if (pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
  const int error = Spawn(command, ends[1], &pid_);
  close(ends[1]);
  if (error != 0) {
    close(ends[0]);
    throw std::runtime_error("cannot start " + command[0] + ": " +
                             std::generic_category().message(error));
  }
  collector_ = std::thread([this, descriptor = ends[0]] { Collect(descriptor); });
}

ChildProcess::~ChildProcess() {
  if (!reaped_) {
    Signal(SIGKILL);
    WaitForExit();
  }
  collector_.join();
}

void ChildProcess::Collect(int descriptor) {
  std::array<char, 4096> buffer;
  for (ssize_t n = 0; (n = read(descriptor, buffer.data(), buffer.size())) > 0;) {
    const std::lock_guard lock(mutex_);
    output_.append(buffer.data(), static_cast<std::size_t>(n));
    written_.notify_all();
  }
  close(descriptor);
  const std::lock_guard lock(mutex_);
  closed_ = true;
  written_.notify_all();
}

// Once it is reaped another process may have its number.
void ChildProcess::Signal(int signal) const {
  if (!reaped_) kill(pid_, signal);
}

int ChildProcess::WaitForExit() {
  Reap(0);
  return exit_code_;
}

bool ChildProcess::HasEnded() {
  Reap(WNOHANG);
  return reaped_;
}

void ChildProcess::Reap(int options) {
  int status = 0;
  if (reaped_ || waitpid(pid_, &status, options) != pid_) return;
  reaped_ = true;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

bool ChildProcess::WaitForLine(const std::string& part) {
  std::unique_lock lock(mutex_);
  const auto is_there = [this, &part] { return output_.find(part) != std::string::npos; };
  written_.wait(lock, [&] { return closed_ || is_there(); });
  return is_there();
}

void ChildProcess::WaitForOutput() {
  std::unique_lock lock(mutex_);
  written_.wait(lock, [this] { return closed_; });
}

std::string ChildProcess::output() const {
  const std::lock_guard lock(mutex_);
  return output_;
}

ServerProcess::ServerProcess(const std::vector<std::string>& arguments)
    : process_(Command({"--listen=127.0.0.1:0", "--http_listen=127.0.0.1:0",
                        "--port_file=" + directory_.File("ports.json")},
                       arguments)) {
  if (!process_.WaitForLine("serving")) return;
  const nlohmann::json ports =
      nlohmann::json::parse(std::ifstream(directory_.File("ports.json")), nullptr, false);
  grpc_port_ = ports.value("grpc_port", 0);
  http_port_ = ports.value("http_port", 0);
}

Completed RunProgram(const std::vector<std::string>& command) {
  ChildProcess process(command);
  const int exit_code = process.WaitForExit();
  // Whatever is missing of the output is still in the pipe.
  process.WaitForOutput();
  return {exit_code, process.output()};
}

Completed RunServerProgram(const std::vector<std::string>& arguments) {
  return RunProgram(Command({}, arguments));
}

}  // namespace clearance::test
