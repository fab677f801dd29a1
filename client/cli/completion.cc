// SPDX-License-Identifier: Apache-2.0
//
// completion: scripts for shells, made of the same tree of commands and options that reads the
// command line. Each script holds two tables by place ("clearance scene"): the words that may
// follow, and the options with the number of values they take and their kind. The script finds the
// place of the cursor by walking the words before it.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "client/cli/command.h"

namespace clearance::client {
namespace {

// An option under one of its names.
struct OptionName {
  std::string name;  // "--json"
  std::string text;
  int values = 0;
  std::string kind;  // of values: "number", "text" (a file as well), or the words to choose from
};

struct CommandPlace {
  std::string place;  // "clearance scene"
  std::vector<std::pair<std::string, std::string>> words = {};
  std::vector<OptionName> options = {};
};

// Returns the words of a type "TEXT:{csv,jsonl}", else the kind of its values.
std::string KindOf(const std::string& type) {
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}');
  if (open != std::string::npos && close != std::string::npos && open < close) {
    return absl::StrReplaceAll(type.substr(open + 1, close - open - 1), {{",", " "}});
  }
  const bool is_text = absl::StartsWith(type, "TEXT") || absl::StrContains(type, "FILE");
  return is_text ? "text" : "number";
}

void AddNames(const CLI::Option& option, std::vector<OptionName>* names) {
  // An option that takes a list takes it as one word.
  constexpr int kList = 100;
  const int most = option.get_items_expected_max();
  const int values = most < kList ? most : 1;
  const std::string kind = values == 0 ? "none" : KindOf(option.get_type_name());
  const auto add = [&](const std::string& name) {
    names->push_back({name, option.get_description(), values, kind});
  };
  for (const std::string& name : option.get_lnames()) add(absl::StrCat("--", name));
  for (const std::string& name : option.get_snames()) add(absl::StrCat("-", name));
}

// Adds the options of a command and of its groups.
void AddOptionsOf(const CLI::App& app, CommandPlace* added) {
  for (const CLI::Option* const option : app.get_options(nullptr)) {
    AddNames(*option, &added->options);
    // An argument that is one of some words stands where a command would.
    if (!option->get_positional() || option->get_type_name().find('{') == std::string::npos)
      continue;
    for (const absl::string_view word : absl::StrSplit(KindOf(option->get_type_name()), ' ')) {
      added->words.emplace_back(word, option->get_description());
    }
  }
  for (const CLI::App* const group : Below(app, /*is_group=*/true)) AddOptionsOf(*group, added);
}

// Adds this command and those below it.
void AddPlaces(const CLI::App& app, const std::string& place, std::vector<CommandPlace>* places) {
  CommandPlace added = {.place = place};
  AddOptionsOf(app, &added);
  const std::vector<const CLI::App*> below = Below(app, /*is_group=*/false);
  for (const CLI::App* const word : below) {
    added.words.emplace_back(word->get_name(), word->get_description());
  }
  places->push_back(std::move(added));
  for (const CLI::App* const word : below) {
    AddPlaces(*word, absl::StrCat(place, " ", word->get_name()), places);
  }
}

std::vector<CommandPlace> AllPlaces(const CLI::App& app) {
  std::vector<CommandPlace> places;
  AddPlaces(app, app.get_name(), &places);
  return places;
}

// Quotes for bash and zsh, in single quotes.
std::string ShellQuoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

// Quotes for fish, in single quotes.
std::string FishQuoted(const std::string& text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"\\", "\\\\"}, {"'", "\\'"}}), "'");
}

// Returns the argument that zsh's _describe takes: the name, a colon, the text.
std::string Described(const std::string& name, const std::string& text) {
  return ShellQuoted(absl::StrCat(name, ":", text));
}

// One arm of a shell's `case` for each place that has any of these lines.
std::string Arms(const std::vector<CommandPlace>& places,
                 const std::function<std::string(const CommandPlace&)>& body) {
  std::string arms;
  for (const CommandPlace& place : places) {
    const std::string text = body(place);
    if (!text.empty())
      absl::StrAppend(&arms, "    ", ShellQuoted(place.place), ") ", text, " ;;\n");
  }
  return arms;
}

// For bash and zsh.
constexpr char kWalk[] =
    R"(# _clearance_walk WORD... sets clearance_place, and what the next word is to the option before it.
