import Foundation
import NIOCore
import Synchronization
import Platform
import Testing
import TestSupport

@testable import Serving

/// What becomes of the listening sockets themselves: their files, their descriptors, their end.
@Suite(.inTurn) struct ListenerSocketTests {
  @Test func aSocketThatOpensDuringTheEndIsRemoved() async throws {
    let fixture = try GreetingServer()
    let lock = fixture.lockFolder()
    let tries = try FolderOpenings(of: fixture.folder.path)
    let opening = Task { try await fixture.listenOnUnixPath() }
    // The first try has failed, and there are half a second's more.
    #expect(await eventually { tries.count >= 2 })
    await fixture.listeners.close()
    close(lock)
    try await opening.value
    #expect(access(fixture.folder.file("s"), F_OK) == -1)
    await fixture.loop.shutdown()
  }

  @Test func aSocketWhoseFileWasRemovedIsOpenedAgain() async throws {
    let fixture = try GreetingServer()
    let path = fixture.folder.file("s")
    try await fixture.listenOnUnixPath()
    #expect(unlink(path) == 0)
    #expect(await eventually { fixture.said.last == "s is open now" })
    #expect(fixture.said.first == "s was removed; retrying until it succeeds")
    let client = try Client.unix(path)
    #expect(await client.line() == "hello")
    // What another program puts in its place stays there.
    #expect(unlink(path) == 0)
    let other = try LoopbackSocket.unix(path)
    #expect(await eventually { fixture.said.last?.contains("is in use by a running program") == true })
    await fixture.close()
    #expect(access(path, F_OK) == 0)
    close(other)
  }

  @Test func anAdoptedSocketIsNotInheritedByOtherPrograms() async throws {
    let fixture = try GreetingServer()
    let descriptor = try LoopbackSocket.unix(fixture.folder.file("s"))
    #expect(fcntl(descriptor, F_SETFD, 0) == 0)
    try await fixture.listeners.listen(on: .descriptor(descriptor), name: "s")
    #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
    await fixture.close()
  }

