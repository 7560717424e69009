import Foundation
import TestSupport
import Testing

/// What the three shells offer, with the scripts that the program writes.
@Suite(.startsPrograms) struct CompletionTests {
  enum Shell: String, CaseIterable {
    case bash, zsh, fish

    var path: String { "/usr/bin/\(rawValue)" }

    /// The words that the shell offers for the last word of a line; zsh waits for `word`. The completions are in a file.
    func offers(_ line: String, until word: String, file: String) async throws -> [String] {
      let script =
        switch self {
        case .bash:
          """
          source '\(file)'; COMP_LINE='\(line)'; COMP_POINT=${#COMP_LINE}
          COMP_WORDS=(\(line)); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
          _rxlocationd rxlocationd "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; printf '%s\\n' "${COMPREPLY[@]}"
          """
        case .fish: "source '\(file)'; complete -C '\(line)'"
        // On a terminal of its own, because only the line editor completes.
        case .zsh:
          """
          zmodload zsh/zpty; zpty shell zsh -f -i
          zpty -w shell "PS1=; autoload -Uz compinit; compinit -u -D; source '\(file)'; compdef _rxlocationd rxlocationd"
          zpty -w shell "bindkey '^I' list-choices"; zpty -w shell 'echo rea""dy'; zpty -r shell text '*ready*'
          zpty -w -n shell '\(line)'$'\\t'; zpty -r shell text '*\(word)*'; print -r -- $text
          """
        }
      let result = try await DaemonProcess(path, ["-c", script]).waitUntilExit(within: 60)
      let text = result.output.replacing(/\u{1B}\[[0-9;?]*[A-Za-z]/, with: " ")
      return text.split(whereSeparator: \.isWhitespace).map(String.init)
    }
  }

  @Test(arguments: Shell.allCases.filter { FileManager.default.isExecutableFile(atPath: $0.path) })
  func filesFormatsAndLevelsAreOffered(shell: Shell) async throws {
    let folder = TemporaryFolder()
    let completions = try await DaemonProcess.run(["--generate-completion-script", shell.rawValue])
    let file = try folder.write(completions.output, to: "completions")
    for (line, word) in [
      ("rxlocationd replay Recordings/drive.n", "drive.nmea"), ("rxlocationd track Recordings/drive.n", "drive.nmea"),
      ("rxlocationd run --config READ", "README.md"), ("rxlocationd run --format geo", "geojson"),
      ("rxlocationd track --format geo", "geojson"), ("rxlocationd run --log-level not", "notice"),
      ("rxlocationd replay --spa", "--span"), ("rxlocationd mon", "monitor"),
      // The flags of `run` count without its name.
      ("rxlocationd --spa", "--span"), ("rxlocationd --format geo", "geojson"), ("rxlocationd help mon", "monitor"),
    ] {
      let offers = try await shell.offers(line, until: word, file: file)
      #expect(offers.contains { $0.hasSuffix(word) }, "\(line): \(offers)")
    }
  }
}
