/// Rejects, at compile time, delegate methods with Core Location's signatures that are never called here.
///
/// `LocationManagerDelegate` has a default for every method, so a method with another signature would compile and never
/// be called. An example is `locationManager(_:didFailWithError error: any Error)`, where this manager passes a
/// `LocationError`. A delegate with such a method does not compile, and the message names the right method.
///
/// This works by type inference. A class without the method gets the default below, whose result type is `NotWritten`.
/// A class with the method, which has no result, finds the requirement after it unavailable. Programs neither implement
/// nor call anything of this protocol.
@MainActor
public protocol CoreLocationSpelling: AnyObject {
  /// The result type of the next method: `NotWritten` unless the delegate implements it.
  associatedtype DidFailWithError
  /// Must not be implemented; the right method takes a `LocationError`.
  func locationManager(_ manager: LocationManager, didFailWithError error: any Error) -> DidFailWithError
  /// Available only to classes that do not implement the method.
  static func refuseDidFailWithError()

  /// The result type of the next method: `NotWritten` unless the delegate implements it.
  associatedtype MonitoringDidFail
  /// Must not be implemented; the right method takes a `LocationError`.
  func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: any Error
  ) -> MonitoringDidFail
  /// Available only to classes that do not implement the method.
  static func refuseMonitoringDidFail()

  /// The result type of the next method: `NotWritten` unless the delegate implements it.
  associatedtype DidChangeAuthorization
  /// Must not be implemented; the right method is `locationManagerDidChangeAuthorization(_:)`.
  func locationManager(
    _ manager: LocationManager, didChangeAuthorization status: AuthorizationStatus
  ) -> DidChangeAuthorization
  /// Available only to classes that do not implement the method.
  static func refuseDidChangeAuthorization()
}

/// Marks a rejected method that a delegate does not implement.
public struct NotWritten: Sendable {
  /// The only value.
  public init() {}
}

extension CoreLocationSpelling {
  /// Stands in for a method that is not implemented.
  public func locationManager(_ manager: LocationManager, didFailWithError error: any Error) -> NotWritten {
    NotWritten()
  }

  /// Stands in for a method that is not implemented.
  public func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: any Error
  ) -> NotWritten {
    NotWritten()
  }

  /// Stands in for a method that is not implemented.
  public func locationManager(
    _ manager: LocationManager, didChangeAuthorization status: AuthorizationStatus
  ) -> NotWritten {
    NotWritten()
  }
}

extension CoreLocationSpelling where DidFailWithError == NotWritten {
  /// Does nothing.
  public static func refuseDidFailWithError() {}
}

extension CoreLocationSpelling where DidFailWithError == Void {
  /// Unavailable.
  @available(
    *, unavailable,
    message: "a location manager never calls this; write locationManager(_:didFailWithError error: LocationError)"
  )
  public static func refuseDidFailWithError() {}
}

extension CoreLocationSpelling where MonitoringDidFail == NotWritten {
  /// Does nothing.
  public static func refuseMonitoringDidFail() {}
}

extension CoreLocationSpelling where MonitoringDidFail == Void {
  /// Unavailable.
  @available(
    *, unavailable,
    message: """
      a location manager never calls this; \
      write locationManager(_:monitoringDidFailFor:withError error: LocationError)
      """
  )
  public static func refuseMonitoringDidFail() {}
}

extension CoreLocationSpelling where DidChangeAuthorization == NotWritten {
  /// Does nothing.
  public static func refuseDidChangeAuthorization() {}
}

extension CoreLocationSpelling where DidChangeAuthorization == Void {
  /// Unavailable.
  @available(
    *, unavailable,
    message: "a location manager never calls this; write locationManagerDidChangeAuthorization(_:)"
  )
  public static func refuseDidChangeAuthorization() {}
}
