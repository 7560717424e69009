import Foundation
import TestSupport
import Testing

/// The assertions that RxTest has for users of XCTest. They are tried in a program, because a test of Swift Testing does not
/// see what XCTest reports.
@Suite(.startsPrograms) struct XCTestTests {
  private func failures(_ assertions: String) throws -> [String] {
    let program = """
      import Rx
      import RxTest
      import XCTest

      struct Failure: Error {}

      final class Assertions: XCTestCase {
        func test() {
          \(assertions)
        }
      }

      final class Printer: XCTestObservation {
        func testCase(_ test: XCTestCase, didFailWithDescription text: String, inFile file: String?, atLine line: Int) {
          print("failure:", text.components(separatedBy: "\\n").last!)
        }

        func testCaseDidFinish(_ test: XCTestCase) {
          print("finished")
        }

        func testBundleDidFinish(_ bundle: Bundle) {
          exit(0)
        }
      }

      XCTMain([testCase([("test", Assertions.test)])], arguments: ["tests"], observers: [Printer()])
      """
    let lines = try Compiler.output(of: program, input: URL(filePath: "/dev/null")).split(separator: "\n")
    #expect(lines.contains("finished"))
    return lines.filter { $0.hasPrefix("failure: ") }.map { String($0.dropFirst("failure: ".count)) }
  }

  @Test func equalListsPass() throws {
    let failures = try failures(
      """
      XCTAssertEqual([Event.next(1), .completed], [.next(1), .completed])
      XCTAssertEqual([SingleEvent<Int>.success(1), .failure(Failure())], [.success(1), .failure(Failure())])
      XCTAssertEqual([MaybeEvent<Int>.success(1), .completed], [.success(1), .completed])
      XCTAssertEqual([CompletableEvent.completed], [.completed])
      XCTAssertEqual([Recorded.next(1, 5), .completed(2)], [.next(1, 5), .completed(2)])
      XCTAssertEqual([Recorded.next(1, nil as Int?)], [.next(1, nil)])
      XCTAssertRecordedElements([Recorded.next(3, 1), .next(4, 2)], [1, 2])
      """)
    #expect(failures == [])
  }

  @Test func eachDifferenceIsReported() throws {
    let failures = try failures(
      """
      XCTAssertEqual([Event.next(1), .completed], [.next(2), .completed])
      XCTAssertEqual([SingleEvent<Int>.success(1)], [.failure(Failure())])
      XCTAssertEqual([MaybeEvent<Int>.success(1)], [.completed])
      XCTAssertEqual([CompletableEvent.completed], [])
      XCTAssertEqual([Recorded.next(1, 5)], [.next(2, 5)])
      XCTAssertEqual([Recorded.next(1, nil as Int?)], [.next(1, 0)])
      XCTAssertRecordedElements([Recorded.next(3, 1)], [2])
      XCTAssertRecordedElements([Recorded.next(3, 1), .completed(4)], [1])
      """)
    #expect(
      failures == [
        "  [0]: next(1) is not next(2)",
        "  [0]: next(1) is not error(Failure())",
        "  [0]: success(1) is not completed",
        "  [0]: completed is not nothing",
        "  [0]: next(5) @ 1 is not next(5) @ 2",
        "  [0]: next(nil) @ 1 is not next(Optional(0)) @ 1",
        "  [0]: 1 is not 2",
        "failed - The sequence ended: completed @ 4",
      ])
  }
}
