// SPDX-License-Identifier: Apache-2.0
//
// export, import: shapes and scenes from one server to another through a file.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clearance/scene.h"
#include "client/cli/command.h"
#include "client/cli/importer.h"
#include "client/cli/output.h"
#include "client/cli/progress.h"
#include "client/cli/transfer_file.h"

namespace clearance::client {
namespace {

struct Exported {
  std::uint64_t shapes = 0;
  std::uint64_t scenes = 0;
};

// The file that is written, and the progress.
struct Writing {
  TransferWriter& writer;
  Progress progress;
  Exported written = {};

  template <class Item>
  void Write(const Item& item, std::uint64_t* count) {
    writer.Write(item);
    ++*count;
    progress.Set(written.shapes + written.scenes);
  }
};

// Writes the page's shapes as they are now; a name that was deleted meanwhile is left out.
absl::Status WritePage(const Client& client, const ShapePage& page, Writing* writing) {
  for (const ShapeInfo& info : page.shapes) {
    absl::StatusOr<FoundShape> found = client.Get(ByName{info.name}, /*include_content=*/true);
    if (found.status().code() == absl::StatusCode::kNotFound) continue;
    if (!found.ok()) return found.status();
    if (!found->content) return absl::InternalError("the server sent no content");
    writing->Write(TransferShape{found->info.name, found->info.digest, *std::move(found->content)},
                   &writing->written.shapes);
  }
  return writing->writer.status();
}

// Exports the newest revisions of the kept scenes. A scene with a ttl lives in memory alone and
// goes soon.
absl::Status ExportScenes(const Client& client, const std::string& prefix, Writing* writing) {
  const SceneClient scenes(client);
  const absl::StatusOr<std::vector<SceneInfo>> infos = scenes.List(prefix);
  if (!infos.ok()) return infos.status();
  for (const SceneInfo& info : *infos) {
    if (info.ttl.has_value()) continue;
    absl::StatusOr<FoundScene> found = scenes.Get(info.name, {.include_content = true});
    if (found.status().code() == absl::StatusCode::kNotFound) continue;
    if (!found.ok()) return found.status();
    writing->Write(TransferScene{info.name, std::move(found->content)}, &writing->written.scenes);
    if (!writing->writer.status().ok()) break;
  }
  return writing->writer.status();
}

absl::Status ExportAll(const Client& client, const std::string& prefix, Writing* writing) {
  ListOptions page_wanted = {.prefix = prefix, .page_size = 1000, .page_token = ""};
  do {
    const absl::StatusOr<ShapePage> page = client.ListPage(page_wanted);
    if (!page.ok()) return page.status();
    absl::Status status = WritePage(client, *page, writing);
    if (!status.ok()) return status;
    page_wanted.page_token = page->next_page_token;
  } while (!page_wanted.page_token.empty());
  absl::Status status = ExportScenes(client, prefix, writing);
  return status.ok() ? writing->writer.Finish() : status;
}

int Export(const GlobalOptions& options, const std::string& file, const std::string& prefix) {
  TransferWriter writer(file);
  if (!writer.status().ok()) return ReportError(writer.status());
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  Writing writing = {writer, Progress(options, {.unit = "shapes and scenes"})};
  const absl::Status status = ExportAll(*client, prefix, &writing);
  writing.progress.Hide();
  if (!status.ok()) return ReportError(status);
  const Json answer = {
      {"file", file}, {"shapes", writing.written.shapes}, {"scenes", writing.written.scenes}};
  options.json ? PrintJson(answer) : PrintTable(options, Json::array({answer}));
  return kExitFree;
}

absl::Status ImportAll(TransferReader* reader, Importer* importer, Progress* progress) {
  while (true) {
    const absl::StatusOr<TransferItem> item = reader->Next();
    if (item.status().code() == absl::StatusCode::kOutOfRange) return importer->Flush();
    if (!item.ok()) return item.status();
    if (absl::Status status = importer->Add(*item); !status.ok()) return status;
    progress->Set(reader->bytes_read());
  }
}

int Import(const GlobalOptions& options, const std::string& file, bool replace) {
  absl::StatusOr<TransferReader> reader = TransferReader::Open(file);
  if (!reader.ok()) return ReportError(reader.status());
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  Importer importer(*client, replace);
  Progress progress(options, {"bytes", reader->bytes()});
  const absl::Status status = ImportAll(&*reader, &importer, &progress);
  progress.Hide();
  const Json answer = {{"registered", importer.registered()},
                       {"scenes", importer.scenes()},
                       {"refused", importer.refusals().size()}};
  if (options.json) {
    PrintJson({{"registered", importer.registered()},
               {"scenes", importer.scenes()},
               {"refusals", importer.refusals()}});
  } else {
    PrintTable(options, importer.refusals());
    PrintTable(options, Json::array({answer}));
  }
  if (!status.ok()) return ReportError(status);
  return importer.refusals().empty() ? kExitFree : kExitError;
}

}  // namespace

void AddTransferCommands(CLI::App* app, GlobalOptions* options) {
  auto file = std::make_shared<std::string>();
  auto prefix = std::make_shared<std::string>();
  CLI::App* save =
      app->add_subcommand("export", "Write registered shapes and kept scenes to a file");
  save->add_option("file", *file, "File to write; replaced once all is written")->required();
  save->add_option("--prefix", *prefix, "Only names that begin with this");
  save->callback([=] { options->exit_code = Export(*options, *file, *prefix); });

  auto replace = std::make_shared<bool>(false);
  CLI::App* load = app->add_subcommand(
      "import",
      "Register the shapes of such a file and make its scenes; repeating it does no harm");
  load->add_option("file", *file, "A file of `clearance export`")->required();
  load->add_flag("--replace", *replace, "Let names take the content of the file");
  load->callback([=] { options->exit_code = Import(*options, *file, *replace); });
}

}  // namespace clearance::client
