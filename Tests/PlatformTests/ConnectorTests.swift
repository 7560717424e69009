import Foundation
import Glibc
import Testing
import TestSupport

@testable import Platform

@Suite(.inTurn) struct ConnectorTests {
  @Test(arguments: [
    (EACCES, ConnectFailure.denied("Permission denied")),
    (EPERM, .denied("Operation not permitted")),
    (ECONNREFUSED, .refused("Connection refused")),
    (ENETUNREACH, .unreachable("Network is unreachable")),
    (EHOSTUNREACH, .unreachable("No route to host")),
    (ETIMEDOUT, .unreachable("Connection timed out")),
    (EMFILE, .system("Too many open files")),
  ])
  func saysWhatAnErrorOfConnectMeans(error: Int32, failure: ConnectFailure) {
    #expect(ConnectFailure(error) == failure)
  }

  /// A listener whose queue is full, so that it answers nobody, and the clients in the queue.
  private func silent() throws -> (port: UInt16, sockets: [LoopbackSocket]) {
    let listener = try LoopbackSocket.listener(backlog: 0)
    return (listener.port, try [listener] + (0..<3).map { _ in try LoopbackSocket.startedClient(port: listener.port) })
  }

  private func addresses(_ port: UInt16, host: String = "127.0.0.1") throws -> [ResolvedAddress] {
    try ResolvedAddress.all(of: Endpoint(host: host, port: port))
  }

  @Test func everyAddressIsTried() throws {
    let server = try LoopbackSocket.listener()
    let connector = Connector(to: Endpoint(host: "localhost", port: 1), within: 60, wakeup: try Wakeup())
    // Nobody listens at the first two.
    let descriptor = try connector.connect(
      to: addresses(server.port, host: "127.0.0.2") + addresses(9) + addresses(server.port))
    defer { close(descriptor) }
    let client = try server.accept()
    #expect(send(descriptor, "hello", 5, 0) == 5)
    #expect(client.receive() == Array("hello".utf8))
    #expect(fcntl(descriptor, F_GETFL) & O_NONBLOCK != 0 && fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    #expect(throws: ConnectFailure.refused("Connection refused")) {
      try connector.connect(to: addresses(9) + addresses(server.port, host: "127.0.0.2"))
    }
    #expect(throws: ConnectFailure.unreachable("no address")) { try connector.connect(to: []) }
  }

  @Test func ofSeveralFailuresARefusalByTheSystemSaysMost() {
    let denied = ConnectFailure.denied("a")
    let refused = ConnectFailure.refused("b")
    let far = ConnectFailure.unreachable("c")
    #expect(refused.then(denied).then(far) == denied)
    #expect(denied.then(.denied("d")) == denied)
    #expect(far.then(refused) == refused && refused.then(far) == far)
  }

  @Test func aWakeupEndsTheTryingOfAllAddresses() throws {
    let silent = try silent()
    let other = try LoopbackSocket.listener()
    let wakeup = try Wakeup()
    let connector = Connector(to: Endpoint(host: "localhost", port: 1), within: 60, wakeup: wakeup)
    let all = try addresses(silent.port) + addresses(other.port)
    // It waits at the first address by then, or has not begun: the wakeup holds for both.
    try Thread.start { wakeup.signal() }
    #expect(throws: ConnectFailure.stopped) { try connector.connect(to: all) }
    #expect(!other.isReadable(within: 0))
    withExtendedLifetime(silent) {}
  }

  @Test func anAddressThatDoesNotAnswerInTimeIsLeftForTheNext() throws {
    let silent = try silent()
    let other = try LoopbackSocket.listener()
    let connector = Connector(to: Endpoint(host: "localhost", port: 1), within: 0.1, wakeup: try Wakeup())
    let descriptor = try connector.connect(to: addresses(silent.port) + addresses(other.port))
    close(descriptor)
    #expect(other.isReadable(within: 60))
    #expect(throws: ConnectFailure.unreachable("no answer within 0.1 s")) {
      try connector.connect(to: addresses(silent.port))
    }
    withExtendedLifetime(silent) {}
  }

  @Test func aNumberNeedsNoLookupAndANameThatIsNoneHasNoAddress() throws {
    var numeric = Connector(to: Endpoint(host: "::1", port: 1), within: 0, wakeup: try Wakeup())
    #expect(try numeric.addresses().map(\.numericHost) == ["::1"])
    var nowhere = Connector(to: Endpoint(host: "no-such-host.invalid", port: 1), within: 60, wakeup: try Wakeup())
    let failure = #expect(throws: ConnectFailure.self) { try nowhere.addresses() }
    #expect(failure?.reason.hasPrefix("cannot look up 'no-such-host.invalid': ") == true)
  }

  @Test func finishedWorkIsFollowedByMore() throws {
    let wakeup = try Wakeup()
    var work = BlockingWork<Int>()
    for number in 1...2 {
      #expect(try work.run(within: 60, wakeup: wakeup) { number } == number)
      #expect(!work.isPending)
    }
  }

  @Test func workThatHangsIsBegunOnce() throws {
    let wakeup = try Wakeup()
    let release = DispatchSemaphore(value: 0)
    let begun = Recorder<Int>()
    var work = BlockingWork<Int>()
    for number in 1...3 {
      #expect(throws: BlockingWorkFailure.timedOut) {
        try work.run(within: 0.01, wakeup: wakeup) {
          release.wait()
          begun.record(number)
          return number
        }
      }
      #expect(work.isPending)
    }
    release.signal()
    #expect(try work.run(within: 60, wakeup: wakeup) { 99 } == 1, "the result of the first")
    #expect(begun.values == [1] && !work.isPending)
  }

  @Test func aTryThatFailsLeavesNoDescriptor() async {
    await #expect(processExitsWith: .success) {
      let connector = Connector(to: Endpoint(host: "localhost", port: 9), within: 60, wakeup: try Wakeup())
      let all = try ResolvedAddress.all(of: Endpoint(host: "127.0.0.1", port: 9))
      func next() -> Int32 {
        let descriptor = dup(STDIN_FILENO)
        close(descriptor)
        return descriptor
      }
      let before = next()
      for _ in 0..<100 {
        do {
          _ = try connector.connect(to: all)
          preconditionFailure("somebody listens there")
        } catch {}
      }
      // The process may open some for itself meanwhile.
      precondition(next() < before + 50)
    }
  }

  @Test func aNameHasAllTheAddressesThatTheMachineGivesIt() throws {
    let names = (try? String(contentsOfFile: "/etc/hosts", encoding: .utf8)) ?? ""
    let own = names.split(separator: "\n").map { $0.split(whereSeparator: \.isWhitespace) }
      .filter { $0.dropFirst().contains("localhost") }.map { String($0[0]) }
    let all = try ResolvedAddress.all(of: Endpoint(host: "localhost", port: 1)).compactMap(\.numericHost)
    #expect(Set(all).isSuperset(of: own))
  }

  @Test func aWakeupEndsALookup() throws {
    let wakeup = try Wakeup()
    wakeup.signal()
    var connector = Connector(to: Endpoint(host: "no-such-host.invalid", port: 1), within: 60, wakeup: wakeup)
    #expect(throws: ConnectFailure.stopped) { try connector.addresses() }
  }
}

