import Foundation
import RxTestSupport
import Testing

/// Runs each test of a suite that `leavesNoResources` once more, one after another in a process of their own: only there
/// does a count of live objects belong to a single test.
@Suite(.startsPrograms, .enabled(if: !LeavesNoResources.runsAlone)) struct ResourceTests {
  @Test func noTestLeaksResources() async throws {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    process.arguments = [
      "--testing-library", "swift-testing", "--no-parallel", "--filter",
      try suites().joined(separator: "|"),
    ]
    process.environment = ProcessInfo.processInfo.environment.merging(["RXLOCATIOND_TESTS_ALONE": "1"]) { $1 }
    let log = FileManager.default.temporaryDirectory.appending(path: "resources-\(UUID()).log")
    defer { try? FileManager.default.removeItem(at: log) }
    try Data().write(to: log)
    let output = try FileHandle(forWritingTo: log)
    process.standardOutput = output
    process.standardError = output
    try process.run()
    #expect(await eventually(within: 600) { !process.isRunning })
    let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
    #expect(lines.filter { $0.contains("recorded an issue") || $0.contains("ThreadSanitizer") } == [])
    #expect(process.terminationStatus == 0, "\(lines.last ?? "")")
  }

  /// A pattern for the tests of each file in `Reactive` whose suites `leavesNoResources`.
  private func suites() throws -> [String] {
    let folder = Checkout.file("Tests/Reactive")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    let counting = try (files ?? []).filter { file in
      guard file.pathExtension == "swift" else { return false }
      return try String(contentsOf: file, encoding: .utf8).contains("@Suite(.leavesNoResources")
    }
    #expect(counting.count > 30)
    return counting.map { file in
      let module = file.pathComponents[folder.pathComponents.count]
      return #"^\#(module)\..*/\#(file.deletingPathExtension().lastPathComponent)\.swift:"#
    }
  }
}
