import Rx

extension SharedSequenceConvertibleType {
  /// The same elements; every event, subscription and disposal is printed on standard output.
  ///
  /// - Parameters:
  ///   - identifier: What begins each line; by default the place in the source.
  ///   - trimOutput: Whether long elements are printed in part.
  ///   - file: The file that is printed when there is no `identifier`.
  ///   - line: The line that is printed when there is no `identifier`.
  ///   - function: The function that is printed when there is no `identifier`.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> SharedSequence<SharingStrategy, Element> {
    SharedSequence(
      asObservable().debug(identifier, trimOutput: trimOutput, file: file, line: line, function: function))
  }
}
