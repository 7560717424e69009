import Foundation
import NIOCore
import NIOEmbedded
import Synchronization
import Platform
import Testing
import TestSupport

@testable import Serving

/// What `Listeners` does about a name: it may have several addresses, this machine may lack some of them, and the name server
/// may be slow.
@Suite(.inTurn) struct ListenerNameTests {
  /// An address of a name, in the order in which the name server gives them.
  enum Kind: Sendable, CaseIterable {
    case first, second
    /// No interface has it: 192.0.2.0/24 is for documentation.
    case absent
    /// The system does not know its family, as that of IPv6 on some machines.
    case foreign

    func address(_ port: Int) throws -> SocketAddress {
      switch self {
      // No other test listens there.
      case .first: return try SocketAddress(ipAddress: "127.77.0.1", port: port)
      case .second: return try SocketAddress(ipAddress: "127.77.0.2", port: port)
      case .absent: return try SocketAddress(ipAddress: "192.0.2.7", port: port)
      case .foreign:
        var address = sockaddr_in6()
        address.sin6_family = 999
        return SocketAddress(address)
      }
    }
  }

  /// A server whose name has these addresses.
  private func server(_ kinds: [Kind]) throws -> GreetingServer {
    try GreetingServer { address in kinds.map { try! $0.address(Int(address.port)) } }
  }

  private func listen(_ server: GreetingServer, port: Int, host: String = "name") async throws {
    try await server.listeners.listen(on: .tcp(Endpoint(host: host, port: UInt16(port))), name: host)
  }

  /// Whether somebody listens at this address.
  private func isServed(_ kind: Kind, _ port: Int) throws -> Bool {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    return try kind.address(port).withSockAddr { connect(descriptor, $0, socklen_t($1)) } == 0
  }

  /// Listens on a port that was free a moment ago; when somebody took it meanwhile, on another.
  private func listenOnAFreePort(_ server: GreetingServer, host: String = "name") async -> Int {
    var port = 0
    let isOpen = await eventually {
      port = Int(LoopbackSocket.unusedPort())
      return (try? await listen(server, port: port, host: host)) != nil
    }
    #expect(isOpen)
    return port
  }

  @Test(arguments: ["name", "*"]) func aPortThatTheSystemChoosesIsThatOfTheFirstAddressOnly(host: String) async throws {
    let server = try server([.first, .second])
    try await listen(server, port: 0, host: host)
    let ports = server.listeners.ports
    #expect(ports.count == 1)
    #expect(try isServed(.first, ports[0]) && !isServed(.second, ports[0]))
    await server.close()
  }

  @Test func oneSocketIsAllThatTheStarNeeds() async throws {
    let server = try server([.first, .second])
    let port = await listenOnAFreePort(server, host: "*")
    #expect(server.listeners.ports == [port])
    await server.close()
  }

  @Test func oneAddressThatIsTakenIsAnErrorAndNothingStaysOpen() async throws {
    let server = try server([.first, .second])
    let other = try self.server([.second])
    try await listen(other, port: 0)
    let port = try #require(other.listeners.ports.first)
    let error = await #expect(throws: ListenError.self) { try await listen(server, port: port) }
    #expect(error?.isInUse == true && server.listeners.ports == [])
    #expect(try !isServed(.first, port))
    await server.close()
    await other.close()
  }

  @Test(arguments: [
    [Kind.first, .second], [.absent, .first], [.foreign, .first], [.first, .absent], [.absent, .foreign, .first],
  ])
  func aNameIsServedOnAllItsAddressesThatThisMachineHas(kinds: [Kind]) async throws {
    let server = try server(kinds)
    let port = await listenOnAFreePort(server)
    let here = kinds.filter { [.first, .second].contains($0) }
    #expect(server.listeners.ports == here.map { _ in port } && server.said.isEmpty)
    for kind in here { #expect(try isServed(kind, port)) }
    await server.close()
  }

  @Test(arguments: [[Kind.absent], [.absent, .foreign], [.foreign, .absent]])
  func ofAddressesThatAreAllLackingOneThatMayComeIsWaitedFor(kinds: [Kind]) async throws {
    let server = try server(kinds)
    try await listen(server, port: 1234)
    #expect(server.said.count == 1)
    #expect(
      server.said.first?.hasPrefix("name cannot be opened: no interface of this machine has that address;") == true)
    await server.close()
  }

