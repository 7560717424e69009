#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ObservableType {
  /// This sequence, its events, subscriptions and disposals printed on standard output (RxSwift). Each line begins with
  /// `identifier`, by default the place in the source. `trimOutput` cuts elements of more than 40 characters.
  public func debug(
    _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
    function: String = #function
  ) -> Observable<Element> {
    let identifier = identifier ?? "\(file.split(separator: "/").last ?? ""):\(line) (\(function))"
    let log = DebugLog(identifier: identifier, trims: trimOutput)
    return self.do(
      onNext: { log.write(Event.next($0)) },
      onError: { log.write(Event<Element>.error($0)) },
      onCompleted: { log.write(Event<Element>.completed) },
      onSubscribe: { log.write("subscribed") },
      onDispose: { log.write("isDisposed") })
  }
}

private struct DebugLog: Sendable {
  let identifier: String
  let trims: Bool

  func write(_ message: String) { print("\(Date().formatted(.iso8601)): \(identifier) -> \(message)") }

  func write<Element>(_ event: Event<Element>) {
    let text = "\(event)"
    guard trims, text.count > 40 else { return write("Event \(text)") }
    write("Event \(text.prefix(20))...\(text.suffix(20))")
  }
}
