/// The address and credentials of a session with a broker or a server. Times are in seconds.
public struct SessionConfiguration: Sendable {
  /// The broker or the server.
  public var address: PublishingAddress
  /// The client's identifier for a broker. Two clients with one identifier disconnect each other.
  public var clientID: String
  /// The user for authentication.
  public var user: String?
  /// A regular file whose first line is the user's password. It is read for each session.
  public var passwordFile: String?
  /// A regular file whose first line is the encryption key of payloads; `nil` for plain payloads. It is read for each
  /// session.
  public var encryptionKeyFile: String?
  /// A PEM file of certificate authorities for the other side; `nil` for the system's.
  public var authorities: String?
  /// A PEM file with this client's certificate; with `key`.
  public var certificate: String?
  /// A PEM file with the certificate's private key.
  public var key: String?
  /// Whether the broker keeps messages for this client while it is away: an MQTT 3.1.1 session that is not clean.
  public var keepsSession = false
  /// The time limit for each of the name lookup, the connection and a broker's first answer.
  public var connectTimeout = 10.0
  /// The silence after which the client pings the broker.
  public var keepAlive = 30
  /// The wait before the first retry; each further wait is half as long again.
  public var minimumRetryDelay = 0.5
  /// The longest wait between two tries.
  public var maximumRetryDelay = 60.0

  /// Creates the configuration of a session without a user.
  public init(address: PublishingAddress, clientID: String) { (self.address, self.clientID) = (address, clientID) }
}
