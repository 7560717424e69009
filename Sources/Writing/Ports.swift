import Dispatch
import Glibc
import Platform
import SystemPackage

/// A host, a group or a network that gets each record as a UDP datagram. Nobody acknowledges it.
package final class Datagrams: RecordFile {
  package let name: String
  package let sendsRecords = true
  package private(set) var descriptor: Int32
  private let endpoint: Endpoint
  /// The address; `nil` until the host's name is known, and after a failure.
  private var address: ResolvedAddress?
  private var lookupFailure: String?

  /// Sends to a host, or to all hosts of a network by its broadcast address.
  package init(to endpoint: Endpoint) throws(OutputError) {
    (self.endpoint, name) = (endpoint, "NMEA udp:\(endpoint)")
    descriptor = Self.socket(AF_INET)
    guard descriptor >= 0 else { throw OutputError(.noResources, "\(name) has no socket: \(Errno(rawValue: errno))") }
  }

  private static func socket(_ family: Int32) -> Int32 {
    let type = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = Glibc.socket(family, type, 0)
    var isOn: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_BROADCAST, &isOn, socklen_t(MemoryLayout<Int32>.size))
    return descriptor
  }

  /// Sends a whole record. The name of a host is looked up first, which may take a while.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    if address == nil { address = try lookUp() }
    guard let address else { return 0 }
    let count = address.withSocketAddress { sendto(descriptor, bytes.baseAddress, bytes.count, 0, $0, $1) }
    if count >= 0 { return bytes.count }
    let error = Errno(rawValue: errno)
    if error == .wouldBlock || error == .interrupted { return 0 }
    self.address = nil
    throw error
  }

  private func lookUp() throws(Errno) -> ResolvedAddress {
    do throws(ConnectFailure) {
      guard let address = try ResolvedAddress.all(of: endpoint).first else { throw .noAddress("no address") }
      lookupFailure = nil
      let new = Self.socket(address.family)
      guard new >= 0 else { return address }
      Glibc.close(descriptor)
      descriptor = new
      return address
    } catch {
      lookupFailure = error.reason
      throw .noRouteToHost
    }
  }

  package func describe(_ failure: Errno) -> String {
    let hint = failure == .notPermitted ? "; the service's IPAddressAllow= has to name this address" : ""
    return "\(name) cannot be sent: \(lookupFailure ?? "\(failure)")\(hint)"
  }

  package func close() throws(Errno) { Glibc.close(descriptor) }
}

