import Glibc
import LocationKit
import Logging
import Writing
import Platform
import Serving
import SystemPackage

@MainActor
final class Outputs {
  let name: String
  /// Whether the source can wait for a slow reader; a live source cannot.
  let isReplay: Bool
  /// Receives notices for the administrator. For any thread.
  let onNotice: OutputNotice.Handler
  /// Ends the run when the reader of an output has left, or an output of a replay failed. For any thread.
  let onEnd: @Sendable () -> Void

  var replay: ReplayControl?

  /// Where records go, in words, for the line at the start.
  var places: [String] = []

  private(set) var opened: [any DaemonOutput] = []
  /// The loop of all sockets; `nil` until an output needs it.
  private(set) var network: NetworkLoop?

  /// The most bytes that wait for a slow reader of a replay; the replay then waits and loses no records.
  static let replayLimit = 256 << 10

  /// The time that outputs with a peer have after SIGTERM or SIGINT to write waiting records.
  nonisolated static let patience = Duration.milliseconds(400)

  /// The time that a disk has after that.
  nonisolated static let diskPatience = Duration.seconds(5)

  init(name: String, isReplay: Bool, logger: Logger, onEnd: @escaping @Sendable () -> Void) {
    (self.name, self.isReplay, onNotice, self.onEnd) = (name, isReplay, logger.onNotice, onEnd)
  }

  func add(_ output: any DaemonOutput) { opened.append(output) }

  /// Finishes all outputs at once, so that none waits for the peer of another one. Only the outputs that read the
  /// journal begin after it has all records.
  func finish() async {
    await withTaskGroup { group in
      for output in opened where !output.readsJournal && !(output is JournalOutput) {
        group.addTask { await output.finish() }
      }
      await output(JournalOutput.self)?.finish()
      for output in opened where output.readsJournal { group.addTask { await output.finish() } }
    }
  }

  func discard() async {
    for output in opened {
      await output.cancel()
      await output.finish()
    }
    await close()
  }

  func networkLoop() throws(CommandError) -> NetworkLoop {
    if let network { return network }
    let loop = try NetworkLoop.start()
    network = loop
    return loop
  }

  func output<Output: DaemonOutput>(_ kind: Output.Type) -> Output? { opened.lazy.compactMap { $0 as? Output }.first }

  var mode: OutboxMode { isReplay ? .replay : .live }

  func addMetrics() {
    guard let metrics = output(MetricsOutput.self) else { return }
    for output in opened { output.addMetrics(to: metrics.registry) }
  }

  func reopen() {
    for output in opened { output.reopen() }
  }

  var statuses: [String] { opened.compactMap(\.status) }

  var summary: String { opened.compactMap(\.summary).joined(separator: "; ") }

  var losses: [String] { opened.compactMap(\.loss) }

  /// Closes connections of clients that may read while outputs finish. Called after all outputs have finished.
  func close() async {
    for output in opened { await output.close() }
    await network?.shutdown()
  }
}

extension CommandError {
  init(_ error: OutputError) {
    let status: ExitStatus =
      switch error.code {
      case .cannotCreate: .cannotCreate
      case .inputOutput: .ioError
      case .noResources: .systemError
      }
    self.init(status, status == .systemError ? "\(error.message); \(ThreadLimit.advice)" : error.message)
  }
}

extension Logger {
  /// Logs notices for the administrator. For any thread.
  var onNotice: OutputNotice.Handler { { log(level: $0.severity.level, "\($0.message)") } }
}

extension OutputNotice.Severity {
  var level: Logger.Level {
    switch self {
    case .notice: .notice
    case .warning: .warning
    case .error: .error
    }
  }
}

extension NetworkLoop {
  /// Starts the thread if the process may open enough files: without a free descriptor the system's libraries end the process.
  static func start() throws(CommandError) -> NetworkLoop {
    let need = DescriptorLimit.reserve + 16
    guard DescriptorLimit.raise() >= need else { throw .tooFewDescriptors(need: need) }
    try ThreadLimit.check(1)
    return NetworkLoop()
  }
}

enum ThreadLimit {
  /// The threads of libdispatch: two queues, timers, signals and Swift's own.
  static let reserve = 5

  /// Checks that the process may have so many more threads. Libraries wait for ever, or end the process, without one.
  static func check(_ count: Int) throws(CommandError) {
    do throws(Errno) {
      try Thread.check(count)
    } catch {
      throw CommandError(.systemError, "\(counted(count, "more thread")) cannot be created: \(error); \(advice)")
    }
  }

  /// The way out. It also follows what fails after the check: the system counts an ended thread a moment longer.
  static let advice = "raise the limit of files, processes or memory (ulimit -n, ulimit -u, ulimit -v, TasksMax=)"

  /// The address space of the threads' stacks and heaps, and of the program, in kibibytes.
  private static let memory: UInt = 384 << 10

  /// Checks the limit of the address space. Near it, threads can be created for a while, and then no longer.
  static func checkMemory() throws(CommandError) {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0, limit.rlim_cur < memory << 10 else { return }
    throw CommandError(
      .systemError,
      "only \(limit.rlim_cur >> 10) KiB may be mapped, and \(memory) are needed; raise the limit (ulimit -v \(memory))")
  }
}

extension CommandError {
  static func tooFewDescriptors(need: Int) -> CommandError {
    let limit = DescriptorLimit.current
    return CommandError(
      .systemError,
      "only \(limit) files may be open at once, and \(need) are needed; raise the limit (ulimit -n \(need))")
  }
}
