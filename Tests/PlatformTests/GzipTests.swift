import Platform
import TestSupport
import Testing

@Suite(.inTurn) struct GzipTests {
  /// The last of several members, or the only one, lacks some bytes.
  @Test(arguments: [0, 1]) func aMemberThatEndsTooEarlyIsNoticed(wholeMembers: Int) throws {
    let member = try gzip(Array("$GPRMC\n".utf8))
    let bytes = Array(repeatElement(member, count: wholeMembers).joined()) + member.dropLast(3)
    let gunzip = try Gunzip()
    var text: [UInt8] = []
    try bytes.withUnsafeBufferPointer { bytes in try gunzip.decompress(bytes) { text += $0 } }
    #expect(text.count == 7 * (wholeMembers + 1))
    #expect(throws: GzipError.truncated) { try gunzip.finish() }
  }
}
