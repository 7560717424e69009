import Foundation
import Synchronization
import TestSupport
import Testing

/// The built `rxlocationd`, run as a user runs it; its output is collected while it runs. Killed when released, so that a test
/// that fails leaves nothing running.
final class DaemonProcess: Sendable {
  struct Result {
    var status: Int32
    var output: String
    var messages: String

    var lines: [Substring] { output.split(separator: "\n") }

    func records(_ type: String) -> [[String: Any]] { lines.records(type) }
  }

  private struct State {
    var output = Data()
    var messages = Data()
    var openStreams = 2
    var input: Int32
    /// As `waitpid` reports it; `nil` while the process runs.
    var waitStatus: Int32?
  }

  /// What the threads share that read its output and wait for its end.
  private final class Shared: Sendable {
    let state: Mutex<State>

    init(input: Int32) { state = Mutex(State(input: input)) }

    func withLock<Result>(_ body: (inout sending State) throws -> sending Result) rethrows -> sending Result {
      try state.withLock(body)
    }
  }

  let identifier: pid_t
  private let state: Shared

  var isRunning: Bool { state.withLock { $0.waitStatus == nil } }
  var output: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }
  var messages: String { state.withLock { String(decoding: $0.messages, as: UTF8.self) } }

  convenience init(_ arguments: [String], keepsInputOpen: Bool = false) throws {
    try self.init(Self.executable.path, arguments, keepsInputOpen: keepsInputOpen)
  }

  /// Runs any program, in the package's folder.
  init(_ path: String, _ arguments: [String], keepsInputOpen: Bool = false) throws {
    // The tests' own folder is what the child gets; everyone sets the same one.
    _ = FileManager.default.changeCurrentDirectoryPath(Checkout.root.path)
    let spawned = try Spawned(path, arguments)
    identifier = spawned.identifier
    state = Shared(input: spawned.input)
    Self.read(spawned.output, \.output, of: state)
    Self.read(spawned.messages, \.messages, of: state)
    Thread.detachNewThread { [state, identifier] in
      var information = siginfo_t()
      // It stays a zombie until the lock is held: no signal is sent to a process that has its number by chance.
      while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0 && errno == EINTR {}
      state.withLock { state in
        var status: Int32 = 0
        waitpid(identifier, &status, 0)
        state.waitStatus = status
      }
    }
    if !keepsInputOpen { closeInput() }
  }

  deinit {
    closeInput()
    send(signal: SIGKILL)
  }

  /// Runs to the end, with `standardInput` if there is one. It should end with `status` and say `words`, where they are given.
  @discardableResult
  static func run(
    _ arguments: [String], standardInput: Data = Data(), status: Int32? = nil, saying words: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Result {
    let process = try DaemonProcess(arguments, keepsInputOpen: true)
    // On a thread of its own: the process may not read it all.
    Thread.detachNewThread {
      process.write(standardInput)
      process.closeInput()
    }
    return try await process.waitUntilExit(status: status, saying: words, sourceLocation: sourceLocation)
  }

  /// Runs a line of bash to its end, in which `$B` is the program and `$D` a recording of 704 fixes.
  @discardableResult
  static func bash(
    _ script: String, status: Int32? = nil, saying words: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Result {
    try await DaemonProcess(bash: script).waitUntilExit(status: status, saying: words, sourceLocation: sourceLocation)
  }

  /// Runs a line of bash, in which `$B` is the program and `$D` a recording of 704 fixes.
  convenience init(bash script: String, keepsInputOpen: Bool = false) throws {
    let variables = "B='\(Self.executable.path)'; D='Recordings/drive.nmea'; "
    try self.init("/bin/bash", ["-c", variables + script], keepsInputOpen: keepsInputOpen)
  }

  func write(_ text: String) { write(Data(text.utf8)) }

  /// Writes epochs of a receiver to its standard input.
  func feed(_ epochs: Range<Int>, hasFix: Bool = true) { write(epochs.map { NMEA.epoch($0, hasFix: hasFix) }.joined()) }

  func write(_ data: Data) {
    // A process that has ended already is no fault of the test's; SIGPIPE is ignored by `Spawned`.
    let input = state.withLock { $0.input }
    data.withUnsafeBytes { bytes in
      var offset = 0
      while offset < bytes.count {
        let count = Glibc.write(input, bytes.baseAddress! + offset, bytes.count - offset)
        if count < 0 && errno != EINTR { return }
        offset += max(0, count)
      }
    }
  }

  func closeInput() {
    state.withLock { state in
      if state.input >= 0 { close(state.input) }
      state.input = -1
    }
  }

  func send(signal number: Int32) {
    // Under the lock: once reaped, the identifier may belong to another process.
    state.withLock { if $0.waitStatus == nil { kill(identifier, number) } }
  }

  /// Whether a signal would not kill it, because it is handled, ignored or blocked.
  func survives(_ number: Int32) -> Bool { Self.survives(number, identifier) }

  static func survives(_ number: Int32, _ identifier: pid_t) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)) ?? ""
    return status.split(separator: "\n").contains { line in
      guard ["SigCgt:", "SigIgn:", "SigBlk:"].contains(where: line.hasPrefix) else { return false }
      return UInt64(line.suffix(16), radix: 16).map { $0 & 1 << (UInt64(number) - 1) != 0 } ?? false
    }
  }

  var usage: ProcessUsage { ProcessUsage(of: "\(identifier)") }

  func has(open path: String) -> Bool {
    let folder = "/proc/\(identifier)/fd"
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).contains {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path
    }
  }

  /// How often each of its threads went to sleep so far, which it can only do again once something has woken it.
  var wakeups: [String: Int] { Self.wakeups(of: identifier) }

  static func wakeups(of identifier: pid_t) -> [String: Int] {
    let tasks = "/proc/\(identifier)/task"
    var result: [String: Int] = [:]
    for thread in (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? [] {
      let status = try? String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
      result[thread] = line.flatMap { Int($0.filter(\.isNumber)) }
    }
    return result
  }

  /// Waits for the end of the process and of its output. A process that a signal ended has that number's negative
  /// as its status.
  func waitUntilExit(within seconds: Double = 180) async throws -> Result {
    guard await eventually(within: seconds, { state.withLock { $0.waitStatus != nil && $0.openStreams == 0 } }) else {
      send(signal: SIGKILL)
      throw TimedOut(description: "still running after \(seconds) s; it said: \(messages)")
    }
    let status = state.withLock { $0.waitStatus ?? 0 }
    return Result(
      status: status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f), output: output, messages: messages)
  }

  /// Waits for the end. It should have `status`, and the process should have said `words`, where they are given.
  @discardableResult
  func waitUntilExit(
    status: Int32?, saying words: String? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Result {
    let result = try await waitUntilExit()
    #expect(result.status == status ?? result.status, "\(result.messages)", sourceLocation: sourceLocation)
    if let words { #expect(result.messages.contains(words), "\(result.messages)", sourceLocation: sourceLocation) }
    return result
  }

  /// Ends the process with a signal. It should end with `status` and say `words`, where they are given.
  @discardableResult
  func terminate(
    _ signal: Int32 = SIGTERM, status: Int32 = 0, saying words: String? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> Result {
    send(signal: signal)
    return try await waitUntilExit(status: status, saying: words, sourceLocation: sourceLocation)
  }

  /// Kills the process, as a loss of power does.
  func killAndWait(sourceLocation: SourceLocation = #_sourceLocation) async throws {
    try await terminate(SIGKILL, status: -SIGKILL, sourceLocation: sourceLocation)
  }

  /// Waits for a condition. The time is long because on a busy machine a process needs tens of seconds to start.
  func wait(for what: String, within seconds: Double = 120, _ condition: () async -> Bool) async throws {
    guard await eventually(within: seconds, condition) else {
      throw TimedOut(description: "no \(what) after \(seconds) s; it said: \(messages)")
    }
  }

  /// Waits for a message of the running process. What it did is often seen earlier than what it says about it.
  func wait(toSay text: String) async throws { try await wait(for: "'\(text)'") { messages.contains(text) } }

  private static func read(
    _ descriptor: Int32, _ stream: any WritableKeyPath<State, Data> & Sendable, of state: Shared
  ) {
    Thread.detachNewThread {
      var block = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = Glibc.read(descriptor, &block, block.count)
        if count < 0 && errno == EINTR { continue }
        if count <= 0 { break }
        state.withLock { $0[keyPath: stream].append(contentsOf: block.prefix(count)) }
      }
      close(descriptor)
      state.withLock { $0.openStreams -= 1 }
    }
  }

  struct TimedOut: Error, CustomStringConvertible {
    var description: String
  }

  /// The binary that was built beside the tests.
  static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("rxlocationd")
}

extension Sequence where Element: StringProtocol {
  /// The JSON objects of a type among lines.
  func records(_ type: String) -> [[String: Any]] {
    compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
      .filter { $0["type"] as? String == type }
  }
}

extension DaemonProcess {
  func records(_ type: String) -> [[String: Any]] { output.split(separator: "\n").records(type) }

  /// Starts `collect`, and returns when it listens to the broker.
  static func collecting(_ broker: RealBroker, _ arguments: [String]) async throws -> DaemonProcess {
    let process = try DaemonProcess(["collect", "--subscribe", "mqtt://127.0.0.1:\(broker.port)"] + arguments)
    try await process.wait(toSay: "listening to")
    return process
  }

  /// Starts the program at a stand-in for gpsd. Returns both after the handshake.
  static func following(
    _ server: LoopbackSocket, _ arguments: [String] = [], space: String = ""
  ) throws -> (process: DaemonProcess, gpsd: LoopbackSocket) {
    let process = try DaemonProcess(["--gpsd", "127.0.0.1:\(server.port)"] + arguments)
    return (process, try greeted(server, space: space))
  }

  /// The connection of a program to a stand-in for gpsd, after the handshake.
  static func greeted(_ server: LoopbackSocket, space: String = "") throws -> LoopbackSocket {
    let gpsd = try server.accept()
    gpsd.send(#"{"class":\#(space)"VERSION","release":"3.25","proto_major":3,"proto_minor":14}"# + "\n")
    _ = gpsd.receive()
    gpsd.send(#"{"class":\#(space)"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a"}]}"# + "\n")
    gpsd.send(#"{"class":\#(space)"WATCH","enable":true,"json":true}"# + "\n")
    return gpsd
  }

  /// What `doctor` finds of destinations, by step. There is no gpsd.
  static func doctor(_ arguments: [String]) async throws -> [String: [String: String]] {
    let result = try await run(
      ["doctor", "--gpsd", "127.0.0.1:9", "--timeout", "5", "--format", "json"] + arguments, status: 69)
    let all = result.lines.compactMap { try? JSONDecoder().decode([String: String].self, from: Data($0.utf8)) }
    return Dictionary(all.map { ($0["step"] ?? "", $0) }, uniquingKeysWith: { $1 })
  }
}

extension Checkout {
  static func text(_ path: String) throws -> String { try String(contentsOf: file(path), encoding: .utf8) }
}
