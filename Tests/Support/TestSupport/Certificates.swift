import Glibc

/// An authority of a test's own, and the certificates that it has given, made by openssl in a folder.
public final class Certificates {
  private let folder: TemporaryFolder

  /// Makes the authority: `ca.pem`, with its key beside it.
  public init(in folder: TemporaryFolder) throws {
    self.folder = folder
    try openssl(
      ["req", "-x509"] + Self.newKey + [
        "-keyout", "ca.key", "-out", "ca.pem", "-days", "30", "-subj", "/CN=Test authority",
      ])
  }

  /// Makes NAME.pem and NAME.key.
  ///
  /// - Parameters:
  ///   - names: What it is for, as in "DNS:localhost,IP:127.0.0.1".
  ///   - days: How long it is valid from now on; a negative number makes one that has expired.
  public func issue(_ name: String, for names: String = "DNS:localhost,IP:127.0.0.1", days: Int = 30) throws {
    try folder.write("subjectAltName=\(names)\n", to: "\(name).ext")
    try openssl(["req"] + Self.newKey + ["-keyout", "\(name).key", "-out", "\(name).csr", "-subj", "/CN=\(name)"])
    try openssl([
      "x509", "-req", "-in", "\(name).csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-out",
      "\(name).pem", "-days", "\(days)", "-extfile", "\(name).ext",
    ])
  }

  private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

  private func openssl(_ arguments: [String]) throws {
    // Names of files are relative to the folder.
    let words = arguments.map { word in
      [".pem", ".key", ".csr", ".ext"].contains { word.hasSuffix($0) } ? folder.file(word) : word
    }
    let process = try spawnInBackground(["/usr/bin/openssl"] + words, output: folder.file("openssl.log"))
    var status: Int32 = 0
    waitpid(process, &status, 0)
    guard status == 0 else { throw SupportError("openssl \(arguments.joined(separator: " ")) failed") }
  }
}
