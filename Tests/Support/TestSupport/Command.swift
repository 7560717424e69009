import Foundation

package enum Command {
  /// What a program writes to standard output, and on request to standard error; throws if it fails.
  package static func output(
    _ path: String, _ arguments: [String], input: [UInt8] = [], withErrors: Bool = false
  ) throws -> [UInt8] {
    let folder = TemporaryFolder()
    try Data(input).write(to: URL(filePath: folder.file("in")))
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: URL(filePath: folder.file("in")))
    let pipe = Pipe()
    process.standardOutput = pipe
    if withErrors { process.standardError = pipe }
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw SupportError("\(path) ended with \(process.terminationStatus): \(String(decoding: data, as: UTF8.self))")
    }
    return [UInt8](data)
  }
}