/// A pseudo-terminal that programs open by a link as if it were a receiver's serial port.
///
/// While no program has it open, records are dropped and do not count as lost. What programs write to it is read and
/// dropped on a thread. A program that opens it next finds it raw, and without records from before.
package final class PseudoTerminal: RecordFile {
  package let name: String
  package let descriptor: Int32
  private let link: String
  private let terminal: String
  private var lock: LinkLock?
  private let stopping: Wakeup
  private let reader = DispatchSemaphore(value: 0)

  // TIOCSPTLCK and TIOCGPTN of <asm-generic/ioctls.h>.
  private static let setLock: UInt = 0x4004_5431
  private static let getNumber: UInt = 0x8004_5430

  /// Makes the terminal, with this mode and group, and the link to it. A link to another terminal, such as that of an earlier
  /// run, is replaced.
  package init(link: String, mode: UInt16, group: gid_t?) throws(OutputError) {
    (self.link, name) = (link, "NMEA pty:\(link)")
    func failure(_ problem: String) -> OutputError {
      OutputError(.cannotCreate, "NMEA pty:\(link) \(problem): \(Errno(rawValue: errno))")
    }
    try Self.check(link)
    lock = try LinkLock(of: link)
    let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    // Swift's Glibc module does not have `unlockpt` and `ptsname`.
    var (lock, number): (Int32, UInt32) = (0, 0)
    guard master >= 0, ioctl(master, Self.setLock, &lock) == 0, ioctl(master, Self.getNumber, &number) == 0 else {
      let error = failure("has no pseudo-terminal")
      Glibc.close(master)
      throw error
    }
    descriptor = master
    terminal = "/dev/pts/\(number)"
    do throws(Errno) {
      stopping = try Wakeup()
      guard chmod(terminal, mode_t(mode)) == 0, group.map({ chown(terminal, uid_t.max, $0) == 0 }) ?? true else {
        throw Errno(rawValue: errno)
      }
      Self.clear(terminal)
      let new = link + ".new"
      unlink(new)
      guard symlink(terminal, new) == 0, rename(new, link) == 0 else { throw Errno(rawValue: errno) }
      try Thread.start { [terminal, descriptor, stopping, reader] in
        Self.dropInput(of: descriptor, terminal, until: stopping)
        reader.signal()
      }
    } catch {
      if Self.target(of: link) == "/dev/pts/\(number)" { unlink(link) }
      Glibc.close(descriptor)
      throw OutputError(.cannotCreate, "NMEA pty:\(link) cannot be made: \(error)")
    }
  }

  /// Checks that there can be such a link, and leaves everything unchanged.
  package static func check(_ link: String) throws(OutputError) {
    var status = stat()
    if lstat(link, &status) == 0, target(of: link)?.hasPrefix("/dev/pts/") != true {
      throw OutputError(
        .cannotCreate, "NMEA pty:\(link) exists and is no link to a terminal; remove it, or choose another path")
    }
    let folder = folder(of: link)
    guard access(folder, W_OK | X_OK) == 0 else {
      throw OutputError(.cannotCreate, "NMEA pty:\(link) cannot be made: \(folder): \(Errno(rawValue: errno))")
    }
  }

  private static func target(of link: String) -> String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &path, path.count)
    return count > 0 ? String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self) : nil
  }

  /// Makes the terminal raw, with 8 bits, and drops what no program has read.
  private static func clear(_ terminal: String) {
    let slave = open(terminal, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard slave >= 0 else { return }
    var settings = termios()
    tcgetattr(slave, &settings)
    cfmakeraw(&settings)
    settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
    tcsetattr(slave, TCSANOW, &settings)
    tcflush(slave, TCIOFLUSH)
    Glibc.close(slave)
  }

  private static func isOpen(_ master: Int32) -> Bool {
    var request = pollfd(fd: master, events: 0, revents: 0)
    return poll(&request, 1, 0) == 0
  }

  private static func dropInput(of master: Int32, _ terminal: String, until stopping: Wakeup) {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while !stopping.isSignalled {
      guard stopping.wait(for: master) == .ready else { return }
      // The system reports an error while no program has it open.
      if read(master, &bytes, bytes.count) > 0 { continue }
      // Nothing tells when a program opens it, or that one had it open for a moment.
      clear(terminal)
      _ = stopping.wait(seconds: 1)
    }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
    guard Self.isOpen(descriptor) else { return bytes.count }
    let count = Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    if count >= 0 { return count }
    // The program may have closed it just now.
    return errno == EIO ? bytes.count : 0
  }

  package func close() throws(Errno) {
    if Self.target(of: link) == terminal { unlink(link) }
    lock = nil
    stopping.signal()
    reader.wait()
    Glibc.close(descriptor)
  }
}

/// A locked file beside the link, while its terminal is there: without it a second daemon would take the link over.
private struct LinkLock: ~Copyable {
  private let path: String
  private let file: Int32

  init(of link: String) throws(OutputError) {
    let path = link + ".lock"
    let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else {
      throw OutputError(.cannotCreate, "NMEA pty:\(link) cannot be made: \(path): \(Errno(rawValue: errno))")
    }
    // One that ends removes its file, which may have been opened here just before.
    guard flock(file, LOCK_EX | LOCK_NB) == 0,
      FileIdentity(FileDescriptor(rawValue: file)) == FileIdentity(path: path)
    else {
      close(file)
      throw OutputError(
        .cannotCreate, "NMEA pty:\(link) is used by another rxlocationd; end that, or choose another path")
    }
    (self.path, self.file) = (path, file)
  }

  deinit {
    unlink(path)
    close(file)
  }
}
