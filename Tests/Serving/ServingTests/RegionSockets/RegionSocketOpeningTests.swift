import Writing
import Foundation
import Glibc
import Platform
import Testing
import TestSupport

@testable import Serving

@Suite(.serialized) struct RegionSocketOpeningTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func message(
    _ folder: TemporaryFolder, _ address: RegionSocketAddress, group: String? = nil
  ) async -> String {
    let loop = NetworkLoop()
    var configuration = RegionSocket.Configuration()
    configuration.group = group
    let socket = RegionSocket(loop: loop, configuration: configuration)
    var result = "opened"
    do throws(OutputError) {
      try await socket.listen(on: address)
    } catch {
      #expect(error.code == .cannotCreate)
      result = error.message.replacing(folder.path, with: "FOLDER")
    }
    await socket.shutdown()
    await loop.shutdown()
    return result
  }

  @Test func aStaleSocketIsReplacedAndALiveOneIsNot() async throws {
    let path = folder.file("s")
    let live = try LoopbackSocket.unix(path)
    #expect(
      await message(folder, .unix(path: path))
        == "region socket unix:FOLDER/s is in use by a running program; stop that or choose another path"
    )
    #expect(access(path, F_OK) == 0)
    // A process that another test starts holds the descriptor until it runs its program, so closing is not enough.
    shutdown(live, Int32(SHUT_RDWR))
    close(live)
    #expect(access(path, F_OK) == 0)
    #expect(await message(folder, .unix(path: path)) == "opened")
    #expect(access(path, F_OK) == -1)
  }

  @Test func whatIsNoSocketIsLeftAlone() async throws {
    let path = folder.file("data")
    try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
    #expect(
      await message(folder, .unix(path: path))
        == "region socket unix:FOLDER/data exists and is not a socket; remove it or choose another path"
    )
    #expect(contents(path) == "precious")
    #expect(
      await message(folder, .unix(path: folder.path))
        == "region socket unix:FOLDER exists and is not a socket; remove it or choose another path")
    symlink("nowhere", folder.file("link"))
    #expect(
      await message(folder, .unix(path: folder.file("link"))).contains("exists and is not a socket"))
  }

  @Test func failuresNameTheMend() async throws {
    #expect(
      await message(folder, .unix(path: folder.file("none/s")))
        == "region socket unix:FOLDER/none/s cannot be created: there is no folder FOLDER/none; create it first"
    )
    #expect(
      await message(folder, .unix(path: folder.file("s")), group: "no-such-group")
        == "region socket unix:FOLDER/s cannot be given to group no-such-group: no such group")
    #expect(access(folder.file("s"), F_OK) == -1)
  }

  @Test func modeAndGroupAreInForce() async throws {
    let fixture = try await SocketFixture {
      $0.mode = 0o606
      $0.group = "\(getgid())"
    }
    var status = stat()
    #expect(stat(fixture.path, &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o606)
    #expect(status.st_gid == getgid())
    await fixture.close()

    let usual = try await SocketFixture()
    #expect(stat(usual.path, &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o660)
    await usual.close()
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

  @Test func aPathMayHaveExactlyAsManyBytesAsTheSystemTakes() throws {
    let longest = "unix:/" + String(repeating: "s", count: 106)
    #expect(try RegionSocketAddress(parsing: longest).description == longest)
    #expect(throws: AddressError.self) { try RegionSocketAddress(parsing: longest + "s") }
  }

  @Test(arguments: [
    ("unix:/run/rxlocationd/regions", "unix:/run/rxlocationd/regions"),
    ("unix:relative", "unix:relative"),
    ("unix:a:b", "unix:a:b"), ("tcp:127.0.0.1:2948", "tcp:127.0.0.1:2948"),
    ("tcp:[::1]:0", "tcp:[::1]:0"),
    ("tcp:localhost:65535", "tcp:localhost:65535"),
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