_clearance_walk() {
  clearance_place=clearance clearance_values=0 clearance_kind=none
  local after_colon=0 word
  for word in "$@"; do
    if [[ $word == : ]]; then
      after_colon=1
    elif ((after_colon)); then
      after_colon=0
    elif [[ $word == '=' ]]; then
      continue
    elif ((clearance_values > 0)); then
      # Numbers may stand in one word.
      [[ $word == *,* ]] && clearance_values=1
      clearance_values=$((clearance_values - 1))
    elif [[ $word == -*=* ]]; then
      continue
    elif [[ $word == -* ]]; then
      _clearance_option "$clearance_place" "$word"
    elif _clearance_is_word "$clearance_place" "$word"; then
      clearance_place="$clearance_place $word"
    fi
  done
}

)";

// Functions that bash and zsh both take. An option of a command is also one of those below it.
std::string SharedFunctions(const std::vector<CommandPlace>& places) {
  std::string options;
  for (const CommandPlace& place : places) {
    for (const OptionName& option : place.options) {
      absl::StrAppend(&options, "    ", ShellQuoted(absl::StrCat(place.place, " ", option.name)),
                      ") clearance_values=", option.values,
                      " clearance_kind=", ShellQuoted(option.kind), " ;;\n");
    }
  }
  const std::string known = Arms(places, [](const CommandPlace& place) {
    std::vector<std::string> arms;
    for (const auto& [word, text] : place.words) arms.push_back(ShellQuoted(word));
    return arms.empty()
               ? ""
               : absl::StrCat("case $2 in ", absl::StrJoin(arms, "|"), ") return 0 ;; esac");
  });
  return absl::StrCat(R"(# _clearance_is_word PLACE WORD
_clearance_is_word() {
  case $1 in
)",
                      known, R"(  esac
  return 1
}

# _clearance_option PLACE NAME sets clearance_values and clearance_kind.
_clearance_option() {
  local place=$1
  clearance_values=0 clearance_kind=none
  while :; do
    case "$place $2" in
)",
                      options, R"(    *)
      [[ $place == *' '* ]] || return
      place=${place% *}
      continue ;;
    esac
    return
  done
}

)",
                      kWalk);
}

std::string BashScript(const std::vector<CommandPlace>& places) {
  const std::string words = Arms(places, [](const CommandPlace& place) {
    std::vector<std::string> names;
    for (const auto& [word, text] : place.words) names.push_back(word);
    return names.empty()
               ? ""
               : absl::StrCat("clearance_words+=", ShellQuoted(absl::StrJoin(names, " ")));
  });
  const std::string options = Arms(places, [](const CommandPlace& place) {
    std::vector<std::string> names;
    for (const OptionName& option : place.options) names.push_back(option.name);
    return absl::StrCat("clearance_words+=", ShellQuoted(absl::StrJoin(names, " ") + " "));
  });
  return absl::StrCat("# bash completion of clearance: source <(clearance completion bash)\n",
                      SharedFunctions(places), R"(_clearance() {
  local clearance_place clearance_values clearance_kind clearance_words='' place
  local current=${COMP_WORDS[COMP_CWORD]}
  _clearance_walk "${COMP_WORDS[@]:1:COMP_CWORD-1}"
  [[ $current == '=' ]] && current=''
  COMPREPLY=()
  if ((clearance_values > 0)); then
    case $clearance_kind in
    text) return ;;
    number) compopt +o default 2>/dev/null; return ;;
    *) clearance_words=$clearance_kind ;;
    esac
  elif [[ $current == -* ]]; then
    place=$clearance_place
    while :; do
      case $place in
)",
                      options, R"(      esac
      [[ $place == *' '* ]] || break
      place=${place% *}
    done
  else
    case $clearance_place in
)",
                      words, R"(    esac
  fi
  mapfile -t COMPREPLY < <(compgen -W "$clearance_words" -- "$current")
}
complete -o default -F _clearance clearance
)");
}

