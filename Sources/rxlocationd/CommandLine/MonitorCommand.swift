import ArgumentParser
import GPSD
import Glibc
import LocationKit
import Monitor
import Platform
import Replay
import SystemPackage
import TerminalKit

struct MonitorCommand: ConfigurableCommand {
  static let configuration = CommandConfiguration(
    commandName: "monitor",
    abstract: "Show the reports of gpsd or of a recording on a terminal.",
    discussion:
      "Tab moves to the next list, Return shows the details of the selection, f makes a fence here, ? explains the keys, q quits."
  )
  static let fileOptions: [any ParsableArguments.Type] = [GPSDOptions.self, MonitorOptions.self]

  @Argument(
    help: ArgumentHelp(
      "Recordings to play instead of following gpsd; - is standard input.", valueName: "file"),
    completion: .file(), transform: parsed(Bounds.file))
  var files: [FilePath] = []

  @OptionGroup var gpsd: GPSDOptions
  @OptionGroup var options: MonitorOptions
  @OptionGroup var configurationFile: ConfigurationOptions

  @MainActor mutating func readFences(again: Bool) async throws(CommandError) {
    try await options.watch.readFile(again: again)
  }

  func check() throws(SettingError) { try options.check(hasFiles: !files.isEmpty) }

  @MainActor
  func run() async throws {
    try await reportingErrors {
      let command = try await Configuration(of: self).read()
      try files.checkStandardInput()
      let options = command.options
      let recording = try files.isEmpty ? nil : Recordings.open(files, speed: options.speed ?? .factor(1))
      let endpoint = command.gpsd.gpsd
      let source: any LocationSource = if let recording { recording } else { GPSDSource(endpoint: endpoint) }
      let manager = LocationManager(source: source)
      manager.staleAfter = options.staleAfter
      manager.startMonitoringDoubts(notBefore: recording == nil ? RxLocationD.released : recording?.earliestDate)
      let names = files.map { $0.lastComponent?.string ?? $0.string }
      let readClock: @Sendable () async -> String? = {
        await GPSDProbe(endpoint: endpoint, patience: 3).run().clock.short
      }
      let monitor = Monitor(
        manager,
        Monitor.Configuration(
          name: files.isEmpty ? "\(endpoint)" : names.joined(separator: ", "), isReplay: recording != nil,
          fences: options.watch.fences, units: options.units ?? .ofLocale,
          metrics: options.metrics.map(Self.metrics(at:)),
          clock: recording == nil ? readClock : nil))
      // The monitor has started the source for its satellites. Without a pause here no fix is missed.
      manager.startUpdatingLocation()
      let signal = try await show(monitor, manager)
      if let signal { throw ExitCode(128 + signal) }
      if let failure = recording?.failure { throw CommandError(failure) }
    }
  }

  private static func metrics(at address: Endpoint) -> @Sendable () async throws -> String {
    var server = address
    if server.host == "*" { server.host = "localhost" }
    let client = MetricsClient(server: server)
    return { try await client.text() }
  }

  /// Runs until the user or a signal ends it, and returns the number of the signal.
  @MainActor
  private func show(_ monitor: Monitor, _ manager: LocationManager) async throws(CommandError) -> Int32? {
    guard StandardStreams.isWritable(STDOUT_FILENO) else {
      throw CommandError(.ioError, "cannot show the monitor: standard output is closed")
    }
    let terminal = Terminal(screen: monitor.screen)
    let (ends, end) = AsyncStream.makeStream(of: Int32?.self)
    monitor.onQuit = { end.yield(nil) }
    terminal.onSignal = { end.yield($0) }
    do throws(TerminalError) {
      try terminal.open()
    } catch {
      throw CommandError(.unavailable, "cannot show the monitor: \(error)")
    }
    var iterator = ends.makeAsyncIterator()
    let signal: Int32? = await iterator.next(isolation: #isolation) ?? nil
    manager.stopUpdatingLocation()
    terminal.close()
    return signal
  }
}

struct MonitorOptions: ParsableArguments {
  @Option(
    "speed", "factor", "A multiple of the recorded pace, or max for as fast as possible. (default: 1)",
    ReplaySpeed.init(parsing:))
  var speed: ReplaySpeed?

  @Option(
    "stale-after", "seconds", "Report the location as unknown when no fix has come for this time. (default: 10)",
    Bounds.staleAfter)
  var staleAfter = 10.0

  @OptionGroup var watch: FenceOptions

  @Option(
    "metrics", "host:port", "Show the outputs of the daemon that serves its metrics at this address.",
    Endpoint.init(listening:))
  var metrics: Endpoint?

  @Option(help: "The units: metric, imperial or nautical. (default: by the locale)")
  var units: MeasurementUnits?

  func check(hasFiles: Bool) throws(SettingError) {
    try watch.fences.checkNames()
    if speed != nil, !hasFiles { throw SettingError("--speed is for recordings; name one, or leave it out") }
  }
}

struct MetricsClient: Sendable {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  let server: Endpoint
  /// Seconds from the lookup of the server's name to the end of the answer.
  var patience = 5.0
  /// The longest answer in bytes.
  var limit = 1 << 20

  /// The text, which a thread of its own waits for.
  func text() async throws(Failure) -> String {
    let answer: Result<String, Failure>
    do throws(BlockingWorkFailure) {
      answer = try await Thread.result(within: patience) { self.answer() }
    } catch {
      throw failure(error == .timedOut ? "no answer within \(secondsText(patience))" : "\(error)")
    }
    return try answer.get()
  }

  private func answer() -> Result<String, Failure> {
    let deadline = monotonicSeconds() + patience
    do {
      let wakeup = try Wakeup()
      var connector = Connector(to: server, within: patience, wakeup: wakeup)
      let socket = FileDescriptor(rawValue: try connector.connect())
      return try socket.closeAfter {
        // The server closes the connection after its answer, and does not write it in pieces.
        try socket.writeAll("GET /metrics HTTP/1.0\r\nHost: \(server)\r\n\r\n".utf8)
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 16 << 10)
        while wakeup.wait(for: socket.rawValue, seconds: deadline - monotonicSeconds()) == .ready {
          let count = try block.withUnsafeMutableBytes { try socket.read(into: $0) }
          guard count > 0 else { return document(bytes) }
          bytes += block.prefix(count)
          guard bytes.count <= limit else { return .failure(failure("it answers more than \(limit) bytes")) }
        }
        return .failure(failure("no answer within \(secondsText(patience))"))
      }
    } catch {
      return .failure(failure((error as? ConnectFailure)?.reason ?? "\(error)"))
    }
  }

  private func document(_ bytes: [UInt8]) -> Result<String, Failure> {
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: "\r\n\r\n", maxSplits: 1)
    let words = parts.first?.prefix { $0 != "\r\n" }.split(separator: " ") ?? []
    guard words.count > 1, words[0].hasPrefix("HTTP/1.") else { return .failure(failure("this is not an HTTP server")) }
    guard words[1] == "200" else { return .failure(failure("it answers \(words[1]) for /metrics")) }
    return parts.count > 1 ? .success(String(parts[1])) : .failure(failure("its answer ends too early"))
  }

  private func failure(_ problem: String) -> Failure { Failure(description: "\(server): \(problem)") }
}
