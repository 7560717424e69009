import Platform

/// What messages are published over: a session with a broker, or requests to an HTTP server. Its owner's `wait` drives it.
/// Not thread-safe.
protocol PublishingConnection: AnyObject {
  /// Whether the other side has answered as it should.
  var isEstablished: Bool { get }

  /// Hands over a message.
  ///
  /// - Returns: The number of its answer; `nil` when the other side has said that it takes none so large.
  func publish(_ message: Outgoing) throws(BrokerFailure) -> Int32?

  /// Waits once for the other side, the bell, `stop` or the deadline; true when the bell rang.
  func wait(bell: Wakeup?, stop: Wakeup, until deadline: Double) throws(BrokerFailure) -> Bool

  /// What the other side answered since the last call.
  func takeAnswers() -> [PublishingAnswer]

  /// Says goodbye.
  func disconnect()
}

/// What a broker or a server answered to a message.
struct PublishingAnswer: Equatable {
  /// The message's number.
  var identifier: Int32
  /// Why the message is not taken; `nil` when it is.
  var refusal: MessageRefusal?
}
