import Foundation
import Glibc
import Testing
import TestSupport

/// How the program is started: with standard streams that are closed, signals that are ignored, libraries that were loaded
/// before.
@Suite(.startsPrograms) struct StartingTests {
  private let folder = TemporaryFolder()

  // MARK: Standard streams that are closed

  @Test(arguments: [
    "replay $D --speed max >&-", "replay $D --speed max <&- >&-", "replay $D --speed max --format gpx >&-",
    "replay $D --speed max --format none --region-log - >&-", "replay - --speed max >&- <$D", "--gpsd 127.0.0.1:9 >&-",
    "track $D >&-", "track $D --output /dev/stdout >&-", "track - <$D >&-", "monitor $D >&-",
    "doctor --gpsd 127.0.0.1:9 --timeout 0.1 >&-",
  ])
  func aClosedStandardOutputIsSaid(command: String) async throws {
    try await DaemonProcess.bash("exec $B \(command)", status: 74, saying: "standard output is closed")
  }

  @Test func whatNeedsNoStandardStreamRunsWithoutIt() async throws {
    let log = folder.path("log")
    try await DaemonProcess.bash(
      "exec $B replay $D --speed max --format none --region-log '\(log)' <&- >&- 2>&-", status: 0)
    let golden = try Checkout.text("Recordings/drive.regions.ndjson")
    #expect(contents(log) == golden)
    let csv = folder.path("csv")
    try await DaemonProcess.bash("exec $B track $D --format csv --output '\(csv)' <&- >&- 2>&-", status: 0)
    #expect(contents(csv).split(separator: "\n").count == 705)
    // A file that is opened later must not get the number of standard error, and the messages with it.
    let other = folder.path("other")
    let result = try await DaemonProcess.bash("exec $B replay $D --speed max --region-log '\(other)' 2>&-", status: 0)
    #expect(result.lines.count == 705)
    #expect(contents(other) == golden)
  }

  @Test(arguments: ["replay -", "replay $D -", "track -", "track $D -", "monitor -"])
  func aClosedStandardInputIsSaid(command: String) async throws {
    let result = try await DaemonProcess.bash(
      "exec $B \(command) <&-", status: 66, saying: "standard input is closed")
    #expect(result.output.isEmpty)
  }

  // MARK: What the caller ignores

  @Test func theDaemonRunsUnderNohup() async throws {
    let settings = try folder.write("span 1000\n", to: "x.conf")
    let process = try DaemonProcess(bash: "exec nohup $B replay - --config '\(settings)'", keepsInputOpen: true)
    process.feed(0..<3)
    try await process.wait(for: "a location") { process.output.contains("location") }
    process.send(signal: SIGHUP)
    try await process.wait(toSay: "reloaded")
    try await process.terminate()
  }

  @Test func aTrackUnderNohupOutlivesItsTerminal() async throws {
    let pipe = folder.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    let process = try DaemonProcess(bash: "exec nohup $B track '\(pipe)' --format csv")
    let writer = open(pipe, O_RDWR | O_CLOEXEC)
    try await process.wait(for: "the reading") { process.has(open: pipe) }
    process.send(signal: SIGHUP)
    let text = (0..<3).map { NMEA.epoch($0) }.joined()
    #expect(write(writer, text, text.utf8.count) == text.utf8.count)
    close(writer)
    let result = try await process.waitUntilExit(status: 0)
    #expect(result.lines.count == 4)
  }

  /// Where nobody ignores it, a limit of files' sizes would end the process.
  @Test func aLimitOfFileSizesIsCalledThat() async throws {
    let result = try await DaemonProcess.bash(
      """
      trap - XFSZ; ulimit -f 8
      $B replay $D --speed max >'\(folder.path("out"))'; echo $?
      $B replay $D --speed max --format none --region-log '\(folder.path("log"))'; echo $?
      """)
    #expect(result.lines == ["74", "74"])
    let messages = result.messages.split(separator: "\n")
    #expect(messages.count { $0.contains("cannot be written: File too large") } == 2, "\(result.messages)")
    #expect(contents(folder.path("log")).hasSuffix("}\n"))
  }

  /// The system's libraries end a process that has no descriptor left.
  @Test(
    arguments: [4, 8, 12, 20, 40, 100], ["--map 0", "--metrics 0", "--region-socket tcp:127.0.0.1:0", "--format csv"])
  func tooFewDescriptorsAreAnError(count: Int, output: String) async throws {
    let result = try await DaemonProcess.bash("ulimit -n \(count) && exec $B replay $D --speed max \(output)")
    if result.status == 0 { return #expect(output == "--format csv" && count >= 20) }
    #expect(result.status > 0 && result.status < 128, "\(result.messages)")
    #expect(result.messages.contains("files may be open at once") || output == "--format csv", "\(result.messages)")
    if count < 20 { #expect(result.messages.contains("and 20 are needed") && result.status == 71) }
    #expect(result.messages.hasPrefix("rxlocationd: ") && result.messages.split(separator: "\n").count == 1)
  }

  /// Swift's runtime and libdispatch would wait for ever for a thread. Root has no limit.
  @Test(.enabled(if: geteuid() == 0), arguments: [2, 4, 6, 20])
  func tooFewThreadsAreAnError(count: Int) async throws {
    // The other user need not see the program's folder.
    let result = try await DaemonProcess.bash(
      """
      exec 9<$B; exec timeout -s KILL 60 setpriv --reuid 65533 --regid 65533 --clear-groups \
        bash -c 'ulimit -u \(count) && exec /proc/self/fd/9 replay - --speed max' <$D
      """)
    if result.status == 0, count == 20 { return }
    #expect(result.status == 71 && result.messages.contains("thread"), "\(result)")
    #expect(result.messages.contains("ulimit -u"))
  }

  @Test(arguments: [100_000, 150_000, 200_000, 300_000, 390_000, 600_000])
  func tooLittleMemoryForThreadsIsAnError(kibibytes: Int) async throws {
    let result = try await DaemonProcess.bash(
      "ulimit -v \(kibibytes) && exec timeout -s KILL 60 $B replay $D --speed max")
    #expect(result.status == (kibibytes == 600_000 ? 0 : 71), "\(result)")
    #expect(result.status == 0 || result.messages.contains("ulimit -v 393216"), "\(result.messages)")
  }

  // MARK: The command line

  /// As libfaketime has it, which moves the environment that Swift's runtime searches for the words.
  @Test func theWordsAreReadWhereTheRuntimeDoesNotFindThem() async throws {
    let source = """
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <stdio.h>
      #include <string.h>
      FILE *fopen(const char *path, const char *mode) {
        FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");
        return strcmp(path, "/proc/self/maps") == 0 ? NULL : real(path, mode);
      }
      """
    try folder.write(source, to: "nomaps.c")
    let library = folder.path("nomaps.so")
    let result = try await DaemonProcess.bash(
      "cc -shared -fPIC -o '\(library)' '\(folder.path("nomaps.c"))' && LD_PRELOAD='\(library)' exec $B --version",
      status: 0)
    #expect(result.output == "rxlocationd 0.2.0\n")
  }
}