std::string ZshScript(const std::vector<CommandPlace>& places) {
  const std::string words = Arms(places, [](const CommandPlace& place) {
    std::vector<std::string> items;
    for (const auto& [word, text] : place.words) items.push_back(Described(word, text));
    return items.empty() ? "" : absl::StrCat("entries+=(", absl::StrJoin(items, " "), ")");
  });
  const std::string options = Arms(places, [](const CommandPlace& place) {
    std::vector<std::string> items;
    for (const OptionName& option : place.options) {
      items.push_back(Described(option.name, option.text));
    }
    return absl::StrCat("entries+=(", absl::StrJoin(items, " "), ")");
  });
  return absl::StrCat(
      "#compdef clearance\n# zsh completion of clearance: source <(clearance "
      "completion zsh), after compinit\n",
      SharedFunctions(places), R"(_clearance() {
  local clearance_place clearance_values clearance_kind place
  local -a entries
  _clearance_walk "${(@)words[2,CURRENT-1]}"
  if ((clearance_values > 0)); then
    case $clearance_kind in
    text) _files ;;
    number) ;;
    *) entries=(${=clearance_kind}); compadd -a entries ;;
    esac
    return
  fi
  if [[ ${words[CURRENT]} == -* ]]; then
    place=$clearance_place
    while :; do
      case $place in
)",
      options, R"(      esac
      [[ $place == *' '* ]] || break
      place=${place% *}
    done
    _describe -o option entries
    return
  fi
  case $clearance_place in
)",
      words, R"(  esac
  if ((${#entries})); then
    _describe command entries
  else
    _files
  fi
}
compdef _clearance clearance
# In a folder of $fpath this file is read as the function itself, at the first completion.
[[ ${funcstack[1]-} != _clearance ]] || _clearance "$@"
)");
}

std::string FishLine(const OptionName& option) {
  const bool is_long = absl::StartsWith(option.name, "--");
  std::string line = absl::StrCat(is_long ? " -l " : " -s ", option.name.substr(is_long ? 2 : 1),
                                  " -d ", FishQuoted(option.text));
  if (option.values > 0) line += option.kind == "text" ? " -r" : " -x";
  if (absl::StrContains(option.kind, ' ')) {
    absl::StrAppend(&line, " -a ", FishQuoted(option.kind));
  }
  return line;
}

std::string FishScript(const std::vector<CommandPlace>& places) {
  std::string known, lines;
  for (const CommandPlace& place : places) {
    const std::string at = FishQuoted(absl::StrCat("__clearance_at '", place.place, "'"));
    const std::string below = FishQuoted(absl::StrCat("__clearance_below '", place.place, "'"));
    for (const auto& [word, text] : place.words) {
      absl::StrAppend(&known, " ", FishQuoted(absl::StrCat(place.place, " ", word)));
      absl::StrAppend(&lines, "complete -c clearance -n ", at, " -f -a ", word, " -d ",
                      FishQuoted(text), "\n");
    }
    for (const OptionName& option : place.options) {
      absl::StrAppend(&lines, "complete -c clearance -n ", below, FishLine(option), "\n");
    }
  }
  return absl::StrCat(
      "# fish completion of clearance: clearance completion fish | source\n"
      "set -g __clearance_places",
      known, R"(

# Where the cursor stands: the words before it that are commands.
function __clearance_place
  set -l place clearance
  for word in (commandline -opc)[2..-1]
    if contains -- "$place $word" $__clearance_places
      set place "$place $word"
    end
  end
  echo $place
end

function __clearance_at
  test (__clearance_place) = $argv[1]
end

# An option of a command is one of those below it too.
function __clearance_below
  string match -q -- "$argv[1]*" (__clearance_place)
end

)",
      lines);
}

int PrintCompletion(const CLI::App& app, const std::string& shell) {
  const std::vector<CommandPlace> places = AllPlaces(app);
  const std::string script = shell == "bash"  ? BashScript(places)
                             : shell == "zsh" ? ZshScript(places)
                                              : FishScript(places);
  absl::PrintF("%s", script);
  return kExitFree;
}

}  // namespace

void AddCompletionCommand(CLI::App* app, GlobalOptions* options) {
  const auto shell = std::make_shared<std::string>();
  CLI::App* const completion =
      app->add_subcommand("completion", "Print a script that completes commands in a shell");
  completion->add_option("shell", *shell, "Which shell's")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->callback([=] { options->exit_code = PrintCompletion(*app, *shell); });
}

}  // namespace clearance::client
