// SPDX-License-Identifier: Apache-2.0
//
// query: questions from a file, through one session, some messages ahead of the answers. A row that
// cannot be asked is reported, and answered as refused among the others.
#include <cstdio>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "clearance/session.h"
#include "client/cli/command.h"
#include "client/cli/progress.h"
#include "client/cli/query_options.h"
#include "client/cli/question_file.h"
#include "client/cli/read_file.h"
#include "client/cli/row_output.h"
#include "client/cli/row_writer.h"
#include "client/cli/shape_argument.h"

namespace clearance::client {
namespace {

// Groups that may be sent before the answer to the first is read.
constexpr std::size_t kGroupsAhead = 4;

template <class Batch>
struct FileQuery {
  std::string file;
  std::string shape_a;
  std::string shape_b;
  std::string format;                // empty: by the file's name
  std::vector<std::string> columns;  // of an array
  std::size_t rows = 4096;           // of a group
  bool is_csv = false;
  MeshOptions mesh;
  Batch batch;  // defaults for fields that rows leave out
};

// A field, and the column of a batch that it goes to.
template <class Batch>
struct BoundField {
  Field field;
  std::vector<double>& (*column)(Batch*);
};

// Returns the column of the file for a column of a batch and the row in it: "pose_b" of
// "poses_b[3]".
std::string FieldOf(const std::string& path) {
  std::string name = path.substr(0, path.rfind('['));
  if (name == "target_distances") return "target";
  const std::size_t body = name.rfind("s_");
  if (body != std::string::npos) {
    name.erase(body, 1);  // "slot_b" stands for the column `b`
  } else if (absl::EndsWith(name, "s")) {
    name.pop_back();
  }
  return std::string(absl::StripPrefix(name, "slot_"));
}

// Returns the fields of all columns of numbers that such a batch has.
template <class Batch>
// NOLINTNEXTLINE(readability-function-size): a branch for each name of columns.def
std::vector<BoundField<Batch>> FieldsOf(const Batch& /*kind*/) {
  std::vector<BoundField<Batch>> fields;
#define FIELD(name, width, member)                                                          \
  if constexpr (requires(Batch * batch, std::vector<double> * column) {                     \
                  column = &batch->member;                                                  \
                }) {                                                                        \
    fields.push_back({{FieldOf(#name), width},                                              \
                      [](Batch* batch) -> std::vector<double>& { return batch->member; }}); \
  }
#define QUESTION(name, width, each) FIELD(name, width, pairs.name) FIELD(name, width, name)
#include "proto/columns.def"
#undef FIELD
  return fields;
}

Error ToError(const absl::Status& status) {
  if (std::optional<Error> error = ErrorDetail(status)) return *std::move(error);
  Error error;
  error.code = status.code();
  error.message = std::string(status.message());
  return error;
}

// Puts the shapes that rows name into slots of a session, each once.
class SlotTable {
 public:
  SlotTable(Session* session, std::uint64_t max_slots, MeshOptions mesh)
      : session_(*session), max_slots_(max_slots), mesh_(std::move(mesh)) {}

  // Returns whether the shapes of one more row have room.
  bool HasRoom() const { return next_ + 2 <= max_slots_; }
  // Makes the slots free. Earlier messages may name them: messages keep their order.
  void Clear() {
    slots_.clear();
    next_ = 0;
  }

  absl::StatusOr<std::uint32_t> Find(const std::string& argument) {
    const auto found = slots_.find(argument);
    if (found != slots_.end()) return found->second;
    return slots_.emplace(argument, Open(argument)).first->second;
  }

 private:
  absl::StatusOr<std::uint32_t> Open(const std::string& argument) {
    if (argument.empty()) return absl::InvalidArgumentError("no shape: neither the row's nor all");
    const absl::StatusOr<ShapeReference> shape = ParseShapeArgument(argument, mesh_);
    if (!shape.ok()) return shape.status();
    const absl::StatusOr<OpenedShape> opened = session_.Open(next_, *shape);
    if (!opened.ok()) return opened.status();
    return next_++;
  }

  Session& session_;
  const std::uint64_t max_slots_;
  const MeshOptions mesh_;
  std::map<std::string, absl::StatusOr<std::uint32_t>> slots_;
  std::uint32_t next_ = 0;
};

// Names the column of the file in a refusal of the server.
void NameColumn(Json* error) {
  const std::string path = (*error)["field"];
  const std::string message = (*error)["message"];
  (*error)["field"] = FieldOf(path);
  (*error)["message"] = absl::StrReplaceAll(message, {{path, FieldOf(path)}});
}

// The destination of the answers.
struct Answers {
  std::string name;         // of the file that the rows come from
  std::istream& file;       // its read position is the progress
  std::uint64_t bytes = 0;  // its total size; 0 if unknown
  RowWriter writer;
  Progress progress;
  CodeTally codes = {};
};

template <class Batch>
class FileAsker {
 public:
  // All outlive this.
  FileAsker(const FileQuery<Batch>& query, const Limits& limits, Session* session, Answers* answers)
      : query_(query),
        fields_(FieldsOf(query.batch)),
        session_(*session),
        slots_(session, limits.max_slots_per_session, query.mesh),
        answers_(*answers),
        batch_(query.batch) {}

  // Asks every row that can be read. The status is the session's or the file's; rows have their
  // own.
  absl::Status Run(QuestionReader* reader);
  // After Run(): reports the first row whose answer never came, if there is one.
  void TellWhatIsUnknown() const;

 private:
  using Result = typename decltype(std::declval<Session>().Ask(std::declval<Batch>()))::value_type;

  struct Row {
    std::uint64_t number = 0;
    std::string place;
    Json id;
    std::optional<Error> fault;  // then it is not asked
  };
  // The rows of one message, and those between them that are not asked.
  struct Group {
    std::vector<Row> rows;
    std::uint32_t asked = 0;
  };

  absl::Status Add(QuestionRow row);
  // Closes the group if the row cannot be asked with it: a column has all rows of a message or one
  // for all of them, and slots are used again only after it.
  absl::Status MakeRoomFor(const QuestionRow& row);
  // Puts the row's shapes into the batch, or returns the fault.
  std::optional<Error> TakeShapes(const QuestionRow& row);
  void TakeNumbers(const QuestionRow& row);
  // Sends the gathered rows.
  absl::Status Close();
  // Writes the answers to the earliest group.
  absl::Status TakeAnswers();
  Json RowsOf(const Group& group, const absl::StatusOr<Result>& result);
  // Returns the progress in bytes, or in rows if the total size is unknown.
  std::uint64_t Done() const;

  const FileQuery<Batch>& query_;
  const std::vector<BoundField<Batch>> fields_;
  Session& session_;
  SlotTable slots_;
  Answers& answers_;
  Batch batch_;
  std::vector<bool> given_;  // the fields that each row of the group has
  Group group_;
  std::deque<Group> sent_;
  std::uint64_t next_row_ = 0;
};

template <class Batch>
absl::Status FileAsker<Batch>::Run(QuestionReader* reader) {
  absl::Status end;
  absl::Status status;
  // After stdout has failed, there is nothing to ask: main() reports it.
  for (bool is_open = true; is_open && status.ok() && std::ferror(stdout) == 0;) {
    absl::StatusOr<QuestionRow> row = reader->Next();
    is_open = row.ok();
    if (!is_open && !absl::IsOutOfRange(row.status())) end = InFile(answers_.name, row.status());
    status = is_open ? Add(*std::move(row)) : Close();
  }
  // A session that has ended still returns the answers that had arrived.
  absl::Status taken;
  while (!sent_.empty() && taken.ok()) taken = TakeAnswers();
  if (!status.ok()) return status;
  return taken.ok() ? end : taken;
}

template <class Batch>
void FileAsker<Batch>::TellWhatIsUnknown() const {
  const Group& first = sent_.empty() ? group_ : sent_.front();
  if (first.rows.empty()) return;
  const Row& row = first.rows.front();
  absl::FPrintF(stderr, "%s: %s: nothing is known of row %d and of those after it\n", answers_.name,
                row.place, row.number);
}

template <class Batch>
absl::Status FileAsker<Batch>::Add(QuestionRow row) {
  if (!row.fault) {
    if (absl::Status status = MakeRoomFor(row); !status.ok()) return status;
    row.fault = TakeShapes(row);
    if (!row.fault) TakeNumbers(row);
  }
  const std::optional<absl::Status> end = row.fault ? session_.end() : std::nullopt;
  group_.rows.push_back({next_row_++, std::move(row.place), std::move(row.id), row.fault});
  if (end) return *end;
  return group_.rows.size() >= query_.rows ? Close() : absl::OkStatus();
}

template <class Batch>
absl::Status FileAsker<Batch>::MakeRoomFor(const QuestionRow& row) {
  std::vector<bool> given;
  for (const std::vector<double>& numbers : row.numbers) given.push_back(!numbers.empty());
  if (group_.asked > 0 && given != given_) {
    if (absl::Status status = Close(); !status.ok()) return status;
  }
  given_ = std::move(given);
  if (slots_.HasRoom()) return absl::OkStatus();
  absl::Status status = Close();
  slots_.Clear();
  return status;
}

template <class Batch>
std::optional<Error> FileAsker<Batch>::TakeShapes(const QuestionRow& row) {
  std::uint32_t slots[2] = {};
  for (const int i : {0, 1}) {
    const std::string& own = i == 0 ? row.shape_a : row.shape_b;
    const std::string& argument = !own.empty() ? own : i == 0 ? query_.shape_a : query_.shape_b;
    const absl::StatusOr<std::uint32_t> slot = slots_.Find(argument);
    if (!slot.ok()) {
      Error error = ToError(slot.status());
      error.field = i == 0 ? "a" : "b";
      error.value = argument;
      if (error.limit.empty()) error.limit = "a shape";
      return error;
    }
    slots[i] = *slot;
  }
  batch_.pairs.slots_a.push_back(slots[0]);
  batch_.pairs.slots_b.push_back(slots[1]);
  return std::nullopt;
}

template <class Batch>
void FileAsker<Batch>::TakeNumbers(const QuestionRow& row) {
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (row.numbers[i].empty()) continue;
    std::vector<double>& column = fields_[i].column(&batch_);
    if (group_.asked == 0) column.clear();  // of the value for all rows
    column.insert(column.end(), row.numbers[i].begin(), row.numbers[i].end());
  }
  ++group_.asked;
}

template <class Batch>
absl::Status FileAsker<Batch>::Close() {
  if (group_.rows.empty()) return absl::OkStatus();
  batch_.pairs.count = group_.asked;
  const Batch batch = std::exchange(batch_, query_.batch);
  sent_.push_back(std::exchange(group_, {}));
  if (sent_.back().asked > 0) {
    if (absl::Status status = session_.Send(batch); !status.ok()) return status;
  }
  return sent_.size() > kGroupsAhead ? TakeAnswers() : absl::OkStatus();
}

template <class Batch>
absl::Status FileAsker<Batch>::TakeAnswers() {
  const Group& group = sent_.front();
  absl::StatusOr<Result> result = Result();
  if (group.asked > 0) {
    absl::StatusOr<Reply> reply = session_.Next();
    if (!reply.ok()) return reply.status();
    if (reply->status.ok()) {
      result = std::get<Result>(std::move(reply->answer));
    } else {
      result = reply->status;
    }
  }
  answers_.writer.Write(RowsOf(group, result));
  sent_.pop_front();
  answers_.progress.Set(Done());
  return absl::OkStatus();
}

template <class Batch>
std::uint64_t FileAsker<Batch>::Done() const {
  if (answers_.bytes == 0) return next_row_;
  const std::streamoff place = answers_.file.tellg();
  return place < 0 ? answers_.bytes : static_cast<std::uint64_t>(place);  // at its end
}

template <class Batch>
Json FileAsker<Batch>::RowsOf(const Group& group, const absl::StatusOr<Result>& result) {
  const Json answered = result.ok() ? ToJson(*result) : Json();
  Json rows = Json::array();
  std::size_t next = 0;
  for (const Row& row : group.rows) {
    Json line = {{"row", row.number}};
    if (!row.id.is_null()) line["id"] = row.id;
    if (row.fault || !result.ok()) {
      line["state"] = "REFUSED";
      line["error"] = ToJson(row.fault ? *row.fault : ToError(result.status()));
      answers_.codes.Add(kExitError);
    } else {
      Json answer = answered[next];
      answer.erase("row");
      line.update(answer);
      if (line.contains("error")) NameColumn(&line["error"]);
      answers_.codes.Add(CodeOf(result->states[next++]));
    }
    if (line.contains("error")) {
      answers_.progress.Hide();
      absl::FPrintF(stderr, "%s: %s: %s\n", answers_.name, row.place, CellText(line["error"]));
    }
    rows.push_back(std::move(line));
  }
  return rows;
}

absl::StatusOr<QuestionFormat> ChooseFormat(const std::string& name, const std::string& file) {
  // The file name that would have this format.
  const std::optional<QuestionFormat> format = FormatOf(name.empty() ? file : "." + name);
  if (format) return *format;
  return absl::InvalidArgumentError(
      absl::StrCat(file, ": neither .csv, .jsonl nor .npy; say which with --from"));
}

template <class Batch>
absl::StatusOr<QuestionLayout> LayoutOf(const FileQuery<Batch>& query) {
  const absl::StatusOr<QuestionFormat> format = ChooseFormat(query.format, query.file);
  if (!format.ok()) return format.status();
  QuestionLayout layout = {.format = *format, .columns = query.columns};
  for (const auto& bound : FieldsOf(query.batch)) layout.fields.push_back(bound.field);
  return layout;
}

RowFormat OutputFormat(const GlobalOptions& options, bool is_csv) {
  if (options.json) return RowFormat::kJsonLines;
  return is_csv ? RowFormat::kCsv : RowFormat::kTable;
}

// Returns the size in bytes; 0 if unknown.
std::uint64_t SizeOf(const std::string& file) {
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(file, error);
  return error ? 0 : size;
}

template <class Batch>
int AskFile(const GlobalOptions& options, const FileQuery<Batch>& query) {
  const absl::StatusOr<QuestionLayout> layout = LayoutOf(query);
  if (!layout.ok()) return ReportError(layout.status());
  absl::StatusOr<std::ifstream> opened = std::ifstream();
  if (query.file != "-") opened = OpenFile(query.file);
  if (!opened.ok()) return ReportError(opened.status());
  std::istream& file = query.file == "-" ? std::cin : *opened;
  const auto reader = OpenQuestions(*layout, &file);
  if (!reader.ok()) return ReportError(InFile(query.file, reader.status()));
  const absl::StatusOr<Client> client = options.Connect();
  if (!client.ok()) return ReportError(client.status());
  const absl::StatusOr<ServerInfo> info = client->GetServerInfo();
  if (!info.ok()) return ReportError(info.status());
  const std::unique_ptr<Session> session =
      client->OpenSession({.reopen_within = absl::Seconds(options.timeout_s)});
  const std::uint64_t bytes = SizeOf(query.file);
  Answers answers = {
      query.file, file, bytes,
      RowWriter(OutputFormat(options, query.is_csv), options.wide, ColumnsOf(query.batch)),
      Progress(options, {bytes == 0 ? "rows" : "bytes", bytes, /*streams_rows=*/true})};
  FileAsker<Batch> asker(query, info->limits, session.get(), &answers);
  absl::Status status = asker.Run(reader->get());
  if (status.ok()) status = session->Finish();
  answers.progress.Hide();
  if (status.ok()) return answers.codes.Worst();
  asker.TellWhatIsUnknown();
  return ReportError(status);
}

template <class Batch>
void AddFileQuery(CLI::App* query, GlobalOptions* options, const char* kind, const char* text) {
  const auto arguments = std::make_shared<FileQuery<Batch>>();
  CLI::App* const command = query->add_subcommand(kind, text);
  command->add_option("file", arguments->file, "CSV, JSON lines or an array of NumPy; -: stdin")
      ->required();
  command->add_option("a", arguments->shape_a, "Shape A of rows that name none");
  command->add_option("b", arguments->shape_b, "Shape B of rows that name none");
  command->add_option("--from", arguments->format, "Format of the file, whatever its name")
      ->check(CLI::IsMember({"csv", "jsonl", "npy"}));
  arguments->columns = {"pose_b"};
  command
      ->add_option("--columns", arguments->columns, "Fields of the columns of an array, in order")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->capture_default_str();
  command->add_option("--rows", arguments->rows, "Rows a message")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--csv", arguments->is_csv, "Print CSV instead of tables");
  AddMeshOptions(command, &arguments->mesh);
  AddOptions(command, &arguments->batch);
  command->callback([=] { options->exit_code = AskFile(*options, *arguments); });
}

}  // namespace

void AddFileQueryCommand(CLI::App* app, GlobalOptions* options) {
  CLI::App* const query = app->add_subcommand(
      "query", "Ask the rows of a file; --json prints an object a line, --csv a table of numbers");
  query->require_subcommand(1);
  query->fallthrough();
  AddFileQuery<DistanceBatch>(query, options, "distance", "How far apart are the rows' shapes?");
  AddFileQuery<IntersectionBatch>(query, options, "intersect", "Do the rows' shapes touch?");
  AddFileQuery<TimeOfCollisionBatch>(query, options, "toc", "When do the rows' shapes first meet?");
}

}  // namespace clearance::client
