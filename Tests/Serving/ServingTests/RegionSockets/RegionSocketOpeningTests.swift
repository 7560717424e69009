import Writing
import Foundation
import Platform
import Testing
import TestSupport

@testable import Serving

@Suite(.inTurn) struct RegionSocketOpeningTests {
  private let folder = TemporaryFolder()

  /// How a region socket at this path of the folder is refused, "opened" if it is not.
  private func message(_ name: String, group: String? = nil) async -> String {
    let loop = NetworkLoop()
    var configuration = RegionSocket.Configuration()
    configuration.group = group
    let socket = RegionSocket(loop: loop, configuration: configuration)
    var result = "opened"
    do throws(OutputError) {
      try await socket.listen(on: .unix(path: folder.path + name))
    } catch {
      #expect(error.code == .cannotCreate)
      result = error.message.replacing("region socket unix:\(folder.path)\(name) ", with: "")
    }
    await socket.shutdown()
    await loop.shutdown()
    return result.replacing(folder.path, with: "FOLDER")
  }

  @Test func aStaleSocketIsReplacedAndALiveOneIsNot() async throws {
    let path = folder.file("s")
    let live = try LoopbackSocket.unix(path)
    #expect(await message("/s") == "is in use by a running program; stop that or choose another path")
    #expect(access(path, F_OK) == 0)
    // A process that another test starts holds the descriptor until it runs its program, so closing is not enough.
    shutdown(live, Int32(SHUT_RDWR))
    close(live)
    #expect(access(path, F_OK) == 0)
    #expect(await message("/s") == "opened")
    #expect(access(path, F_OK) == -1)
  }

  @Test func whatIsNoSocketIsLeftAlone() async throws {
    let path = try folder.write("precious", to: "data")
    symlink("nowhere", folder.file("link"))
    for name in ["/data", "/link", ""] {
      #expect(await message(name) == "exists and is not a socket; remove it or choose another path")
    }
    #expect(contents(path) == "precious")
  }

  @Test func failuresNameTheMend() async throws {
    #expect(await message("/none/s") == "cannot be created: there is no folder FOLDER/none; create it first")
    let group = "no-such-group"
    #expect(await message("/s", group: group) == "cannot be given to group \(group): no such group")
    #expect(access(folder.file("s"), F_OK) == -1)
  }

  @Test(arguments: [0o606, nil] as [UInt16?]) func theModeIsInForce(mode: UInt16?) async throws {
    let fixture = try await SocketFixture { if let mode { $0.mode = mode } }
    var status = stat()
    #expect(stat(fixture.path, &status) == 0)
    #expect(status.st_mode & 0o7777 == mode_t(mode ?? 0o660))
    await fixture.close()
  }

  @Test func aFileThatIsAnotherSocketsByNowIsNotRemoved() async throws {
    let fixture = try await SocketFixture()
    unlink(fixture.path)
    let other = try LoopbackSocket.unix(fixture.path)
    await fixture.close()
    #expect(access(fixture.path, F_OK) == 0)
    close(other)
  }

  @Test func aSocketThatSystemdPassedIsServedAndItsFileStays() async throws {
    let path = folder.file("s")
    let descriptor = try LoopbackSocket.unix(path)
    // A reader that connects before the service starts.
    let early = try Client.unix(path)
    let loop = NetworkLoop()
    let socket = RegionSocket(loop: loop)
    socket.publish(record("current\n"))
    try await socket.adopt(descriptor: descriptor)
    #expect(await early.line() == "current")
    socket.publish(record("next\n"))
    #expect(await early.line() == "next")
    await socket.shutdown()
    #expect(await early.line() == nil)
    #expect(access(path, F_OK) == 0)

    let bound = try LoopbackSocket.unix(folder.file("t"), listens: false)
    for wrong in [bound, 0, 9999] {
      let error = await #expect(throws: OutputError.self) { try await socket.adopt(descriptor: wrong) }
      #expect(error?.code == .cannotCreate)
    }
    close(bound)
    await loop.shutdown()
  }

  @Test(arguments: [
    ("unix:/run/rxlocationd/regions", "unix:/run/rxlocationd/regions"),
    ("unix:relative", "unix:relative"),
    ("unix:a:b", "unix:a:b"), ("tcp:127.0.0.1:2948", "tcp:127.0.0.1:2948"),
    ("tcp:[::1]:0", "tcp:[::1]:0"),
    ("tcp:localhost:65535", "tcp:localhost:65535"),
    // As long as the system takes.
    ("unix:" + String(repeating: "x", count: 107), "unix:" + String(repeating: "x", count: 107)),
  ])
  func addresses(_ text: String, _ description: String) throws {
    #expect(try RegionSocketAddress(parsing: text).description == description)
  }

  @Test(arguments: [
    "", "unix", "unix:", "unix:/", "tcp:", "tcp:localhost", "tcp::1", "tcp:localhost:",
    "tcp:localhost:65536",
    "tcp:localhost:-1", "tcp:localhost:+1", "tcp:localhost:٣", "tcp:::1:80", "tcp:[]:80",
    "udp:localhost:1", "/run/x",
    "unix:" + String(repeating: "x", count: 108), "unix:a\0b",
  ])
  func malformedAddresses(_ text: String) {
    let error = #expect(throws: AddressError.self) { try RegionSocketAddress(parsing: text) }
    #expect(error?.description.contains("expected unix:PATH or tcp:HOST:PORT") == true)
  }

  @Test func thereAreNoMoreReadersThanDescriptorsCanBeSparedFor() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = rlim_t(DescriptorLimit.reserve + 2)
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let fixture = try await SocketFixture()
      fixture.publish("here")
      let readers = try (0..<2).map { _ in try Client.unix(fixture.path) }
      for reader in readers {
        let line = await reader.line()
        precondition(line == "here")
      }
      let refused = try await Client.unix(fixture.path).line()
      precondition(refused == nil)
      let notices = fixture.notices.values.map(\.message)
      precondition(notices == ["region socket: the limit of readers is 2; further ones are refused"])
      await fixture.close()
    }
  }

  @Test func noDescriptorsLeftIsToldOnceAndOverWhenThereAreSome() async {
    await #expect(processExitsWith: .success) {
      let fixture = try await SocketFixture()
      // No descriptor is left to accept the client with.
      let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      limit.rlim_cur = 100
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      var taken: [Int32] = []
      while true {
        let next = dup(client)
        guard next >= 0 else { break }
        taken.append(next)
      }
      let reader = try Client.unix(fixture.path, descriptor: client)
      // Dispatch ends the process when it needs a descriptor for a timer and there is none: no `Task.sleep` here.
      let isTold = eventuallyBlocking { !fixture.notices.values.isEmpty }
      fixture.publish("here")
      // The processor time of half a second tells whether the loop spins.
      let before = clock()
      usleep(500_000)
      let busy = Double(clock() - before) / Double(CLOCKS_PER_SEC)
      limit.rlim_cur = limit.rlim_max
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      let isServed = await reader.line() == "here"
      let notices = fixture.notices.values
      await fixture.close()
      // The waiting connection must not keep the loop spinning.
      guard isTold, isServed, busy < 0.1, notices.count == 1,
        notices[0].message.contains("cannot accept connections")
      else { fatalError("\(isTold) \(isServed) \(busy) \(notices)") }
    }
  }
}
