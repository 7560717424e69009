import Rx

/// Events are equal when they are the same case with equal elements. Errors need not be `Equatable`: they are equal when
/// they are of one type and describe themselves alike, which is what RxTest asks of them.
extension Event: Equatable where Element: Equatable {
  /// Whether two events are equal.
  public static func == (lhs: Event<Element>, rhs: Event<Element>) -> Bool {
    switch (lhs, rhs) {
    case (.next(let left), .next(let right)): left == right
    case (.error(let left), .error(let right)): areEqual(left, right)
    case (.completed, .completed): true
    case (.next, _), (.error, _), (.completed, _): false
    }
  }
}

/// Whether two errors count as equal in a test.
func areEqual(_ left: any Error, _ right: any Error) -> Bool {
  type(of: left) == type(of: right) && "\(left)" == "\(right)"
}
