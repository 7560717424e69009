import Glibc

/// Why there is no link to gpsd.
enum LinkFailure: Error, Sendable, Equatable {
  /// The source is being stopped.
  case stopped
  /// There is no gpsd there, now.
  case unreachable(String)
  /// The system does not let this process connect.
  case denied(String)
  /// Something answers that is not gpsd.
  case notGPSD(String)
  /// The link was there and has ended.
  case lost(String)
  /// This process is out of something.
  case system(String)

  /// For a person: what happened, without the address.
  var reason: String {
    switch self {
    case .stopped: "stopped"
    case .unreachable(let text), .denied(let text), .notGPSD(let text), .lost(let text), .system(let text): text
    }
  }

  /// The failure that an error number of `socket` or `connect` means.
  init(connecting error: Int32) {
    let text = errorText(error)
    switch error {
    case EACCES, EPERM: self = .denied(text)
    case EMFILE, ENFILE, ENOMEM, ENOBUFS: self = .system(text)
    default: self = .unreachable(text)
    }
  }
}

/// The system's text for an error number, such as "Connection refused".
func errorText(_ error: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  guard strerror_r(error, &buffer, buffer.count) == 0 else { return "error \(error)" }
  return buffer.withUnsafeBufferPointer { $0.baseAddress.map(String.init(cString:)) ?? "" }
}
