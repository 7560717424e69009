/// Where and how a publisher publishes. Times are in seconds.
public struct PublisherConfiguration: Sendable {
  /// The broker or the server.
  public var address: PublishingAddress
  /// The topic of locations; transitions and waypoints are on topics below it. Its last two levels are the user and the
  /// device to a server.
  public var topic: String
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
  /// Two characters that a map shows for this device.
  public var trackerID: String?
  /// How maps show the device; `nil` leaves that to them.
  public var card: Card?
  /// The least time between two locations; `nil` sends every one.
  public var interval: Double?
  /// After which time without a message the last location is sent again, or without a fix a status; `nil` for never.
  public var heartbeat: Double?
  /// Whether Home Assistant is told of the device by its MQTT discovery. The broker's will is about its availability then, and
  /// no message of type lwt.
  public var announcesToHomeAssistant = false
  /// Whether commands on the topic's `/cmd` are obeyed.
  public var takesCommands = false
  /// Whether the broker keeps the messages that this client has subscribed to while it is away, which is a session in MQTT 3.1.1.
  public var keepsSession = false
  /// Whether the queue ends with the publisher, so that it remembers nothing for the next one.
  public var isTemporary = false
  /// How long a name's lookup, a connection and a broker's first answer may each take.
  public var connectTimeout = 10.0
  /// How long an acknowledgement may take.
  public var acknowledgementTimeout = 30.0
  /// After which silence a broker is asked whether it is still there.
  public var keepAlive = 30
  /// The wait before the first new try; each further one is half as long again.
  public var minimumRetryDelay = 0.5
  /// The longest wait between two tries.
  public var maximumRetryDelay = 60.0

  /// Creates a configuration; `clientID` is made of the topic when there is none.
  public init(address: PublishingAddress, topic: String, clientID: String? = nil) {
    self.address = address
    self.topic = topic
    self.clientID = clientID ?? "rxlocationd-" + topic.replacing("/", with: "-")
  }

  var homeAssistant: HomeAssistant? { announcesToHomeAssistant ? HomeAssistant(topic: topic, name: card?.name) : nil }

  var rules: Delivery.Rules {
    var rules = Delivery.Rules(
      topic: topic, trackerID: trackerID, interval: interval, heartbeat: heartbeat, card: card,
      homeAssistant: homeAssistant)
    // Requests beside each other would arrive in any order.
    if case .server = address { rules.window = 1 }
    return rules
  }
}