  @Test func anAddressOfAFamilyThatTheSystemLacksIsNotWaitedFor() async throws {
    let server = try server([.foreign])
    let error = await #expect(throws: ListenError.self) { try await listen(server, port: 1234) }
    #expect(error?.description == "cannot be opened: Address family not supported by protocol")
    #expect(server.said.isEmpty)
    await server.close()
  }

  @Test func anAddressThatWasWaitedForIsOpenedWhenItIsThere() async throws {
    let isThere = Mutex(false)
    let server = try GreetingServer { address in
      isThere.withLock { [$0 ? Kind.first : .absent] }.map { try! $0.address(Int(address.port)) }
    }
    try await listen(server, port: 0)
    #expect(server.said.count == 1 && server.listeners.ports.isEmpty)
    isThere.withLock { $0 = true }
    #expect(await eventually { server.said.last == "name is open now" })
    #expect(try server.said.count == 2 && isServed(.first, try #require(server.listeners.ports.first)))
    await server.close()
  }

  @Test func aNameServerThatIsSlowHoldsUpNobodyAndIsWaitedFor() async throws {
    let hasAnswer = DispatchSemaphore(value: 0)
    let server = try GreetingServer { address in
      hasAnswer.wait()
      hasAnswer.signal()
      return [try! Kind.first.address(Int(address.port))]
    }
    try await listen(server, port: 0)
    #expect(
      server.said == ["name cannot be opened: no name server has answered for name; retrying until it succeeds"])
    hasAnswer.signal()
    #expect(await eventually { server.said.last == "name is open now" })
    #expect(try server.said.count == 2 && isServed(.first, try #require(server.listeners.ports.first)))
    await server.close()
  }

  @Test func whatIsWaitedForIsReportedWhenTheReasonChangesAndOnlyThen() async throws {
    let loop = NIOAsyncTestingEventLoop()
    let tries = Mutex(0)
    let said = Recorder<String>()
    let listeners = Listeners(
      on: NetworkLoop(on: loop), onEvent: { said.record("\($1)") },
      resolve: { _ throws(ListenError) in
        let number = tries.withLock {
          $0 += 1
          return $0
        }
        throw ListenError(number < 3 ? "is not there" : "is far away", isTemporary: true)
      }, configure: { bootstrap, _ in bootstrap })
    try await listeners.listen(on: .tcp(Endpoint(host: "name", port: 1)), name: "name")
    // However often it has failed, the next try is soon.
    let hasTried = await eventually {
      await loop.advanceTime(by: .seconds(10))
      return tries.withLock { $0 } > 20
    }
    #expect(hasTried)
    #expect(said.values == ["is not there", "is far away"].map { "\($0); retrying until it succeeds" })
    await listeners.close()
  }

  @Test func aNameThatIsFoundDuringTheEndIsNotListenedOn() async throws {
    let isAsked = Mutex(false)
    let hasAnswer = DispatchSemaphore(value: 0)
    let server = try GreetingServer { address in
      isAsked.withLock { $0 = true }
      hasAnswer.wait()
      return [try! Kind.first.address(Int(address.port))]
    }
    let port = Int(LoopbackSocket.unusedPort())
    let opening = Task { try await listen(server, port: port) }
    #expect(await eventually { isAsked.withLock { $0 } })
    await server.listeners.close()
    hasAnswer.signal()
    try await opening.value
    #expect(try !isServed(.first, port))
    await server.loop.shutdown()
  }

  @Test func aNameWithoutAnAddressIsAnError() async throws {
    let server = try GreetingServer()
    let error = await #expect(throws: ListenError.self) {
      try await listen(server, port: 1, host: "no-such-host.invalid")
    }
    #expect(
      error?.description.contains("\"no-such-host.invalid\" has no address") == true && error?.isTemporary == false)
    await server.close()
  }
}
