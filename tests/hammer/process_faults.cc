// SPDX-License-Identifier: Apache-2.0

#include "tests/hammer/process_faults.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <vector>

namespace clearance::hammer {
namespace {

class Kill final : public ProcessFault {
 public:
  bool Prepare(const std::string& /*data_dir*/) override { return true; }
  void Begin(const test::ServerProcess& server) override { kill(server.pid(), SIGKILL); }
  void End(const test::ServerProcess& /*server*/) override {}
  bool is_survived() const override { return false; }
};

class Stop final : public ProcessFault {
 public:
  bool Prepare(const std::string& /*data_dir*/) override { return true; }
  void Begin(const test::ServerProcess& server) override { kill(server.pid(), SIGSTOP); }
  void End(const test::ServerProcess& server) override { kill(server.pid(), SIGCONT); }
  bool is_survived() const override { return true; }
};

// Lowers the soft limit of a resource to nothing.
class Limit final : public ProcessFault {
 public:
  Limit(__rlimit_resource resource, bool is_survived)
      : resource_(resource), is_survived_(is_survived) {}

  bool Prepare(const std::string& /*data_dir*/) override { return true; }
  void Begin(const test::ServerProcess& server) override {
    prlimit(server.pid(), resource_, nullptr, &before_);
    const rlimit none = {.rlim_cur = 0, .rlim_max = before_.rlim_max};
    prlimit(server.pid(), resource_, &none, nullptr);
  }
  void End(const test::ServerProcess& server) override {
    prlimit(server.pid(), resource_, &before_, nullptr);
  }
  bool is_survived() const override { return is_survived_; }

 private:
  const __rlimit_resource resource_;
  const bool is_survived_;
  rlimit before_ = {};
};

// A disk of memory, filled to the last page.
class FullDisk final : public ProcessFault {
 public:
  ~FullDisk() override {
    if (!data_dir_.empty()) umount2(data_dir_.c_str(), MNT_DETACH);
  }
  bool Prepare(const std::string& data_dir) override {
    std::filesystem::create_directory(data_dir);
    if (mount("tmpfs", data_dir.c_str(), "tmpfs", 0, "size=64m,mode=0700") != 0) return false;
    data_dir_ = data_dir;
    return true;
  }
  void Begin(const test::ServerProcess& /*server*/) override {
    const int file = open(Filler().c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const std::vector<char> block(1 << 16, 'x');
    for (std::size_t size = block.size(); size > 0;) {
      if (write(file, block.data(), size) <= 0) size /= 2;
    }
    close(file);
  }
  void End(const test::ServerProcess& /*server*/) override { unlink(Filler().c_str()); }
  bool is_survived() const override { return true; }

 private:
  std::string Filler() const { return data_dir_ + "/filler"; }

  std::string data_dir_;  // "": not mounted
};

}  // namespace

std::unique_ptr<ProcessFault> MakeProcessFault(const std::string& kind) {
  if (kind == "kill") return std::make_unique<Kill>();
  if (kind == "stop") return std::make_unique<Stop>();
  if (kind == "descriptors") return std::make_unique<Limit>(RLIMIT_NOFILE, true);
  if (kind == "memory") return std::make_unique<Limit>(RLIMIT_AS, false);
  if (kind == "disk") return std::make_unique<FullDisk>();
  return nullptr;
}

}  // namespace clearance::hammer
