import Foundation
import Glibc
import Synchronization
import Testing

@testable import Output

/// What a formatter appends, as text.
func text(_ fill: (inout RecordBuffer) -> Void) -> String {
  var buffer = RecordBuffer(capacity: 64)
  fill(&buffer)
  return buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
}

/// A record buffer that holds text.
func record(_ text: String) -> RecordBuffer {
  var buffer = RecordBuffer()
  var text = text
  text.withUTF8 { buffer.append(contentsOf: UnsafeRawBufferPointer($0)) }
  return buffer
}

/// A folder of its own for one test, removed afterwards.
final class TemporaryFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/rxlocationd-output-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw POSIXError(.EIO) }
    path = String(cString: made)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func file(_ name: String) -> String { path + "/" + name }
}

/// Whether a condition came true within a generous time.
func eventually(within seconds: Double = 30, _ condition: () async throws -> Bool) async rethrows
  -> Bool
{
  let deadline = Date.now.addingTimeInterval(seconds)
  while Date.now < deadline {
    if try await condition() { return true }
    try? await Task.sleep(for: .milliseconds(5))
  }
  return try await condition()
}

/// Collects what is told on other threads.
final class Collector<Element: Sendable>: Sendable {
  private let state = Mutex<[Element]>([])
  var all: [Element] { state.withLock { $0 } }
  func add(_ element: Element) { state.withLock { $0.append(element) } }
}

/// The contents of a file, or nothing.
func contents(_ path: String) -> String {
  (try? String(decoding: Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)) ?? ""
}
