/// An error of the kernel itself (RxSwift).
public enum RxError: Swift.Error, Sendable {
  /// Something that cannot happen did.
  case unknown
  /// The object was used after it had been disposed.
  case disposed(object: any Sendable)
  /// Arithmetic overflow.
  case overflow
  /// An index out of range.
  case argumentOutOfRange
  /// The sequence had no element.
  case noElements
  /// The sequence had more than one element.
  case moreThanOneElement
  /// Nothing came in time.
  case timeout
}

extension RxError: CustomDebugStringConvertible {
  /// What happened, in words.
  public var debugDescription: String {
    switch self {
    case .unknown: "Unknown error occurred."
    case .disposed(let object): "Object `\(object)` was already disposed."
    case .overflow: "Arithmetic overflow occurred."
    case .argumentOutOfRange: "Argument out of range."
    case .noElements: "Sequence doesn't contain any elements."
    case .moreThanOneElement: "Sequence contains more than one element."
    case .timeout: "Sequence timeout."
    }
  }
}
