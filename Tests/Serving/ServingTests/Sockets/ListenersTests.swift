import Foundation
import NIOCore
import Platform
import Testing
import TestSupport

@testable import Serving

@Suite(.inTurn) struct TCPAddressTests {
  @Test(arguments: [
    ("9100", "127.0.0.1:9100"), ("127.0.0.1:0", "127.0.0.1:0"), ("[::1]:9100", "[::1]:9100"), ("*:9100", "*:9100"),
    ("localhost:1", "localhost:1"), ("65535", "127.0.0.1:65535"),
  ])
  func parses(_ text: String, _ description: String) throws {
    #expect(try Endpoint(listening: text).description == description)
  }

  @Test(arguments: ["", ":", "x", "localhost:", "localhost:x", "65536", "::1:9100", "-1", "x:+1", "[]:80", ":80"])
  func refusesWhatIsNone(_ text: String) {
    let error = #expect(throws: AddressError.self) { try Endpoint(listening: text) }
    #expect(error?.description.contains("expected HOST:PORT or PORT") == true)
  }
}

extension TCPAddressTests {
  @Test func theAddressesOfANameAreThoseOfIPv4FirstAndEachOnce() throws {
    let address = Endpoint(host: "name", port: 80)
    let all = try ["::1", "127.0.0.2", "127.0.0.1", "::1", "127.0.0.2"].flatMap {
      try ResolvedAddress.all(of: Endpoint(host: $0, port: 80))
    }
    #expect(address.socketAddresses(all).map(\.ipAddress) == ["127.0.0.2", "127.0.0.1", "::1"])
    #expect(address.socketAddresses(all).allSatisfy { $0.port == 80 })
    #expect(try Endpoint(host: "*", port: 80).resolved().map(\.ipAddress) == ["::", "0.0.0.0"])
  }
}

/// What `Listeners` does about addresses, most of all those that it cannot have at once.
@Suite(.inTurn) struct ListenersTests {
  @Test(arguments: [LOCK_EX, LOCK_SH])
  func aLockOnTheFolderIsReportedWithinASecondAndWaitedFor(kind: Int32) async throws {
    let fixture = try GreetingServer()
    let lock = fixture.lockFolder(kind)
    try await fixture.listenOnUnixPath()
    #expect(fixture.said.count == 1)
    #expect(fixture.said.first?.contains("another program holds a lock on \(fixture.folder.path)") == true)
    #expect(access(fixture.folder.file("s"), F_OK) == -1)
    close(lock)
    #expect(await eventually { fixture.said.last == "s is open now" })
    #expect(await (try Client.unix(fixture.folder.file("s"))).line() == "hello")
    await fixture.close()
    #expect(access(fixture.folder.file("s"), F_OK) == -1)
  }

  @Test func whatIsWaitedForIsReportedOnce() async throws {
    let fixture = try GreetingServer()
    // 192.0.2.0/24 is for documentation: no machine has it.
    try await fixture.listeners.listen(on: .tcp(Endpoint(host: "192.0.2.7", port: 1234)), name: "far")
    let lock = fixture.lockFolder()
    try await fixture.listenOnUnixPath()
    close(lock)
    // The other address was tried again before.
    #expect(await eventually { fixture.said.last == "s is open now" })
    // The end does not wait for it.
    #expect(await ends { await fixture.close() })
    #expect(fixture.said.count { $0.hasPrefix("far ") } == 1)
  }

  @Test func aLockForAMomentIsNotReported() async throws {
    let fixture = try GreetingServer()
    let lock = fixture.lockFolder()
    let tries = try FolderOpenings(of: fixture.folder.path)
    let opening = Task { try await fixture.listenOnUnixPath() }
    // The first try has failed.
    #expect(await eventually { tries.count >= 2 })
    close(lock)
    try await opening.value
    #expect(fixture.said.isEmpty)
    #expect(await (try Client.unix(fixture.folder.file("s"))).line() == "hello")
    await fixture.close()
  }

  @Test func anAddressThatIsWaitedForIsNotOpenedAfterTheEnd() async throws {
    let fixture = try GreetingServer()
    let lock = fixture.lockFolder()
    try await fixture.listenOnUnixPath()
    await fixture.listeners.close()
    close(lock)
    await fixture.loop.shutdown()
    #expect(access(fixture.folder.file("s"), F_OK) == -1)
  }

  @Test func theStarIsEveryAddressOfBothFamilies() async throws {
    let fixture = try GreetingServer()
    try await fixture.listeners.listen(on: .tcp(Endpoint(host: "*", port: 0)), name: "all")
    #expect(fixture.said.count == 1 && fixture.said.first?.contains("is not on loopback") == true)
    let port = try #require(fixture.listeners.ports.first)
    #expect(await (try Client.tcp(port)).line() == "hello")
    if hasIPv6 { #expect(await (try Client.tcp(port, isIPv6: true)).line() == "hello") }
    await fixture.close()
  }

  @Test func onlyAddressesBeyondLoopbackAreExposed() async throws {
    let fixture = try GreetingServer()
    try await fixture.listeners.listen(on: .tcp(Endpoint(host: "127.0.0.2", port: 0)), name: "near")
    if hasIPv6 {
      for host in ["::1", "::ffff:127.0.0.1"] {
        try await fixture.listeners.listen(on: .tcp(Endpoint(host: host, port: 0)), name: "near")
      }
    }
    #expect(fixture.said.isEmpty)
    try await fixture.listeners.listen(on: .tcp(Endpoint(host: "0.0.0.0", port: 0)), name: "far")
    #expect(fixture.said.count == 1 && fixture.said.first?.hasPrefix("far is not on loopback") == true)
    await fixture.close()
  }

  @Test func aTakenPortIsAnErrorThatNamesIt() async throws {
    let fixture = try GreetingServer()
    let taken = try LoopbackSocket.listener()
    let error = await #expect(throws: ListenError.self) {
      try await fixture.listeners.listen(on: .tcp(Endpoint(port: taken.port)), name: "x")
    }
    #expect(
      error?.description
        == "cannot be opened: port \(taken.port) is in use; end the program that uses it, or choose another port")
    #expect(fixture.said.isEmpty)
    await fixture.close()
  }

  @Test func onlyAMissingAddressMayComeLater() {
    func error(_ code: Int32) -> ListenError { ListenError(IOError(errnoCode: code, reason: "bind"), port: 80) }
    #expect(error(EADDRNOTAVAIL).isTemporary)
    #expect(error(EACCES).description == "cannot be opened: permission denied; choose a port above 1023")
    for code in [EACCES, EADDRINUSE, EINVAL] { #expect(!error(code).isTemporary) }
  }
}

private let hasIPv6 = (try? String(contentsOfFile: "/proc/net/if_inet6", encoding: .utf8))?.isEmpty == false
