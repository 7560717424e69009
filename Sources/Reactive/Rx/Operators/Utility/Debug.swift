#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ObservableType {
  /// The same sequence with its events, subscriptions and disposals printed to standard output (RxSwift's `debug`).
  ///
  /// - Parameters:
  ///   - identifier: What begins each line; by default the place in the source.
  ///   - trimOutput: Whether elements of more than 40 characters are printed in part.
  ///   - file: The file that is printed when there is no `identifier`.
  ///   - line: The line that is printed when there is no `identifier`.
  ///   - function: The function that is printed when there is no `identifier`.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> Observable<Element> {
    let identifier = identifier ?? "\(file.split(separator: "/").last ?? ""):\(line) (\(function))"
    let log = DebugLog(identifier: identifier, trims: trimOutput)
    let source = asObservable()
    return OperatorProducer { downstream in
      log.write("subscribed")
      let sink = DebugSink(downstream, log)
      sink.setUpstream(source.subscribe(sink))
      return sink
    }
  }
}

private struct DebugLog: Sendable {
  let identifier: String
  let trims: Bool

  func write(_ message: String) {
    print("\(Date().formatted(.iso8601)): \(identifier) -> \(message)")
  }

  func write<Element>(_ event: Event<Element>) {
    let text = "\(event)"
    guard trims, text.count > 40 else { return write("Event \(text)") }
    write("Event \(text.prefix(20))...\(text.suffix(20))")
  }
}

/// `@unchecked Sendable`: immutable.
private final class DebugSink<Element: Sendable>: OperatorSink<Element, Element>, @unchecked Sendable {
  private let log: DebugLog

  init(_ downstream: Sink<Element>, _ log: DebugLog) {
    self.log = log
    super.init(downstream)
  }

  override func next(_ element: Element) {
    log.write(Event.next(element))
    downstream.next(element)
  }

  override func sourceGone() {
    downstream.sourceGone()
  }

  override func error(_ error: any Error) {
    log.write(Event<Element>.error(error))
    finish(error)
  }

  override func completed() {
    log.write(Event<Element>.completed)
    finish()
  }

  override func didDispose() {
    log.write("isDisposed")
  }
}
