import Platform
import TestSupport
import Testing

@testable import GPSD

@Suite(.inTurn) struct EndlessLineTests {
  /// A gpsd that greets, confirms the watch, and then sends a line without an end.
  private final class Endless: GPSDStream {
    private var texts = [
      #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"# + "\n",
      #"{"class":"WATCH","enable":true,"json":true}"# + "\n",
    ]

    func wait(seconds: Double?) -> Wakeup.Outcome { .ready }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
      let text = texts.isEmpty ? String(repeating: "x", count: buffer.count) : texts.removeFirst()
      buffer.copyBytes(from: text.utf8)
      return text.utf8.count
    }

    func send(_ command: String) {}
  }

  @Test("a line without an end is one malformed line, as soon as it is too long")
  func endlessLine() throws {
    let connection = GPSDConnection(Endless(), decoder: try #require(ReportDecoder()), patience: 60)
    var lines: [String] = []
    for _ in 0..<20 {
      try connection.read(after: .ready) { report, line in
        if report == .malformed { lines.append(String(decoding: line, as: UTF8.self)) }
      }
    }
    #expect(lines == ["{"])
  }
}
