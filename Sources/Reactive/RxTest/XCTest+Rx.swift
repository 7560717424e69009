#if canImport(XCTest)
  import Rx
  internal import XCTest

  /// Asserts that two lists of events are equal; says which are not.
  public func XCTAssertEqual<Element: Equatable>(
    _ lhs: [Event<Element>], _ rhs: [Event<Element>], file: StaticString = #filePath, line: UInt = #line
  ) { assertEqual(lhs, rhs, file: file, line: line) }

  /// Asserts that two lists of a `Single`'s events are equal; says which are not.
  public func XCTAssertEqual<Element: Equatable>(
    _ lhs: [SingleEvent<Element>], _ rhs: [SingleEvent<Element>], file: StaticString = #filePath, line: UInt = #line
  ) { assertEqual(lhs.map(\.event), rhs.map(\.event), file: file, line: line) }

  /// Asserts that two lists of a `Maybe`'s events are equal; says which are not.
  public func XCTAssertEqual<Element: Equatable>(
    _ lhs: [MaybeEvent<Element>], _ rhs: [MaybeEvent<Element>], file: StaticString = #filePath, line: UInt = #line
  ) { assertEqual(lhs, rhs, file: file, line: line) }

  /// Asserts that two lists of a `Completable`'s events are equal; says which are not.
  public func XCTAssertEqual(
    _ lhs: [CompletableEvent], _ rhs: [CompletableEvent], file: StaticString = #filePath, line: UInt = #line
  ) { assertEqual(lhs, rhs, file: file, line: line) }

  /// Asserts that two lists of recorded events are equal in time and value; says which are not.
  public func XCTAssertEqual<Element: Equatable>(
    _ lhs: [Recorded<Event<Element>>], _ rhs: [Recorded<Event<Element>>],
    file: StaticString = #filePath, line: UInt = #line
  ) {
    assertEqual(lhs, rhs, file: file, line: line)
  }

  /// Asserts that `stream` holds exactly these elements, at whatever times, and no `completed` or `error`.
  public func XCTAssertRecordedElements<Element: Equatable>(
    _ stream: [Recorded<Event<Element>>], _ elements: [Element], file: StaticString = #filePath, line: UInt = #line
  ) {
    if let stopEvent = stream.first(where: \.value.isStopEvent) {
      XCTFail("The sequence ended: \(stopEvent)", file: file, line: line)
      return
    }
    assertEqual(stream.compactMap(\.value.element), elements, file: file, line: line)
  }

  private func assertEqual<Item: Equatable>(_ lhs: [Item], _ rhs: [Item], file: StaticString, line: UInt) {
    let differences = differences(lhs, rhs)
    if !differences.isEmpty { XCTFail("Differences:\n" + differences.joined(separator: "\n"), file: file, line: line) }
  }
#endif

/// What differs between two lists, a line each.
package func differences<Item: Equatable>(_ lhs: [Item], _ rhs: [Item]) -> [String] {
  (0..<max(lhs.count, rhs.count)).compactMap { index in
    let left = index < lhs.count ? lhs[index] : nil
    let right = index < rhs.count ? rhs[index] : nil
    guard left != right else { return nil }
    func text(_ item: Item?) -> String { item.map { "\($0)" } ?? "nothing" }
    return "  [\(index)]: \(text(left)) is not \(text(right))"
  }
}