@Suite(.inTurn) struct EndpointTests {
  @Test(
    arguments: [
      ("localhost:2947", "localhost", "2947", nil), ("[::1]:80:/dev/a:b", "::1", "80", "/dev/a:b"),
      ("a", "a", nil, nil),
      ("a:", "a", "", nil), (":1", "", "1", nil), ("", "", nil, nil), ("::1", "", "", "1"), ("a:1:", "a", "1", ""),
    ] as [(String, String, Substring?, Substring?)])
  func hasParts(text: String, host: String, port: Substring?, rest: Substring?) throws {
    let parts = try #require(Endpoint.parts(of: text[...]))
    #expect(parts == (host, port, rest))
  }

  @Test(arguments: ["[::1", "[::1]x", "[localhost]:1", "two words:1", "a/b:1", "a\u{7F}:1"])
  func aTextWithoutAHostHasNone(text: String) { #expect(Endpoint.parts(of: text[...]) == nil) }

  @Test func onlyDigitsAreAPort() throws {
    #expect(try Endpoint.port(connecting: "65535") == 65535)
    for text in ["", "0", "65536", "+1", "-1", " 1", "1 ", "http"] {
      #expect(throws: AddressError.self, "\(text)") { try Endpoint.port(connecting: text[...]) }
    }
  }

  @Test func anIPv6AddressIsWrittenInBrackets() {
    #expect("\(Endpoint(host: "::1", port: 80)) \(Endpoint(host: "a", port: 0))" == "[::1]:80 a:0")
  }
}

extension ResolvedAddress {
  /// The numeric address without the port, such as "127.0.0.1" or "::1".
  fileprivate var numericHost: String? {
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let status = withSocketAddress { getnameinfo($0, $1, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) }
    guard status == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
