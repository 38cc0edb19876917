"""`kschedui completion SHELL`: the completion script for a shell."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace, _SubParsersAction
from operator import attrgetter

BASH = """\
_kschedui() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" command="${{COMP_WORDS[1]}}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then words="{commands}"; else
    case "$command $before" in
{values}    esac
    if [ -z "$words" ]; then case "$command" in
{options}    esac; fi
  fi
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$word") $([ "$COMP_CWORD" -gt 1 ] && compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _kschedui kschedui
"""


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))


def run(options: Namespace) -> int:
    from kschedui.cli.main import parser

    actions = parser()._actions  # argparse offers no other way
    commands = next(action for action in actions if isinstance(action, _SubParsersAction)).choices
    script = fish_script(commands) if options.shell == "fish" else bash_script(commands)
    if options.shell == "zsh":
        script = f"autoload -U +X compinit bashcompinit && compinit && bashcompinit\n{script}"
    sys.stdout.write(script)
    return 0


def bash_script(commands: dict[str, ArgumentParser]) -> str:
    """Return the script for bash; zsh can use it too."""
    options, values = [], []
    for name, command in commands.items():
        words = " ".join(option for action in command._actions for option in action.option_strings)
        options.append(f'      {name}) words="{words}" ;;\n')
        for action in filter(attrgetter("choices"), command._actions):
            pattern = "|".join(f'"{name} {option}"' for option in action.option_strings) or f'"{name} {name}"'
            values.append(f'      {pattern}) words="{" ".join(map(str, action.choices or ()))}" ;;\n')
    return BASH.format(commands=" ".join(commands), options="".join(options), values="".join(values))


def fish_script(commands: dict[str, ArgumentParser]) -> str:
    """Return the script for fish."""
    lines = []
    for name, command in commands.items():
        text = (command.description or "").replace("'", "\\'")
        lines.append(f"complete -c kschedui -n __fish_use_subcommand -f -a {name} -d '{text}'")
        for action in command._actions:
            long = [option.lstrip("-") for option in action.option_strings if option.startswith("--")]
            if long:
                choices = f" -x -a '{' '.join(map(str, action.choices))}'" if action.choices else ""
                lines.append(f"complete -c kschedui -n '__fish_seen_subcommand_from {name}' -l {long[0]}{choices}")
    return "\n".join(lines) + "\n"
