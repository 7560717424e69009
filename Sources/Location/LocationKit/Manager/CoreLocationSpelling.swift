/// Refuses delegate methods that are spelled as Core Location spells them and that nobody would call here.
///
/// `LocationManagerDelegate` has a default for every method, so a method of another type compiles and stays silent:
/// `locationManager(_:didFailWithError error: any Error)`, where this manager reports a `LocationError`. Here a delegate
/// that has such a method does not compile, and the message names the right one.
///
/// It works by inference. A class that does not write the method gets the default below, whose result is a
/// `NotWritten`. A class that writes it, without a result, finds the requirement after it unavailable. There is
/// nothing to implement and nothing to call.
@MainActor
public protocol CoreLocationSpelling: AnyObject {
  /// The result of the method after it: `NotWritten` unless somebody writes that method.
  associatedtype DidFailWithError
  /// Not to be written; the right one takes a `LocationError`.
  func locationManager(_ manager: LocationManager, didFailWithError error: any Error) -> DidFailWithError
  /// Available to classes that do not write it.
  static func refuseDidFailWithError()

  /// The result of the method after it: `NotWritten` unless somebody writes that method.
  associatedtype MonitoringDidFail
  /// Not to be written; the right one takes a `LocationError`.
  func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: any Error
  ) -> MonitoringDidFail
  /// Available to classes that do not write it.
  static func refuseMonitoringDidFail()

  /// The result of the method after it: `NotWritten` unless somebody writes that method.
  associatedtype DidChangeAuthorization
  /// Not to be written; the right one is `locationManagerDidChangeAuthorization(_:)`.
  func locationManager(
    _ manager: LocationManager, didChangeAuthorization status: AuthorizationStatus
  ) -> DidChangeAuthorization
  /// Available to classes that do not write it.
  static func refuseDidChangeAuthorization()
}

/// Says that a delegate has no method of a spelling that is refused.
public struct NotWritten: Sendable {
  /// The only value.
  public init() {}
}

extension CoreLocationSpelling {
  /// Stands for a method that is not written.
  public func locationManager(_ manager: LocationManager, didFailWithError error: any Error) -> NotWritten {
    NotWritten()
  }

  /// Stands for a method that is not written.
  public func locationManager(
    _ manager: LocationManager, monitoringDidFailFor region: CircularRegion?, withError error: any Error
  ) -> NotWritten {
    NotWritten()
  }

  /// Stands for a method that is not written.
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
  /// Refused.
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
  /// Refused.
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
  /// Refused.
  @available(
    *, unavailable,
    message: "a location manager never calls this; write locationManagerDidChangeAuthorization(_:)"
  )
  public static func refuseDidChangeAuthorization() {}
}
