/// Where and how a publisher publishes. Times are in seconds.
public struct PublisherConfiguration: Sendable {
  /// The broker or the server, and how this client is let in.
  public var session: SessionConfiguration
  /// The topic of locations; transitions and waypoints are on topics below it. Its last two levels are the user and the
  /// device to a server.
  public var topic: String
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
  /// Whether the queue ends with the publisher, so that it remembers nothing for the next one.
  public var isTemporary = false
  /// How long an acknowledgement may take.
  public var acknowledgementTimeout = 30.0

  /// Creates a configuration; `clientID` is made of the topic when there is none.
  public init(address: PublishingAddress, topic: String, clientID: String? = nil) {
    self.topic = topic
    session = SessionConfiguration(
      address: address, clientID: clientID ?? "rxlocationd-" + topic.replacing("/", with: "-"))
  }

  var homeAssistant: HomeAssistant? { announcesToHomeAssistant ? HomeAssistant(topic: topic, name: card?.name) : nil }

  var rules: Delivery.Rules {
    var rules = Delivery.Rules(
      topic: topic, trackerID: trackerID, interval: interval, heartbeat: heartbeat, card: card,
      homeAssistant: homeAssistant)
    // Requests beside each other would arrive in any order.
    if session.address.peer == .server { rules.window = 1 }
    return rules
  }
}
