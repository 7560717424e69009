import ArgumentParser
import Dispatch
import FoundationEssentials
import Glibc
import Platform
import Serving

@main
struct RxLocationD: AsyncParsableCommand {
  static let version = "0.2.0"
  /// The date of this version, with which the dates of receivers are compared.
  static let released = Date(timeIntervalSince1970: 1_795_314_600)

  static let configuration = CommandConfiguration(
    commandName: "rxlocationd",
    abstract: "Follow a GPS receiver and stream where it is.",
    discussion: """
      Records go to standard output, everything else to standard error. Without a subcommand it follows gpsd.
      """,
    version: "rxlocationd \(version)",
    subcommands: [
      RunCommand.self, ReplayCommand.self, TrackCommand.self, MonitorCommand.self, DoctorCommand.self,
      CollectCommand.self,
    ],
    defaultSubcommand: RunCommand.self)

  /// `main` is not `async`: before the body of an async `main`, the main queue opens a descriptor, which could take the
  /// number of a closed standard stream.
  static func main() {
    StandardStreams.occupy()
    EarlySignals.handle()
    do throws(CommandError) {
      // With fewer descriptors the system's libraries do not start.
      if DescriptorLimit.current < 20, DescriptorLimit.raise() < 20 { throw .tooFewDescriptors(need: 20) }
      // Swift's runtime and libdispatch would wait for ever for a thread.
      try ThreadLimit.checkMemory()
      try ThreadLimit.check(ThreadLimit.reserve)
    } catch {
      StandardError.write(line: "rxlocationd: \(error.line)")
      Glibc.exit(error.status.rawValue)
    }
    ProgramPages.release()
    Task { @MainActor in
      let words = Arguments.joiningNegativeNumbers(Arguments.ofThisProcess)
      await withTaskExecutorPreference(BackgroundExecutor.shared) { await main(words) }
      Glibc.exit(0)
    }
    dispatchMain()
  }

  /// The command that the first word names; `nil` if it is unknown or the words are invalid, which the root command reports best.
  ///
  /// The root command would first try the words with all flags of its default subcommand, which takes a third of a
  /// replay's start-up time.
  static func parseSubcommand(_ words: [String]) -> (any ParsableCommand)? {
    let subcommand = configuration.subcommands.first { $0.configuration.commandName == words.first }
    return try? subcommand?.parse(Array(words.dropFirst()))
  }

  /// Explains an error of the argument parser better than the parser does; `nil` where it cannot.
  static func hint(for error: any Error, _ words: [String]) -> String? {
    unknownCommand(words) ?? misplacedFlag(message(for: error), words)
  }

  /// Says that the first word is not a command. The parser takes it for an argument of `run`, which has none.
  private static func unknownCommand(_ words: [String]) -> String? {
    let names = configuration.subcommands.compactMap { $0.configuration.commandName }
    let word = words.first == "help" ? words.dropFirst().first : words.first
    guard let word, !word.hasPrefix("-"), !(names + ["help"]).contains(word) else { return nil }
    let meant = Misspelling.correction(of: word, among: names).map { "did you mean '\($0)'?" }
    return "'\(word)' is not a command; \(meant ?? "the commands are \(names.joined(separator: ", "))")"
  }

  /// Says which commands have a flag that this one does not have. The parser guesses at another spelling instead.
  private static func misplacedFlag(_ message: String, _ words: [String]) -> String? {
    let start = "Unknown option '"
    guard message.hasPrefix(start) else { return nil }
    let flag = message.dropFirst(start.count).prefix { $0 != "'" }
    let commands = configuration.subcommands
    // The help lists each flag on its own line.
    let names = commands.compactMap { command in
      command.helpMessage(columns: 200).contains("\n  \(flag) ") ? command.configuration.commandName : nil
    }
    guard let last = names.last else { return nil }
    let command = commands.first { $0.configuration.commandName == words.first } ?? RunCommand.self
    let others = names.count > 1 ? "\(names.dropLast().joined(separator: ", ")) and \(last)" : last
    return "\(command.configuration.commandName ?? "it") has no \(flag); that is for \(others)"
  }

  @MainActor
  private static func main(_ words: [String]) async {
    do {
      var command: any ParsableCommand
      if let known = parseSubcommand(words) { command = known } else { command = try await asyncParseAsRoot(words) }
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      if let hint = hint(for: error, words) {
        StandardError.write(line: "rxlocationd: \(hint)")
        exit(withError: ExitStatus.usage.code)
      }
      if exitCode(for: error) == .success {
        let text = fullMessage(for: error)
        let isScript = words.first?.hasPrefix("--generate-completion-script") == true
        print(isScript ? Completions.completed(text) : text + RunCommand.examples(for: text))
        exit(withError: ExitCode.success)
      }
      exit(withError: error)
    }
  }
}

/// Runs nonisolated code on one serial queue instead of Swift's thread pool. Once used, libdispatch checks that pool
/// every second for the life of the process, so an idle daemon would never sleep.
///
/// It is not the main queue, which a replay may block for a slow reader while signals must still be handled.
final class BackgroundExecutor: TaskExecutor {
  /// The shared executor. Unstructured tasks have to request it themselves.
  static let shared = BackgroundExecutor()

  private let queue = DispatchQueue(label: "rxlocationd.background")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
  }
}

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
