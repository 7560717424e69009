/// A test's own authority and the certificates that it issues, made by openssl in a folder.
package final class Certificates {
  private let folder: TemporaryFolder

  package init(in folder: TemporaryFolder) throws {
    self.folder = folder
    try openssl(
      ["req", "-x509"] + Self.newKey + [
        "-keyout", "ca.key", "-out", "ca.pem", "-days", "30", "-subj", "/CN=Test authority",
      ])
    try folder.write("", to: "index.txt")
    try folder.write(
      """
      [ca]
      default_ca = test
      [test]
      database = \(folder.file("index.txt"))
      new_certs_dir = \(folder.path)
      rand_serial = yes
      default_md = sha256
      unique_subject = no
      policy = any
      [any]
      commonName = supplied

      """, to: "ca.cnf")
  }

  /// Makes NAME.pem and NAME.key, valid for a month.
  ///
  /// - Parameters:
  ///   - names: The names and addresses that it is for, as in "DNS:localhost,IP:127.0.0.1"; `nil` leaves only the subject's
  ///     common name, which is `name`.
  ///   - isExpired: Whether it was valid in January 2020 only.
  package func issue(
    _ name: String, for names: String? = "DNS:localhost,IP:127.0.0.1", isExpired: Bool = false
  ) throws {
    try folder.write(names.map { "subjectAltName=\($0)\n" } ?? "", to: "\(name).ext")
    try openssl(["req"] + Self.newKey + ["-keyout", "\(name).key", "-out", "\(name).csr", "-subj", "/CN=\(name)"])
    // x509 of OpenSSL 3.0 takes no dates, and that of 3.5 no negative number of days.
    let dates = isExpired ? ["-startdate", "20200101000000Z", "-enddate", "20200201000000Z"] : ["-days", "30"]
    try openssl(
      [
        "ca", "-batch", "-notext", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", "\(name).csr",
        "-out", "\(name).pem", "-extfile", "\(name).ext",
      ] + dates)
  }

  private static let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

  private func openssl(_ arguments: [String]) throws {
    // Names of files are relative to the folder.
    let words = arguments.map { word in
      [".pem", ".key", ".csr", ".ext", ".cnf"].contains { word.hasSuffix($0) } ? folder.file(word) : word
    }
    try runProgram(["/usr/bin/openssl"] + words, output: folder.file("openssl.log"))
  }
}
