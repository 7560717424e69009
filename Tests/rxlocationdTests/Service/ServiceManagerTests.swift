import Dispatch
import Foundation
import Platform
import Serving
import Synchronization
import Testing
import TestSupport

@testable import rxlocationd

@Suite(.inTurn) struct ServiceManagerTests {
  @Test func speaksTheProtocol() {
    let listener = NotifySocket()
    let manager = ServiceManager(environment: ["NOTIFY_SOCKET": listener.path])
    manager.ready()
    manager.status("3D fix")
    manager.watchdog()
    manager.stopping()
    #expect((0..<4).map { _ in listener.receive() } == ["READY=1", "STATUS=3D fix", "WATCHDOG=1", "STOPPING=1"])
    let before = monotonicSeconds()
    manager.reloading()
    let after = monotonicSeconds()
    let reloading = listener.receive() ?? ""
    #expect(reloading.hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    let time = Double(reloading.dropFirst("RELOADING=1\nMONOTONIC_USEC=".count)) ?? 0
    // Whole microseconds.
    #expect(time >= before * 1e6 - 1 && time <= after * 1e6 + 1, "\(before) \(time) \(after)")
  }

  @Test func watchdogIsForTheProcessThatItNames() {
    #expect(ServiceManager(environment: ["WATCHDOG_USEC": "10"]).watchdogMicroseconds == 10)
    #expect(ServiceManager(environment: ["WATCHDOG_USEC": "10", "WATCHDOG_PID": "1"]).watchdogMicroseconds == nil)
    let own = ["WATCHDOG_USEC": "10", "WATCHDOG_PID": "\(getpid())"]
    #expect(ServiceManager(environment: own).watchdogMicroseconds == 10)
    #expect(ServiceManager(environment: ["WATCHDOG_USEC": "x"]).watchdogMicroseconds == nil)
  }

  @Test(.timeLimit(.minutes(30))) @MainActor func theWatchdogKeepsSilentWhenTheNetworkHangs() async {
    let (hung, healthy) = (NotifySocket(), NotifySocket())
    let network = NetworkLoop()
    let isReleased = DispatchSemaphore(value: 0)
    network.ping { isReleased.wait() }
    func watchdog(_ listener: NotifySocket, _ network: NetworkLoop?) -> Watchdog? {
      Watchdog(
        ServiceManager(environment: ["NOTIFY_SOCKET": listener.path, "WATCHDOG_USEC": "40000"]), network: network)
    }
    let watchdogs = [watchdog(hung, network), watchdog(healthy, nil)]
    for _ in 0..<3 { #expect(await eventually { healthy.receive() == "WATCHDOG=1" }) }
    #expect(hung.receive() == nil)
    isReleased.signal()
    #expect(await eventually { hung.receive() == "WATCHDOG=1" })
    withExtendedLifetime(watchdogs) {}
    await network.shutdown()
  }

  @Test func speaksToAnAbstractAddress() {
    let name = "rxlocationd-\(UUID().uuidString)"
    let listener = NotifySocket(path: "@" + name)
    ServiceManager(environment: ["NOTIFY_SOCKET": "@" + name]).ready()
    #expect(listener.receive() == "READY=1")
  }

  @Test func isSilentWithoutAManager() {
    ServiceManager(environment: [:]).ready()
    ServiceManager(environment: ["NOTIFY_SOCKET": "relative"]).ready()
    ServiceManager(environment: ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 200)]).ready()
  }

  /// More than the kernel keeps for it.
  @Test func aManagerThatDoesNotReadHoldsNothingUp() async throws {
    let listener = NotifySocket()
    let manager = ServiceManager(environment: ["NOTIFY_SOCKET": listener.path])
    let isDone = Atomic(false)
    try Platform.Thread.start {
      for _ in 0..<2000 { manager.status("3D fix") }
      isDone.store(true, ordering: .relaxed)
    }
    #expect(await eventually { isDone.load(ordering: .relaxed) })
    #expect(listener.receive() == "STATUS=3D fix")
  }

  @Test func takesNoDescriptorsThatAreForAnotherProcess() {
    #expect(ListenDescriptors.inherited(environment: ["LISTEN_PID": "1", "LISTEN_FDS": "1"]).isEmpty)
    #expect(ListenDescriptors.inherited(environment: [:]).isEmpty)
    #expect(ListenDescriptors.inherited(environment: ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "-4"]).isEmpty)
  }

  /// The kernel takes 107 bytes and a zero, or 108.
  @Test func speaksToTheLongestAddressThatThereIs() {
    let start = NSTemporaryDirectory() + "notify-"
    for length in [107, 108] {
      let listener = NotifySocket(path: start + String(repeating: "x", count: length - start.utf8.count))
      ServiceManager(environment: ["NOTIFY_SOCKET": listener.path]).ready()
      #expect(listener.receive() == (length < 108 ? "READY=1" : nil), "\(length)")
    }
  }

  @Test func takesDescriptorsThatAreOpenAndKeepsThemFromOthers() throws {
    var ends: [Int32] = [-1, -1]
    // Next to each other, as a rule; another test may open something meanwhile.
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let environment = ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "1"]
    #expect(fcntl(ends[0], F_GETFD) & FD_CLOEXEC == 0)
    #expect(ListenDescriptors.inherited(environment: environment, first: ends[0]) == [ends[0]])
    #expect(fcntl(ends[0], F_GETFD) & FD_CLOEXEC != 0)
    // Far beyond what is open.
    #expect(ListenDescriptors.inherited(environment: environment, first: 900_000).isEmpty)
    for count in ["0", "1025", "x", ""] {
      let many = ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": count]
      #expect(ListenDescriptors.inherited(environment: many, first: ends[0]).isEmpty, "\(count)")
    }
  }
}
