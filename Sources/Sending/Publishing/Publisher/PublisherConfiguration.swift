import LocationKit

/// The settings of a publisher. Times are in seconds.
public struct PublisherConfiguration: Sendable {
  /// The broker or the server, and the credentials.
  public var session: SessionConfiguration
  /// The topic of locations; transitions and waypoints are on topics below it. A server gets its last two levels as the
  /// user and the device.
  public var topic: String
  /// Two characters that maps show for this device.
  public var trackerID: String?
  /// The device's name and picture; `nil` for none.
  public var card: DeviceCard?
  /// The least time between two locations; `nil` sends all of them.
  public var interval: Double?
  /// The time without a message after which the last location, or without a fix a status, is sent again; `nil` for
  /// never.
  public var heartbeat: Double?
  /// Whether to announce the device through Home Assistant's MQTT discovery. The broker's will is then the
  /// availability, and not a message of type lwt.
  public var announcesToHomeAssistant = false
  /// Whether to execute commands on the topic's `/cmd`.
  public var takesCommands = false
  /// What the other side may know of the position.
  package var privacy = PrivacyPolicy.exact
  /// The time limit for an acknowledgement.
  public var acknowledgementTimeout = 30.0

  /// Creates a configuration; `clientID` is derived from the topic by default.
  public init(address: PublishingAddress, topic: String, clientID: String? = nil) {
    self.topic = topic
    session = SessionConfiguration(
      address: address, clientID: clientID ?? "rxlocationd-" + topic.replacing("/", with: "-"))
  }

  var homeAssistant: HomeAssistant? { announcesToHomeAssistant ? HomeAssistant(topic: topic, name: card?.name) : nil }

  /// The will that the broker publishes if this client disappears. MQTT allows one will only, and Home Assistant needs
  /// a retained one.
  func will(time: Int, encryptedWith key: PayloadKey?) -> OutgoingMessage {
    homeAssistant?.availability(false)
      ?? OutgoingMessage(topic: topic, OwnTracksMessage.will(time: time)).encrypted(with: key)
  }
}
