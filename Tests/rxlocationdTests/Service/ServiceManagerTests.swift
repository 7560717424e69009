import Foundation
import Testing

@testable import rxlocationd

@Suite struct ServiceManagerTests {
  /// A datagram socket at a path, as systemd listens on it.
  private final class Listener {
    let path = NSTemporaryDirectory() + "notify-\(UUID().uuidString.prefix(8))"
    private let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)

    init() {
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      #expect(result == 0)
    }

    deinit {
      close(descriptor)
      unlink(path)
    }

    /// A message that has been sent; datagrams of this host are there when `sendto` returns.
    func receive() -> String? {
      var buffer = [UInt8](repeating: 0, count: 512)
      let count = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      return count < 0 ? nil : String(decoding: buffer.prefix(count), as: UTF8.self)
    }
  }

  @Test func speaksTheProtocol() {
    let listener = Listener()
    let manager = ServiceManager(environment: ["NOTIFY_SOCKET": listener.path])
    manager.ready()
    manager.status("3D fix")
    manager.watchdog()
    manager.stopping()
    #expect((0..<4).map { _ in listener.receive() } == ["READY=1", "STATUS=3D fix", "WATCHDOG=1", "STOPPING=1"])
    manager.reloading()
    let reloading = listener.receive() ?? ""
    #expect(reloading.hasPrefix("RELOADING=1\nMONOTONIC_USEC="))
    #expect(UInt64(reloading.dropFirst("RELOADING=1\nMONOTONIC_USEC=".count)) ?? 0 > 0)
  }

  @Test func watchdogIsForTheProcessThatItNames() {
    #expect(ServiceManager(environment: ["WATCHDOG_USEC": "10"]).watchdogMicroseconds == 10)
    #expect(ServiceManager(environment: ["WATCHDOG_USEC": "10", "WATCHDOG_PID": "1"]).watchdogMicroseconds == nil)
    let own = ["WATCHDOG_USEC": "10", "WATCHDOG_PID": "\(getpid())"]
    #expect(ServiceManager(environment: own).watchdogMicroseconds == 10)
    #expect(ServiceManager(environment: ["WATCHDOG_USEC": "x"]).watchdogMicroseconds == nil)
  }

  @Test func isSilentWithoutAManager() {
    ServiceManager(environment: [:]).ready()
    ServiceManager(environment: ["NOTIFY_SOCKET": "relative"]).ready()
    ServiceManager(environment: ["NOTIFY_SOCKET": "/" + String(repeating: "x", count: 200)]).ready()
  }

  @Test func takesNoDescriptorsThatAreForAnotherProcess() {
    #expect(ListenDescriptors.take(environment: ["LISTEN_PID": "1", "LISTEN_FDS": "1"]).isEmpty)
    #expect(ListenDescriptors.take(environment: [:]).isEmpty)
    #expect(ListenDescriptors.take(environment: ["LISTEN_PID": "\(getpid())", "LISTEN_FDS": "-4"]).isEmpty)
  }
}
