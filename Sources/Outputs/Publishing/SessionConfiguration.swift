/// Where a session with a broker or a server is, and how this client is let in. Times are in seconds.
public struct SessionConfiguration: Sendable {
  /// The broker or the server.
  public var address: PublishingAddress
  /// Who this client is to a broker. Two clients of one name drive each other out.
  public var clientID: String
  /// The user that is to be let in.
  public var user: String?
  /// The regular file whose first line is the user's password. It is read again for each session.
  public var passwordFile: String?
  /// The regular file whose first line is what payloads are encrypted with; `nil` for payloads that are not. It is read again
  /// for each session.
  public var encryptionKeyFile: String?
  /// A PEM file of the authorities that may vouch for the other side; `nil` for the system's.
  public var authorities: String?
  /// A PEM file with this client's certificate; with `key`.
  public var certificate: String?
  /// A PEM file with the certificate's private key.
  public var key: String?
  /// Whether the broker keeps the messages that this client has subscribed to while it is away: MQTT 3.1.1's session that is
  /// not clean.
  public var keepsSession = false
  /// How long a name's lookup, a connection and a broker's first answer may each take.
  public var connectTimeout = 10.0
  /// After which silence a broker is asked whether it is still there.
  public var keepAlive = 30
  /// The wait before the first new try; each further one is half as long again.
  public var minimumRetryDelay = 0.5
  /// The longest wait between two tries.
  public var maximumRetryDelay = 60.0

  /// Creates a configuration of a session that needs no user.
  public init(address: PublishingAddress, clientID: String) {
    (self.address, self.clientID) = (address, clientID)
  }
}
