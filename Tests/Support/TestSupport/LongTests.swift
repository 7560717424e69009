import Foundation

/// Whether the tests that take minutes run at their full length: with `RXLOCATIOND_LONG_TESTS=1`.
package let runsLongTests = ProcessInfo.processInfo.environment["RXLOCATIOND_LONG_TESTS"] == "1"
