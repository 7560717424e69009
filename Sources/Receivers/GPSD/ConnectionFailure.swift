import Platform

/// Why there is no connection to gpsd.
enum ConnectionFailure: Error, Sendable, Equatable {
  /// There is none, now, or the source is being stopped.
  case connecting(ConnectFailure)
  /// Something answers that is not gpsd.
  case notGPSD(String)
  /// The connection was there and has ended.
  case lost(String)

  /// For a person: what happened, without the address.
  var reason: String {
    switch self {
    case .connecting(let failure): failure.reason
    case .notGPSD(let text), .lost(let text): text
    }
  }
}
