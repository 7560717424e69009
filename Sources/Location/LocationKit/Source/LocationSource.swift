/// Whatever produces fixes: gpsd, a recording, a test.
///
/// A source runs while it has receivers: the first `attach` starts it, the last `detach` stops it. It
/// reads on a thread of its own and delivers on the main actor, serially, in order. `LocationSourceHub`
/// does the book-keeping for an implementation.
@MainActor
public protocol LocationSource: AnyObject {
  /// What time it is for this source. The manager's timers (staleness, dwell) run on it, so that a
  /// recording at any speed gives the same answers. Always the same object.
  var clock: any LocationClock { get }

  /// Whether this process may use the source.
  var authorizationStatus: AuthorizationStatus { get }

  /// What the source is doing.
  var status: LocationSourceStatus { get }

  /// Adds a receiver; the first one starts the source. Adding one again does nothing.
  func attach(_ receiver: any LocationSourceReceiver)

  /// Removes a receiver; the last one stops the source. Nothing is delivered to it afterwards.
  func detach(_ receiver: any LocationSourceReceiver)
}

/// Who a source delivers to; a `LocationManager`, as a rule. Sources hold it weakly.
@MainActor
public protocol LocationSourceReceiver: AnyObject {
  /// Takes one event, in the order in which the source had them.
  func receive(_ event: LocationSourceEvent)

  /// Seconds of silence after which a location counts as unknown here. A source with several receivers under it turns
  /// to another one in time. 10 s unless an implementation says otherwise.
  var staleAfter: Double { get }
}

extension LocationSourceReceiver {
  /// 10 s.
  public var staleAfter: Double { 10 }
}
