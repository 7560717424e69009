import Platform
import TestSupport
import Testing

@Suite(.inTurn) struct LineBufferTests {
  /// The lines that come out when `text` goes in by pieces of `size` bytes.
  private func lines(_ bytes: [UInt8], by size: Int) -> (lines: [String], dropped: Int) {
    var buffer = LineBuffer()
    var lines: [String] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      bytes[start..<min(bytes.count, start + size)].withUnsafeBytes {
        buffer.append($0) { lines.append(String(decoding: $0, as: UTF8.self)) }
      }
    }
    return (lines, buffer.droppedLines)
  }

  @Test(arguments: [1, 2, 3, 7, 100]) func cutsWhateverThePieces(size: Int) {
    let result = lines(Array("one\r\n\ntwo\n\r\nthree\r\r\nhalf".utf8), by: size)
    #expect(result.lines == ["one", "two", "three\r"])
    #expect(result.dropped == 0)
  }

  @Test(arguments: [1000, 65_536, 65_537, 200_000]) func dropsGiantLinesOnly(size: Int) {
    let fits = [UInt8](repeating: UInt8(ascii: "a"), count: LineBuffer.limit)
    let giant = [UInt8](repeating: UInt8(ascii: "b"), count: LineBuffer.limit + 1)
    let newline = [UInt8(ascii: "\n")]
    let result = lines(fits + newline + giant + newline + giant + giant + newline + Array("end\n".utf8), by: size)
    #expect(result.lines.map(\.utf8.count) == [LineBuffer.limit, 3])
    #expect(result.lines.last == "end")
    #expect(result.dropped == 2)
  }
}
