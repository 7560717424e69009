import Platform

/// A session with a broker, or requests to an HTTP server. Its owner's `wait` drives it. Not thread-safe.
protocol PublishingConnection: AnyObject {
  /// Whether the other side has answered successfully.
  var isEstablished: Bool { get }

  /// Sends a message.
  ///
  /// - Returns: The number of its answer; `nil` when it is larger than the other side accepts.
  func publish(_ message: Outgoing) throws(BrokerFailure) -> Int32?

  /// Waits once for the other side, the bell, `stop` or the deadline; true when the bell rang.
  func wait(bell: Wakeup?, stop: Wakeup, until deadline: Double) throws(BrokerFailure) -> Bool

  /// The answers since the last call.
  func takeAnswers() -> [PublishingAnswer]

  /// Ends the session.
  func disconnect()
}

/// The answer of a broker or a server to a message.
struct PublishingAnswer: Equatable {
  /// The message's number.
  var identifier: Int32
  /// The reason of a refusal; `nil` when the message is accepted.
  var refusal: MessageRefusal?
}
