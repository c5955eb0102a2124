"""Completion of the command line in a shell, made from the table of knobs: `bpor-native completion bash|zsh|fish` prints the script."""

from __future__ import annotations

from bpor.cli.help import ALL_VERBS, USAGE
from bpor.errors import UsageError
from bpor.settings import KNOBS

SHELLS = ("bash", "zsh", "fish")


def completion_script(shell: str) -> str:
    """Raises UsageError."""
    if shell not in SHELLS:
        raise UsageError(f"completion for which shell? bpor-native completion {'|'.join(SHELLS)}")
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()


def _options(verb: str) -> list[str]:
    return [knob.flag for knob in KNOBS if verb in knob.verbs]


def _bash() -> str:
    """Files after an option that takes a value and for the program; our options before `--`."""
    cases = "\n".join(f"        {verb}) options='{' '.join([*_options(verb), '--help'])}' ;;" for verb in USAGE if _options(verb))
    return f"""\
# bpor-native, completion for bash: eval "$(bpor-native completion bash)"
_bpor_native() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" verb=run options i
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${{COMP_WORDS[i]}} == -- ]] && {{ COMPREPLY=($(compgen -f -- "$word")); return; }}
    done
    case "${{COMP_WORDS[1]}}" in
        {"|".join(ALL_VERBS)}) verb="${{COMP_WORDS[1]}}" ;;
    esac
    case "$verb" in
{cases}
    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    elif ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "{" ".join(ALL_VERBS)}" -- "$word") $(compgen -f -- "$word"))
    elif [[ $verb == help ]]; then
        COMPREPLY=($(compgen -W "{" ".join(ALL_VERBS)}" -- "$word"))
    elif [[ $verb == completion ]]; then
        COMPREPLY=($(compgen -W "{" ".join(SHELLS)}" -- "$word"))
    elif [[ $verb == replay ]] && ((COMP_CWORD == 2)); then
        COMPREPLY=($(compgen -W "last" -- "$word") $(compgen -f -- "$word"))
    else
        COMPREPLY=($(compgen -f -- "$word"))
    fi
}}
complete -o filenames -F _bpor_native bpor-native
"""


def _zsh() -> str:
    head = '# bpor-native, completion for zsh: eval "$(bpor-native completion zsh)"\nautoload -U +X bashcompinit && bashcompinit\n'
    return head + _bash().partition("\n")[2]


def _fish() -> str:
    verbs = " ".join(ALL_VERBS)
    lines = ["# bpor-native, completion for fish: bpor-native completion fish | source"]
    lines.append(f"complete -c bpor-native -n 'not __fish_seen_subcommand_from {verbs}' -a '{verbs}'")
    lines.append(f"complete -c bpor-native -n '__fish_seen_subcommand_from help' -a '{verbs}'")
    lines.append(f"complete -c bpor-native -n '__fish_seen_subcommand_from completion' -a '{' '.join(SHELLS)}'")
    lines.append("complete -c bpor-native -n '__fish_seen_subcommand_from replay' -a 'last'")
    for knob in KNOBS:
        needs = " -r" if knob.takes_value else ""
        others = [verb for verb in USAGE if verb not in knob.verbs and verb != "run"]
        where = f" -n 'not __fish_seen_subcommand_from {' '.join(others)}'" if others else ""
        lines.append(f"complete -c bpor-native{where} -l {knob.flag.removeprefix('--')}{needs} -d {_quoted(knob.help)}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
