import Foundation
import TestSupport
import Testing

/// The host's clock for the processes that get its environment. They see at once when a test sets it.
struct HostClock {
  let environment: [String]
  private let file: FileHandle

  init(in folder: TemporaryFolder) async throws {
    let (source, library) = (Checkout.file("Tests/Support/HostClock/host_clock.c").path, folder.path("clock.so"))
    let compiler = try DaemonProcess("/usr/bin/env", ["cc", "-shared", "-fPIC", "-o", library, source])
    let compiled = try await compiler.waitUntilExit()
    try #require(compiled.status == 0, "\(compiled.messages)")
    let path = folder.path("ahead")
    environment = ["LD_PRELOAD=\(library)", "HOST_CLOCK=\(path)"]
    try Data(count: 8).write(to: URL(filePath: path))
    file = try FileHandle(forWritingTo: URL(filePath: path))
  }

  /// Sets the clock to so many hours from the right time.
  func set(hoursAhead hours: Int) throws {
    try file.seek(toOffset: 0)
    try file.write(contentsOf: withUnsafeBytes(of: Int64(hours * 3600)) { Data($0) })
  }
}
