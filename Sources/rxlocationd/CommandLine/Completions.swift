import ArgumentParser

/// The argument parser's completions with two additions: `run` is the default command, so its flags are offered without
/// its name, and `help` offers the commands.
enum Completions {
  static func completed(_ script: String) -> String {
    let commands = RxLocationD.configuration.subcommands.compactMap { $0.configuration.commandName }
      .joined(separator: " ")
    // Each shell's script has some of these lines.
    let changes = [
      // bash
      (
        "    __rxlocationd_offer_flags_options 0\n\n    # Offer subcommand /",
        "    if [[ \"${unparsed_words[0]}\" = -* ]]; then _rxlocationd_run; return; fi\n"
      ),
      (
        "    __rxlocationd_offer_flags_options -1\n}",
        "    [[ \"${cur}\" = -* ]] || COMPREPLY+=($(compgen -W '\(commands)' -- \"${cur}\"))\n"
      ),
      // zsh
      (
        "    local context state state_descr line\n    local -A opt_args\n\n    local -r command_name",
        "    if [[ \"${words[2]}\" = -* ]]; then local command_name=\"${words[1]}\"; _rxlocationd_run; return; fi\n"
      ),
      // fish
      (
        "    switch $unparsed_tokens[1]\n    case 'rxlocationd'\n",
        """
            set -l second $unparsed_tokens[2] (commandline -t)
            if string match -q -- '-*' $second[1]
                set unparsed_tokens $unparsed_tokens[1] run $unparsed_tokens[2..]
            end

        """
      ),
      (
        "complete -c 'rxlocationd' -n '__rxlocationd_should_offer_completions_for_flags_or_options \"rxlocationd help\"",
        "complete -c 'rxlocationd' -n '__rxlocationd_should_offer_completions_for_positional \"rxlocationd help\" -ge 1' "
          + "-fa '\(commands)'\n"
      ),
    ]
    let added = changes.reduce(script) { $0.replacing($1.0, with: $1.1 + $1.0, maxReplacements: 1) }
    return added.replacing("'*:subcommands:'", with: "'*:subcommands:(\(commands))'")
  }
}
