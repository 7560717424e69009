import Glibc
import Platform

/// One session with a broker over MQTT, driven by its owner's `poll`. Not thread-safe.
///
/// It neither reconnects nor stores messages. A session that has ended is released with its messages, and the next session
/// is a new object.
package final class BrokerConnection: SubscribingConnection {
  package struct Message: Equatable {
    package var topic: String
    package var payload: [UInt8]
    package var isRetained: Bool
  }

  var version: MQTTVersion { encoder.version }
  package private(set) var isEstablished = false
  package var isOld: Bool { version == .v311 }
  private(set) var refusesVersion = false
  package var answers: [PublishingAnswer] = []
  package private(set) var maySubscribe: Bool?
  private let configuration: SessionConfiguration
  private let stream: BrokerStream
  private let encoder: MQTTEncoder
  private var decoder: MQTTDecoder
  private var limits = MQTTLimits()
  private(set) var output: [UInt8] = []
  /// The acknowledgements of received messages, and of those that were taken, which `flush` moves to `output`.
  private var acknowledgements: [UInt8] = []
  private var takenAcknowledgements: [UInt8] = []
  private var messages: [Message] = []
  /// Whether this client wants messages. Those of a kept session come right after the broker's first answer.
  private var takesMessages: Bool
  private var lastIdentifier: UInt16 = 0
  /// The messages that the broker has not acknowledged, by their identifiers.
  private var unacknowledged: Set<UInt16> = []
  /// Those of them that the broker does not take before it has acknowledged others.
  private var waiting: [[UInt8]] = []
  private var ending: BrokerFailure?
  /// When bytes were last sent and received, on the monotonic clock.
  private var (lastSent, lastReceived) = (monotonicSeconds(), monotonicSeconds())
  /// Until when a pinged broker has to send something.
  private var answerDeadline: Double?
  /// Whether bytes may be there that `poll` does not announce, because they were decrypted already.
  private var mayHaveMore = false

  /// The most bytes to read at a time.
  private static let readSize = 64 << 10
  /// The most reads in a row, after which the messages are handled.
  private static let mostReads = 16
  /// The unwritten bytes from which on nothing is read: the broker does not read what it is sent.
  private static let mostOutput = 1 << 20

  /// Begins a session over a connected socket, which the session closes. The broker publishes `will` if this client
  /// disappears.
  init(
    _ configuration: SessionConfiguration, _ version: MQTTVersion, over stream: BrokerStream, password: [UInt8]?,
    will: OutgoingMessage?
  ) throws(BrokerFailure) {
    for (name, text) in [("identifier", configuration.clientID), ("user's name", configuration.user ?? "none")]
    where text.isEmpty || !MQTTText.isValid(text) { throw .system("MQTT does not allow the \(name) '\(text)'") }
    (self.configuration, self.stream) = (configuration, stream)
    takesMessages = configuration.keepsSession
    (encoder, decoder) = (MQTTEncoder(version: version), MQTTDecoder(version))
    output = encoder.connect(configuration, password: password, will: will)
  }

  var silence: BrokerFailure {
    .noMQTT("no broker has answered there within \(secondsText(configuration.connectTimeout))")
  }

  func begin(stop: Wakeup) throws(BrokerFailure) {
    let deadline = monotonicSeconds() + configuration.connectTimeout
    while !isEstablished {
      if stop.isSignalled { throw .stopped }
      guard monotonicSeconds() < deadline else { throw silence }
      do throws(BrokerFailure) {
        _ = try exchange(bell: nil, stop: stop, until: deadline, limit: 1)
      } catch {
        // A session that begins and ends at once has begun.
        guard isEstablished else { throw BrokerStream.ends.contains(error) ? .closedEarly : error }
        ending = error
      }
    }
  }

  package func wait(bell: Wakeup?, stop: Wakeup, until deadline: Double) throws(BrokerFailure) -> Bool {
    output += takenAcknowledgements + acknowledgements
    (takenAcknowledgements, acknowledgements) = ([], [])
    return try exchange(bell: bell, stop: stop, until: deadline, limit: 1).hasRung
  }

  package func receive(limit: Int, bell: Wakeup, stop: Wakeup, until deadline: Double) throws(BrokerFailure) -> Bool {
    let (hasRead, hasRung) = try exchange(bell: bell, stop: stop, until: deadline, limit: limit)
    return hasRead || hasRung
  }

  package func flush() throws(BrokerFailure) {
    output += takenAcknowledgements
    takenAcknowledgements = []
    try write()
  }

  /// Waits once, reads about `limit` messages, and writes what may go.
  private func exchange(
    bell: Wakeup?, stop: Wakeup, until deadline: Double, limit: Int
  ) throws(BrokerFailure) -> (hasRead: Bool, hasRung: Bool) {
    if let ending { throw ending }
    let deadline = min(deadline, keepAlive())
    let mayRead = output.count < Self.mostOutput
    // poll ignores an entry whose descriptor is negative.
    let events = (mayRead ? stream.readEvents : 0) | (output.isEmpty ? 0 : stream.writeEvents)
    var entries = [
      pollfd(fd: stream.socket, events: Int16(events), revents: 0),
      pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: bell?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    let seconds = mayRead && mayHaveMore ? 0 : max(0, min(deadline - monotonicSeconds(), 60))
    let count = Glibc.poll(&entries, 3, Int32((seconds * 1000).rounded(.up)))
    // The kernel is temporarily out of memory.
    if count < 0 && errno != EINTR { usleep(10_000) }
    var hasRead = false
    if mayRead, mayHaveMore || count > 0 && Int32(entries[0].revents) & (stream.readEvents | POLLHUP | POLLERR) != 0 {
      hasRead = try read(limit)
    }
    if !output.isEmpty { try write() }
    // An answer that came while the caller was busy has been read by now.
    if let answerDeadline, monotonicSeconds() >= answerDeadline { throw .lost("the broker does not answer any more") }
    return (hasRead, count > 0 && entries[2].revents != 0 && bell?.reset() == true)
  }

  private func read(_ limit: Int) throws(BrokerFailure) -> Bool {
    var buffer = [UInt8](repeating: 0, count: Self.readSize)
    mayHaveMore = true
    for _ in 0..<Self.mostReads where messages.count < limit {
      let count = try buffer.withUnsafeMutableBytes { bytes in
        Result { () throws(BrokerFailure) -> Int? in
          let count = try stream.read(into: bytes)
          if let count { decoder.append(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
          return count
        }
      }.get()
      if count == nil {
        mayHaveMore = false
        break
      }
      (lastReceived, answerDeadline) = (monotonicSeconds(), nil)
      while let packet = try nextPacket() { try handle(packet) }
    }
    return true
  }

  private func nextPacket() throws(BrokerFailure) -> MQTTPacket? {
    do throws(MQTTBreach) { return try decoder.next() } catch { throw breach }
  }

  private var breach: BrokerFailure { isEstablished ? .breach : .noMQTT("the peer does not speak MQTT") }

  private func write() throws(BrokerFailure) {
    while !output.isEmpty {
      let count = try stream.write(output)
      guard count > 0 else { return }
      output.removeFirst(count)
      lastSent = monotonicSeconds()
    }
  }

  /// Pings a broker after a time of silence, in either direction. Returns when to call this again, on the monotonic clock.
  private func keepAlive() -> Double {
    let patience = Double(limits.keepAlive ?? configuration.keepAlive)
    guard isEstablished, patience > 0 else { return .infinity }
    if let answerDeadline { return answerDeadline }
    let (now, due) = (monotonicSeconds(), min(lastSent, lastReceived) + patience)
    guard now >= due else { return due }
    output += MQTTEncoder.ping
    answerDeadline = now + patience
    return now + patience
  }
}

extension BrokerConnection {
  /// Handles a packet of the broker. Throws the failure that ends the session, if it does.
  private func handle(_ packet: MQTTPacket) throws(BrokerFailure) {
    switch packet {
    case .connected(let reason, let limits) where !isEstablished:
      guard reason < 0x80 else {
        refusesVersion = reason == MQTTReason.wrongVersion
        throw BrokerFailure(connectReason: reason)
      }
      (isEstablished, self.limits) = (true, limits)
    case .message(let topic, let payload, let isRetained, let identifier) where isEstablished:
      if let identifier { acknowledgements += MQTTEncoder.acknowledgement(of: identifier) }
      if takesMessages { messages.append(Message(topic: topic, payload: payload, isRetained: isRetained)) }
    case .acknowledged(let identifier, let reason) where isEstablished:
      // A number that is not in use acknowledges nothing.
      guard unacknowledged.remove(identifier) != nil else { break }
      answers.append(PublishingAnswer(identifier: Int32(identifier), refusal: MessageRefusal(reason: reason)))
      if !waiting.isEmpty { output += waiting.removeFirst() }
    case .subscribed(let isGranted) where isEstablished: maySubscribe = isGranted && maySubscribe ?? true
    case .pong where isEstablished: break
    case .disconnected(let reason) where isEstablished:
      throw BrokerFailure(disconnectReason: reason, clientID: configuration.clientID)
    default: throw breach
    }
  }

  private func nextIdentifier() -> UInt16 {
    repeat {
      lastIdentifier = lastIdentifier == .max ? 1 : lastIdentifier + 1
    } while unacknowledged.contains(lastIdentifier)
    return lastIdentifier
  }

  /// The broker acknowledges messages of quality of service 1.
  package func publish(_ message: OutgoingMessage) throws(BrokerFailure) -> Int32? {
    let isAcknowledged = message.origin != .unacknowledged
    guard limits.acknowledgesMessages || !isAcknowledged else {
      throw .noMQTT("the broker does not accept messages with acknowledgement")
    }
    let identifier = isAcknowledged ? nextIdentifier() : nil
    let bytes = encoder.message(
      message, identifier: identifier, isRetained: message.isRetained && limits.retainsMessages)
    guard bytes.count <= limits.packet else { return nil }
    if isAcknowledged && unacknowledged.count - waiting.count >= limits.inFlight {
      waiting.append(bytes)
    } else {
      output += bytes
    }
    if let identifier { unacknowledged.insert(identifier) }
    return Int32(identifier ?? 0)
  }

  package func subscribe(to topic: String) throws(BrokerFailure) {
    takesMessages = true
    output += encoder.subscription(to: topic, identifier: nextIdentifier())
  }

  package func takeMessages() -> [Message] {
    takenAcknowledgements += acknowledgements
    acknowledgements = []
    defer { messages = [] }
    return messages
  }

  /// Disconnects properly, so that the broker does not publish the will.
  package func disconnect() {
    guard isEstablished else { return }
    output += MQTTEncoder.end
    try? write()
  }
}
