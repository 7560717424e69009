import Sockets

extension NetworkLoop {
  /// Starts the thread if the process may open enough files: without a free descriptor the system's libraries end the
  /// process.
  static func start() throws(CommandError) -> NetworkLoop {
    let need = DescriptorLimit.reserve + 16
    guard DescriptorLimit.raise() >= need else { throw .tooFewDescriptors(need: need) }
    return NetworkLoop()
  }
}

extension CommandError {
  /// The process may open too few files.
  static func tooFewDescriptors(need: Int) -> CommandError {
    let limit = DescriptorLimit.current
    return CommandError(
      .systemError,
      "only \(limit) files may be open at once, and \(need) are needed; raise the limit (ulimit -n \(need))")
  }
}