  @Test func aSocketOfPacketsIsNotAdopted() async throws {
    let fixture = try GreetingServer()
    let descriptor = try LoopbackSocket.unix(fixture.folder.file("s"), type: SOCK_SEQPACKET)
    let error = await #expect(throws: ListenError.self) {
      try await fixture.listeners.listen(on: .descriptor(descriptor), name: "s")
    }
    #expect(error?.description == "is not a listening stream socket")
    close(descriptor)
    await fixture.close()
  }

  @Test func aSocketThatAnotherProgramShutsDownIsReported() async throws {
    let fixture = try GreetingServer()
    // The other program's.
    let other = try LoopbackSocket.listener()
    try await fixture.listeners.listen(on: .descriptor(dup(other.descriptor)), name: "s")
    #expect(await (try Client.tcp(Int(other.port))).line() == "hello")
    #expect(fixture.said.isEmpty)
    shutdown(other.descriptor, Int32(SHUT_RDWR))
    #expect(await eventually { fixture.said == ["s accepts no more connections: the system closed it"] })
    // Nothing else ends.
    try await fixture.listeners.listen(on: .tcp(Endpoint(port: 0)), name: "t")
    #expect(await (try Client.tcp(try #require(fixture.listeners.ports.last))).line() == "hello")
    await fixture.close()
    #expect(fixture.said.count == 1)
  }

  @Test func aGroupThatMayNotBeGivenTheFileIsAnErrorAndLeavesNone() async throws {
    await #expect(processExitsWith: .success) {
      let fixture = try GreetingServer()
      // Root may give a file to every group; nobody may not.
      chmod(fixture.folder.path, 0o777)
      if getuid() == 0 { precondition(setgroups(0, nil) == 0 && setgid(65_534) == 0 && setuid(65_534) == 0) }
      var message = ""
      do throws(ListenError) {
        let target = Listeners.Target.unix(path: fixture.folder.file("s"), mode: 0o660, group: "0")
        try await fixture.listeners.listen(on: target, name: "s")
      } catch {
        message = error.description
      }
      precondition(message == "cannot be given to group 0: Operation not permitted", message)
      precondition(access(fixture.folder.file("s"), F_OK) == -1)
    }
  }

  @Test(.enabled(if: getuid() == 0, "only root can become another user"))
  func aSocketOfAnotherUserIsNotSaidToBeInUse() async throws {
    await #expect(processExitsWith: .success) {
      let fixture = try GreetingServer()
      let path = fixture.folder.file("s")
      let other = try LoopbackSocket.unix(path)
      chmod(path, 0o600)
      chmod(fixture.folder.path, 0o777)
      precondition(setgroups(0, nil) == 0 && setgid(65_534) == 0 && setuid(65_534) == 0)
      do throws(ListenError) {
        try await fixture.listeners.listen(on: .unix(path: path, mode: 0o600, group: nil), name: "s")
        preconditionFailure("it was taken away")
      } catch {
        precondition(error.description == "exists and belongs to another user; choose another path")
        precondition(!error.isInUse)
      }
      close(other)
    }
  }

  @Test func aFileInPlaceOfTheFolderIsNamed() async throws {
    let fixture = try GreetingServer()
    try fixture.folder.write("x", to: "f")
    let path = fixture.folder.file("f")
    let error = await #expect(throws: ListenError.self) {
      try await fixture.listeners.listen(on: .unix(path: "\(path)/s", mode: 0o600, group: nil), name: "s")
    }
    #expect(error?.description == "cannot be created: \(path) is not a folder")
    await fixture.close()
  }

  @Test func thePathMayBeAsLongAsTheSystemTakes() async throws {
    let fixture = try GreetingServer()
    let room = UnixSocket.longestPath - fixture.folder.file("").utf8.count
    let path = fixture.folder.file(String(repeating: "s", count: room))
    try await fixture.listeners.listen(on: .unix(path: path, mode: 0o600, group: nil), name: "s")
    #expect(await (try Client.unix(path)).line() == "hello")
    let error = await #expect(throws: ListenError.self) {
      try await fixture.listeners.listen(on: .unix(path: path + "s", mode: 0o600, group: nil), name: "s")
    }
    #expect(error?.description == "has more than the 107 bytes that a unix socket's path may have")
    await fixture.close()
  }

  @Test(.enabled(if: getuid() == 0, "only root may give a file to any group"))
  func theFileBelongsToTheGroup() async throws {
    let fixture = try GreetingServer()
    let path = fixture.folder.file("s")
    try await fixture.listeners.listen(on: .unix(path: path, mode: 0o660, group: "12345"), name: "s")
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_gid == 12345)
    await fixture.close()
  }

  @Test func aPortCanBeHadAgainRightAfterTheEnd() async throws {
    let first = try GreetingServer()
    try await first.listeners.listen(on: .tcp(Endpoint(port: 0)), name: "first")
    let port = try #require(first.listeners.ports.first)
    let client = try Client.tcp(port)
    #expect(await client.line() == "hello")
    // The server's side ends first, so that the system keeps the port for a while.
    await first.close()
    #expect(await client.line() == nil)
    let second = try GreetingServer()
    // Another test may have got it for a moment, as a client's end.
    let hasPort = await eventually {
      (try? await second.listeners.listen(on: .tcp(Endpoint(port: UInt16(port))), name: "second")) != nil
    }
    try #require(hasPort)
    #expect(await (try Client.tcp(port)).line() == "hello")
    await second.close()
  }

  @Test func aLoopThatHangsAnswersNoPing() async throws {
    let loop = NetworkLoop()
    let release = DispatchSemaphore(value: 0)
    let isAlive = Mutex(false)
    loop.eventLoop.execute { release.wait() }
    loop.ping { isAlive.withLock { $0 = true } }
    #expect(!isAlive.withLock { $0 })
    release.signal()
    #expect(await eventually { isAlive.withLock { $0 } })
    await loop.shutdown()
  }

  @Test func theLimitOfDescriptorsIsRaisedToWhatIsAllowed() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit()
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      getrlimit(resource, &limit)
      limit.rlim_cur = 100
      setrlimit(resource, &limit)
      precondition(DescriptorLimit.current == 100)
      precondition(DescriptorLimit.raise() == Int(clamping: limit.rlim_max))
      precondition(DescriptorLimit.current == Int(clamping: limit.rlim_max))
    }
  }
}
