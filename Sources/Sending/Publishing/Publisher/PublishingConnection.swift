import Platform

/// A session with a broker, or requests to an HTTP server. Its owner's `wait` drives it. Not thread-safe.
package protocol PublishingConnection: AnyObject {
  /// Whether the other side cannot report that it refuses a message.
  var isOld: Bool { get }

  var isEstablished: Bool { get }

  /// Sends a message. Returns the number of its answer; `nil` when it is larger than the other side accepts.
  func publish(_ message: OutgoingMessage) throws(BrokerFailure) -> Int32?

  /// Waits once for the other side, the bell, `stop` or the deadline; true when the bell rang.
  func wait(bell: Wakeup?, stop: Wakeup, until deadline: Double) throws(BrokerFailure) -> Bool

  /// The answers since the last call of `takeAnswers`.
  var answers: [PublishingAnswer] { get set }

  /// Whether the other side has accepted all subscriptions so far; `nil` before its answer.
  var maySubscribe: Bool? { get }

  /// Subscribes to a topic; `maySubscribe` then has the answer. A server sends no messages.
  func subscribe(to topic: String) throws(BrokerFailure)

  func takeMessages() -> [BrokerConnection.Message]

  func disconnect()
}

extension PublishingConnection {
  package var isOld: Bool { false }
  package var maySubscribe: Bool? { nil }
  package func subscribe(to topic: String) throws(BrokerFailure) {}
  package func takeMessages() -> [BrokerConnection.Message] { [] }

  package func takeAnswers() -> [PublishingAnswer] {
    defer { answers.removeAll(keepingCapacity: true) }
    return answers
  }
}

package struct PublishingAnswer: Equatable {
  var identifier: Int32
  /// The reason of a refusal; `nil` when the message is accepted.
  package var refusal: MessageRefusal?
}

package struct OutgoingMessage: Equatable {
  package enum Origin: Equatable {
    case row(Int64)
    /// A message about the publisher or its fences, which is not stored in a journal.
    case announcement
    case heartbeat
    /// A message that the other side does not acknowledge: the last one of a session.
    case unacknowledged
  }

  var origin: Origin
  var topic: String
  var payload: [UInt8]
  var isRetained: Bool

  package init(_ origin: Origin = .announcement, topic: String, _ payload: [UInt8], isRetained: Bool = false) {
    (self.origin, self.topic, self.payload, self.isRetained) = (origin, topic, payload, isRetained)
  }

  /// Whether to skip this message after such a refusal: it will never be accepted, or it is not stored in a journal and
  /// must not delay messages that are.
  func isSkipped(for refusal: MessageRefusal) -> Bool {
    if case .row = origin { refusal.isOfThisMessage } else { true }
  }

  func encrypted(with key: PayloadKey?) -> OutgoingMessage {
    var message = self
    if let key { message.payload = key.encrypted(payload) }
    return message
  }
}

package struct MessageRefusal: Sendable, Hashable {
  /// The reason in MQTT's or HTTP's words, such as "Not authorized".
  package var text: String
  /// Whether it concerns only this message, which will never be accepted, and not a setting that an administrator can
  /// change.
  var isOfThisMessage: Bool
}

extension MessageRefusal {
  package static let tooLarge = MessageRefusal(text: MQTTReason.text(MQTTReason.tooLarge), isOfThisMessage: true)

  /// Creates a refusal from MQTT 5's reason codes from 0x80 on; `nil` for other codes.
  init?(reason code: UInt8) {
    if code < 0x80 { return nil }
    self.init(text: MQTTReason.text(code), isOfThisMessage: MQTTReason.ofMessage.contains(code))
  }
}
