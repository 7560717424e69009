import Glibc
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Publishing

@Suite(.inTurn) struct BrokerConnectionTests {
  /// Begins a session over MQTT 5, or 3.1.1 if the broker is to keep it. The broker first sends these bytes.
  private func session(
    keepAlive: Int = 30, keepsSession: Bool = false, _ acceptance: [UInt8] = [0x20, 3, 0, 0, 0]
  ) throws -> (connection: BrokerConnection, broker: LoopbackSocket) {
    let listener = try LoopbackSocket.listener()
    var configuration = SessionConfiguration(
      address: .broker(host: "127.0.0.1", port: listener.port), clientID: "client")
    (configuration.keepAlive, configuration.keepsSession) = (keepAlive, keepsSession)
    var connector = Connector(to: configuration.address.server, within: 10, wakeup: try Wakeup())
    let socket = try connector.connect()
    let broker = try listener.accept()
    broker.send(acceptance)
    let connection = try BrokerConnection(
      configuration, keepsSession ? .v311 : .v5, over: BrokerStream(socket, nil), password: nil, will: nil)
    try connection.begin(stop: Wakeup())
    _ = broker.receive()
    return (connection, broker)
  }

  private func wait(_ connection: BrokerConnection, seconds: Double = 60) throws {
    _ = try connection.wait(bell: nil, stop: Wakeup(), until: monotonicSeconds() + seconds)
  }

  private func message(_ text: String) -> OutgoingMessage { OutgoingMessage(topic: "t", Array(text.utf8)) }

  @Test("an acknowledgement counts once, and only for a message that was sent")
  func unknownAcknowledgement() throws {
    let (connection, broker) = try session()
    #expect(try connection.publish(message("a")) == 1)
    broker.send([0x40, 2, 0, 9, 0x40, 2, 0, 1, 0x40, 2, 0, 1])
    try #require(
      eventuallyBlocking {
        try wait(connection, seconds: 1); return !connection.answers.isEmpty
      })
    broker.send([0x30, 4, 0, 1, 0x74, 0])
    try wait(connection)
    #expect(connection.takeAnswers() == [PublishingAnswer(identifier: 1)])
  }

  @Test("no more messages are on their way than the broker takes")
  func receiveMaximum() throws {
    let (connection, broker) = try session([0x20, 6, 0, 0, 3, 0x21, 0, 2])
    for number in 0..<5 { #expect(try connection.publish(message("message \(number)")) == Int32(number + 1)) }
    var sent = ""
    func receive(until text: String) throws {
      #expect(
        try eventuallyBlocking {
          try wait(connection, seconds: 0.01)
          if broker.isReadable(within: 0) { sent += String(decoding: broker.receive() ?? [], as: UTF8.self) }
          return sent.contains(text)
        })
    }
    try receive(until: "message 1")
    #expect(!sent.contains("message 2"))
    // The second again: it is known already, and makes no room.
    broker.send([0x40, 2, 0, 2, 0x40, 2, 0, 2])
    try receive(until: "message 2")
    #expect(!sent.contains("message 3"))
    broker.send([0x40, 2, 0, 1, 0x40, 2, 0, 3])
    try receive(until: "message 4")
    #expect(connection.answers.map(\.identifier) == [2, 1, 3])
  }

  @Test("the number of an unacknowledged message is not used again")
  func identifiers() throws {
    let (connection, broker) = try session()
    #expect(try connection.publish(message("a")) == 1)
    for _ in 0..<65_534 { try connection.subscribe(to: "a") }
    #expect(try connection.publish(message("b")) == 2)
    withExtendedLifetime(broker) {}
  }

  @Test(
    "the broker's keep-alive is met, or else the client's own", .timeLimit(.minutes(3)),
    arguments: [(3600, [0x20, 6, 0, 0, 3, 0x13, 0, 1]), (1, [0x20, 3, 0, 0, 0])] as [(Int, [UInt8])])
  func keepAlive(own: Int, acceptance: [UInt8]) throws {
    let (connection, broker) = try session(keepAlive: own, acceptance)
    while !broker.isReadable(within: 0) { try wait(connection) }
    #expect(broker.receive() == [0xC0, 0])
    // A client that was busy until long after that reads the answer first.
    broker.send([0xD0, 0])
    usleep(1_100_000)
    try wait(connection, seconds: 0)
    // And a broker that says nothing is given up.
    #expect(throws: BrokerFailure.lost("the broker does not answer any more")) {
      while true { try wait(connection) }
    }
  }

  @Test("a message that comes with the broker's first answer is acknowledged after it was taken")
  func earlyMessage() throws {
    let (connection, broker) = try session(keepsSession: true, [0x20, 2, 0, 0, 0x32, 5, 0, 1, 0x74, 0, 1])
    try connection.flush()
    #expect(!broker.isReadable(within: 0))
    #expect(connection.takeMessages().count == 1)
    try connection.flush()
    #expect(broker.receive() == [0x40, 2, 0, 1])
  }

  @Test("a broker that sends and does not read gets a bounded number of acknowledgements", .timeLimit(.minutes(2)))
  func floodWithoutReading() throws {
    let (connection, broker) = try session(keepsSession: true, [0x20, 2, 0, 0])
    let isOver = Atomic(false)
    let flood = [UInt8]((0..<10_000).flatMap { _ in [0x32, 5, 0, 1, 0x74, 0, 1] as [UInt8] })
    try Thread.start { while !isOver.load(ordering: .relaxed), broker.send(flood) {} }
    var messages = 0
    // The kernel keeps some megabytes of acknowledgements. Then nothing more is read.
    let isStopped = try eventuallyBlocking {
      _ = try connection.receive(limit: 1000, bell: Wakeup(), stop: Wakeup(), until: monotonicSeconds() + 0.5)
      let taken = connection.takeMessages().count
      messages += taken
      try connection.flush()
      return taken == 0 && connection.output.count >= 1 << 20 || connection.output.count >= 3 << 20
    }
    #expect(isStopped && connection.output.count < 3 << 20, "\(messages) messages, \(connection.output.count) bytes")
    isOver.store(true, ordering: .relaxed)
    broker.close()
  }
}

@Suite(.startsPrograms) struct BrokerConnectionTLSTests {
  @Test("a message leaves at once, and not with the next bytes of the broker")
  func writesAtOnce() async throws {
    let folder = TemporaryFolder()
    try Certificates(in: folder).issue("good", for: "DNS:localhost")
    let broker = try RealBroker(listener: ["allow_anonymous true"] + RealBroker.tls("good"), folder: folder)
    var configuration = SessionConfiguration(
      address: .broker(host: "localhost", port: broker.port, usesTLS: true), clientID: "client")
    configuration.authorities = folder.file("ca.pem")
    let session = configuration
    let rounds = Mutex(0)
    try Thread.start {
      guard let stop = try? Wakeup() else { return }
      var connector = BrokerConnector(session, stop: stop)
      guard let connection = try? connector.open(will: { _ in nil }).connection else { return }
      for round in 1...5 {
        _ = try? connection.publish(OutgoingMessage(topic: "t", [0x61]))
        while connection.takeAnswers().isEmpty {
          guard (try? connection.wait(bell: nil, stop: stop, until: monotonicSeconds() + 60)) != nil else { return }
        }
        rounds.withLock { $0 = round }
      }
    }
    // Each round would wait for its minute, or for half of the keep-alive.
    #expect(await eventually(within: 20) { rounds.withLock { $0 } == 5 }, "\(rounds.withLock { $0 }) rounds")
    withExtendedLifetime(broker) {}
  }
}
