import Foundation
import Synchronization

/// The built `rxlocationd`, run as a user runs it; its output is collected while it runs.
final class DaemonProcess: Sendable {
  /// How a run ended.
  struct Result {
    var status: Int32
    var output: String
    var messages: String

    var lines: [Substring] { output.split(separator: "\n") }
  }

  private struct Collected {
    var output = Data()
    var messages = Data()
    var openStreams = 2
  }

  private let process = Process()
  private let input = Pipe()
  private let collected = Mutex(Collected())

  var identifier: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }
  var output: String { collected.withLock { String(decoding: $0.output, as: UTF8.self) } }
  var messages: String { collected.withLock { String(decoding: $0.messages, as: UTF8.self) } }

  init(_ arguments: [String], environment: [String: String] = [:], keepsInputOpen: Bool = false) throws {
    process.executableURL = Self.executable
    process.arguments = arguments
    process.currentDirectoryURL = Self.packageRoot
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    let output = Pipe()
    let messages = Pipe()
    process.standardOutput = output
    process.standardError = messages
    collect(output, \.output)
    collect(messages, \.messages)
    try process.run()
    if !keepsInputOpen { try input.fileHandleForWriting.close() }
  }

  /// Runs to the end, with `standardInput` if there is one.
  static func run(_ arguments: [String], standardInput: Data? = nil) throws -> Result {
    let process = try DaemonProcess(arguments, keepsInputOpen: standardInput != nil)
    if let standardInput {
      process.write(standardInput)
      try process.closeInput()
    }
    return try process.waitUntilExit()
  }

  func write(_ data: Data) {
    // A process that has ended already is no fault of the test's.
    try? input.fileHandleForWriting.write(contentsOf: data)
  }

  func closeInput() throws {
    try input.fileHandleForWriting.close()
  }

  func send(signal number: Int32) {
    if process.isRunning { kill(process.processIdentifier, number) }
  }

  /// Waits for the end of the process and of its output.
  func waitUntilExit(within seconds: Double = 60) throws -> Result {
    guard poll(within: seconds, { !process.isRunning && collected.withLock { $0.openStreams } == 0 }) else {
      kill(process.processIdentifier, SIGKILL)
      throw TimedOut(description: "still running after \(seconds) s; it said: \(messages)")
    }
    let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    return Result(status: status, output: output, messages: messages)
  }

  /// Waits for something to be true.
  func wait(for what: String, within seconds: Double = 30, _ condition: () -> Bool) throws {
    guard poll(within: seconds, condition) else {
      throw TimedOut(description: "no \(what) after \(seconds) s; it said: \(messages)")
    }
  }

  private func collect(_ pipe: Pipe, _ stream: any WritableKeyPath<Collected, Data> & Sendable) {
    pipe.fileHandleForReading.readabilityHandler = { [self] handle in
      let data = handle.availableData
      collected.withLock {
        if data.isEmpty { $0.openStreams -= 1 } else { $0[keyPath: stream].append(data) }
      }
      if data.isEmpty { handle.readabilityHandler = nil }
    }
  }

  struct TimedOut: Error, CustomStringConvertible {
    var description: String
  }

  static let packageRoot = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The binary that was built beside the tests.
  static let executable = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("rxlocationd")
}

/// Asks every 10 ms whether something is true, up to a deadline.
func poll(within seconds: Double, _ condition: () -> Bool) -> Bool {
  let deadline = Date(timeIntervalSinceNow: seconds)
  while !condition() {
    if Date() > deadline { return false }
    usleep(10_000)
  }
  return true
}

/// A folder for one test, removed with it.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("rxlocationd-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(at: url)
  }

  func path(_ name: String) -> String {
    url.appendingPathComponent(name).path
  }

  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: url.appendingPathComponent(name))
    return path(name)
  }
}
