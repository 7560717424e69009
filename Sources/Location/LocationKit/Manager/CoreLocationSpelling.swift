/// Rejects, at compile time, delegate methods with Core Location's signatures that are never called here.
///
/// `LocationManagerDelegate` has a default for every method, so a method with another signature would compile and never
/// be called. An example is `locationManager(_:didFailWithError error: any Error)`, where this manager passes a
/// `LocationError`. A delegate with such a method does not compile, and the message names the right method.
///
/// This works by type inference. A class without the method gets the default below, whose result type is `NotWritten`.
/// For a class with the method, which has no result, the requirement after it is unavailable. Programs neither implement
/// nor call anything of this protocol.
@MainActor
public protocol CoreLocationSpelling: AnyObject {
  /// The result type of the next method: `NotWritten` unless the delegate implements it.
  associatedtype DidFailWithError
  /// Must not be implemented; the right method takes a `LocationError`.
  func locationManager(_ manager: LocationManager, didFailWithError error: any Error) -> DidFailWithError
  /// Available only to classes that do not implement the method.
  static func refuseDidFailWithError(_ result: DidFailWithError.Type)

  /// The result type of the next method: `NotWritten` unless the delegate implements it.
  associatedtype MonitoringDidFail
  /// Must not be implemented; the right method takes a `LocationError`.
  func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: any Error
  ) -> MonitoringDidFail
  /// Available only to classes that do not implement the method.
  static func refuseMonitoringDidFail(_ result: MonitoringDidFail.Type)

  /// The result type of the next method: `NotWritten` unless the delegate implements it.
  associatedtype DidChangeAuthorization
  /// Must not be implemented; the right method is `locationManagerDidChangeAuthorization(_:)`.
  func locationManager(
    _ manager: LocationManager, didChangeAuthorization status: AuthorizationStatus
  ) -> DidChangeAuthorization
  /// Available only to classes that do not implement the method.
  static func refuseDidChangeAuthorization(_ result: DidChangeAuthorization.Type)
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

  /// Does nothing.
  public static func refuseDidFailWithError(_ result: NotWritten.Type) {}

  /// Unavailable.
  @available(
    *, unavailable,
    message: "a location manager never calls this; write locationManager(_:didFailWithError error: LocationError)"
  )
  public static func refuseDidFailWithError(_ result: Void.Type) {}

  /// Does nothing.
  public static func refuseMonitoringDidFail(_ result: NotWritten.Type) {}

  /// Unavailable.
  @available(
    *, unavailable,
    message: """
      a location manager never calls this; \
      write locationManager(_:monitoringDidFailFor:withError error: LocationError)
      """
  )
  public static func refuseMonitoringDidFail(_ result: Void.Type) {}

  /// Does nothing.
  public static func refuseDidChangeAuthorization(_ result: NotWritten.Type) {}

  /// Unavailable.
  @available(
    *, unavailable,
    message: "a location manager never calls this; write locationManagerDidChangeAuthorization(_:)"
  )
  public static func refuseDidChangeAuthorization(_ result: Void.Type) {}
}
