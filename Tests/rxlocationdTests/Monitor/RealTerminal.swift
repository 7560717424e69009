import Foundation
import TestSupport

/// A terminal with an interactive shell in it, by tmux, with a server of its own. It is closed when released.
final class RealTerminal: Sendable {
  private let folder: TemporaryFolder
  private let server: pid_t

  /// Opens a terminal of a size, in the package's folder.
  ///
  /// - Parameter environment: Variables of the shell, such as `TERM=vt100`.
  init(width: Int, height: Int, environment: [String] = []) async throws {
    let folder = TemporaryFolder()
    let shell =
      ["env", "-u", "NO_COLOR", "LC_ALL=C.UTF-8", "PS1=ready> "] + environment + ["bash", "--norc", "--noprofile"]
    let size = ["-x", "\(width)", "-y", "\(height)"]
    let server = try await Self.tmux(
      ["new-session", "-d", "-P", "-F", "#{pid}", "-c", Checkout.root.path] + size + shell, in: folder)
    guard let number = pid_t(server.dropLast()) else { throw SupportError("tmux has no process: \(server)") }
    (self.folder, self.server) = (folder, number)
    try await wait(for: "ready>")
  }

  deinit {
    // It takes the shell with it.
    kill(server, SIGTERM)
  }

  /// Starts the program by a script, which notes its process, the terminal's modes before and after, and its status.
  ///
  /// - Parameter input: A file for standard input, in place of the terminal.
  func start(_ arguments: [String], input: String? = nil) async throws {
    let redirection = input.map { " < '\($0)'" } ?? ""
    let words = ([DaemonProcess.executable.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
    try folder.write("echo $$ > \(folder.path("process")); exec \(words)\(redirection)\n", to: "run")
    try folder.write(
      """
      clear
      stty -g > \(folder.path("before"))
      sh \(folder.path("run"))
      echo $? > \(folder.path("status"))
      stty -g > \(folder.path("after"))
      """, to: "script")
    try await type(". \(folder.path("script"))")
    try await press("Enter")
  }

  var process: pid_t? { pid_t(text(of: "process") ?? "") }

  /// The status that the shell has seen; `nil` while the program runs.
  var status: Int? { Int(text(of: "status") ?? "") }

  /// Waits for the program's end, and says whether the terminal is as it was: its modes, the screen that it shows, the
  /// cursor and the mouse.
  func isAsItWas(afterStatus status: Int) async throws -> Bool {
    guard await eventually({ self.status == status && self.text(of: "after") != nil }) else { return false }
    let state = try await tmux(["display-message", "-p", "#{alternate_on}#{cursor_flag}#{mouse_any_flag}"])
    return text(of: "before") == text(of: "after") && state == "010\n"
  }

  private func text(of name: String) -> String? {
    let text = try? String(contentsOfFile: folder.path(name), encoding: .utf8)
    // A file may be there before what is written to it.
    return text.flatMap { $0.hasSuffix("\n") ? String($0.dropLast()) : nil }
  }

  /// Presses keys by tmux's names: `Enter`, `C-z`, `Down`, `q`.
  func press(_ keys: String...) async throws { try await tmux(["send-keys"] + keys) }

  func type(_ text: String) async throws { try await tmux(["send-keys", "-l", text]) }

  /// Clicks at a place, as a terminal of tmux's type reports it.
  func click(x: Int, y: Int) async throws {
    let bytes = [0x1B, 0x5B, 0x4D, 0x20, 0x21 + x, 0x21 + y]
    try await tmux(["send-keys", "-H"] + bytes.map { String($0, radix: 16) })
  }

  func resize(width: Int, height: Int) async throws {
    try await tmux(["resize-window", "-x", "\(width)", "-y", "\(height)"])
  }

  /// What it shows, line by line, without spaces at their ends.
  ///
  /// - Parameter withStyles: Whether with the sequences for colours.
  func screen(withStyles: Bool = false) async throws -> String {
    try await tmux(["capture-pane", "-p"] + (withStyles ? ["-e"] : []))
  }

  func wait(for text: String) async throws {
    var last = ""
    guard
      try await eventually({
        last = try await screen()
        return last.contains(text)
      })
    else { throw DaemonProcess.TimedOut(description: "no '\(text)' on the screen, but:\n\(last)") }
  }

  @discardableResult
  private func tmux(_ arguments: [String]) async throws -> String {
    try await Self.tmux(arguments, in: folder)
  }

  private static func tmux(_ arguments: [String], in folder: TemporaryFolder) async throws -> String {
    let command = try DaemonProcess("/usr/bin/tmux", ["-f", "/dev/null", "-S", folder.path("tmux")] + arguments)
    let result = try await command.waitUntilExit()
    guard result.status == 0 else { throw SupportError("tmux \(arguments): \(result.messages)") }
    return result.output
  }
}
