/* SPDX-License-Identifier: Apache-2.0 */
/* The shells' side of completion: each asks the program that is being typed, and shows what it
 * says. */
#include <glib.h>
#include <string.h>

#include "harness/cli/options/completion.h"

/* Bash splits words at '=' and ':' and replaces the last piece alone: candidates lose what stands
 * before it. */
static const char bash_script[] =
    "# assay: completion for bash.\n"
    "_assay() {\n"
    "  local line=${COMP_LINE:0:COMP_POINT} words current kept candidate IFS=$' \\t\\n'\n"
    "  read -r -a words <<<\"$line\"\n"
    "  [[ $line == *' ' ]] && words+=('')\n"
    "  current=${words[${#words[@]} - 1]}\n"
    "  kept=${current%\"${current##*[:=]}\"}\n"
    "  COMPREPLY=()\n"
    "  while IFS=$'\\t' read -r candidate _; do\n"
    "    if [[ $candidate == :files ]]; then\n"
    "      compopt -o filenames 2>/dev/null\n"
    "      mapfile -t COMPREPLY < <(compgen -f -- \"${current#\"$kept\"}\")\n"
    "      return\n"
    "    fi\n"
    "    COMPREPLY+=(\"${candidate#\"$kept\"}\")\n"
    "  done < <(\"$1\" completion --complete -- \"${words[@]:1}\" 2>/dev/null)\n"
    "  [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null\n"
    "  return 0\n"
    "}\n"
    "complete -F _assay assay\n";

static const char zsh_script[] =
    "#compdef assay\n"
    "# assay: completion for zsh.\n"
    "_assay() {\n"
    "  local line tab=$'\\t'\n"
    "  local -a candidates texts\n"
    "  for line in \"${(@f)$(\"${words[1]}\" completion --complete -- \"${(@)words[2,CURRENT]}\" "
    "2>/dev/null)}\"; do\n"
    "    [[ -z $line ]] && continue\n"
    "    if [[ $line == :files ]]; then _files; return; fi\n"
    "    candidates+=(\"${line%%$tab*}\")\n"
    "    texts+=(\"${line/$tab/  -- }\")\n"
    "  done\n"
    "  compadd -l -d texts -a candidates\n"
    "}\n"
    "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _assay \"$@\"; else compdef _assay "
    "assay; "
    "fi\n";

static const char fish_script[] =
    "# assay: completion for fish.\n"
    "function __assay_complete\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    for line in ($words[1] completion --complete -- $words[2..-1] 2>/dev/null)\n"
    "        if test \"$line\" = :files\n"
    "            __fish_complete_path (commandline -ct)\n"
    "        else\n"
    "            echo $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c assay -f -a '(__assay_complete)'\n";

const char *completion_script(const char *shell) {
  if (strcmp(shell, "bash") == 0) return bash_script;
  if (strcmp(shell, "zsh") == 0) return zsh_script;
  if (strcmp(shell, "fish") == 0) return fish_script;
  return NULL;
}
