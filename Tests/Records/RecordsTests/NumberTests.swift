@testable import Records
import Foundation
import TestSupport
import Testing

@Suite(.inTurn) struct NumberTests {
  /// The nearest decimal of so many places to the exact binary value, halves away from zero, trimmed.
  static func expected(_ value: Double, _ places: Int) -> String {
    // glibc rounds the exact value, but a half to the even digit. The next number away from zero is more than a half.
    let rest = String(format: "%.60f", value).split(separator: ".")[1].dropFirst(places)
    let isHalf = rest.first == "5" && rest.dropFirst().allSatisfy { $0 == "0" }
    let away = value < 0 ? value.nextDown : value.nextUp
    var text = String(format: "%.\(places)f", isHalf ? away : value)
    while text.hasSuffix("0") && !text.hasSuffix(".0") { text.removeLast() }
    return text == "-0.0" ? "0.0" : text
  }

  private func check(_ value: Double) {
    if abs(value) < 4e6 { #expect(text { $0.append(value, places: .angle) } == Self.expected(value, 9)) }
    #expect(text { $0.append(value, places: .measure) } == Self.expected(value, 4))
  }

  @Test func numbersAreTheNearestDecimals() {
    for value in [
      0, -0.0, 1, -1, 0.1, 0.5, 1e-9, 4e-10, 5e-10, -4e-10, -5e-10, 1e-10, 0.00005, 0.00015, 0.00025, -0.00005,
      99.99995,
      0.99994999999, 9.9999999995, 179.9999999995, -179.999999999, 90, 0.1 + 0.2, 1.0 / 3, 2.0 / 3, 12_756_274.000125,
      4_294_967_296.5, 1e9 - 0.5, 0.000000000499999999, 2.5e-9, 3.5e-9, .leastNonzeroMagnitude, .ulpOfOne,
    ] { check(value) }
    var random = SplitMix(state: 7)
    for _ in 0..<1200 {
      check(.random(in: -180...180, using: &random))
      check(.random(in: -1e9...1e9, using: &random))
      // Halves, which the product with the scale may hit or miss by its rounding.
      let half = (Double(Int.random(in: -9_000_000...9_000_000, using: &random)) + 0.5) / 10_000
      for value in [half, half.nextUp, half.nextDown] { check(value) }
      let ninth = (Double(Int.random(in: -180_000_000_000...180_000_000_000, using: &random)) + 0.5) / 1e9
      for value in [ninth, ninth.nextUp, ninth.nextDown] { check(value) }
    }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, 1e15, -1e15])
  func whatHasNoSuchFormIsNotWritten(_ value: Double) {
    var buffer = RecordBuffer()
    let wrote = buffer.append(value, places: .measure)
    let isEmpty = buffer.isEmpty
    #expect((wrote, isEmpty, RecordBuffer.isWritable(value, places: .measure)) == (false, true, false))
  }

  @Test func theLargestThatIsWritten() {
    check(9e8)
    #expect(text { $0.append(8.99e14, places: .measure) } == "899000000000000.0")
  }

  @Test func wholeNumbers() {
    for value in [0, 7, -7, 10, 99, 100, 12345, -987_654_321, Int.max, Int.min, 999_999_999_999] {
      #expect(text { $0.append(value) } == String(value))
    }
  }

  @Test func aBufferGrows() {
    var buffer = RecordBuffer(capacity: 1)
    var expected = ""
    for number in 0..<5000 {
      buffer.append(number)
      buffer.append(",")
      expected += "\(number),"
    }
    #expect(buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } == expected)
    buffer.removeLast(1)
    let count = buffer.count
    #expect(count == expected.utf8.count - 1)
    buffer.removeLast(1 << 40)
    let isEmpty = buffer.isEmpty
    #expect(isEmpty)
  }
}
