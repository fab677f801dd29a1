// SPDX-License-Identifier: Apache-2.0
//
// A real program as a child of the test. Its stderr is read as it comes, so that a test waits for
// what the program says, never for time to pass; ctest's timeout is the guard against waiting for
// ever. A program that cannot be started is an error, whatever the test expects of it:
// std::runtime_error, "cannot start etcd: No such file or directory".

#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace clearance::test {

// A new empty directory that goes with its contents at the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string File(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Killed, if it still runs, when it is destroyed.
class ChildProcess {
 public:
  // `command` is the program's path (or name) and its arguments; stdout goes the way of stderr.
  // Throws if it cannot be started.
  explicit ChildProcess(const std::vector<std::string>& command);
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  pid_t pid() const { return pid_; }
  void Signal(int signal) const;
  // The exit code, or minus the signal that ended it.
  int WaitForExit();
  // Whether it has ended by now.
  bool HasEnded();
  // False if the program closed its output before it wrote such a line.
  bool WaitForLine(const std::string& part);
  // Until the program has closed its output.
  void WaitForOutput();
  // Everything written so far.
  std::string output() const;

 private:
  void Collect(int descriptor);
  void Reap(int options);

  pid_t pid_ = 0;
  bool reaped_ = false;
  int exit_code_ = 0;
  mutable std::mutex mutex_;  // guards output_ and closed_
  std::condition_variable written_;
  std::string output_;
  bool closed_ = false;
  std::thread collector_;
};

// clearance-server on free ports of the loopback, ready unless it failed (then the ports are 0).
class ServerProcess {
 public:
  explicit ServerProcess(const std::vector<std::string>& arguments = {});

  ChildProcess& process() { return process_; }
  pid_t pid() const { return process_.pid(); }
  int http_port() const { return http_port_; }
  int grpc_port() const { return grpc_port_; }
  std::string grpc_address() const { return "127.0.0.1:" + std::to_string(grpc_port_); }

 private:
  TemporaryDirectory directory_;
  ChildProcess process_;
  int grpc_port_ = 0;
  int http_port_ = 0;
};

// Runs a program, or clearance-server, to its end.
struct Completed {
  int exit_code;
  std::string output;
};
Completed RunProgram(const std::vector<std::string>& command);
Completed RunServerProgram(const std::vector<std::string>& arguments);

}  // namespace clearance::test
