import Glibc
import SystemPackage

/// Standard input as a file of a command line, which is called `-`.
enum StandardInput {
  /// Refuses it when whoever started this process has closed it.
  ///
  /// - Throws: `CommandError` with status 66.
  static func check(_ files: [FilePath]) throws(CommandError) {
    let flags = fcntl(STDIN_FILENO, F_GETFL)
    guard files.contains("-"), flags < 0 || flags & O_ACCMODE == O_WRONLY else { return }
    throw CommandError(.noInput, "standard input is closed, so nothing can be read from it")
  }
}
