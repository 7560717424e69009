import Foundation

/// An error or a warning of the compiler.
public struct CompilerMessage: Hashable, Sendable {
  /// The line of the program, from 1.
  public let line: Int
  /// What the compiler says.
  public let message: String

  /// Creates a message.
  public init(line: Int, message: String) {
    self.line = line
    self.message = message
  }
}

/// The Swift compiler that built this test, for programs that import the package's modules.
public enum Compiler {
  /// Where this test was built.
  private static let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
  /// What a program needs to import the modules, and the C modules under them, that this test was built with.
  private static let imports: [String] = {
    let checkouts = products.appending(path: "../../checkouts").standardizedFileURL
    let sources = [Checkout.file("Sources")] + (contents(of: checkouts).map { $0.appending(path: "Sources") })
    let written = sources.flatMap { folder in
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?
        .compactMap { $0 as? URL }.filter { $0.lastPathComponent == "module.modulemap" } ?? []
    }
    // SwiftPM makes a map for each C target that has none.
    let made = contents(of: products).map { $0.appending(path: "module.modulemap") }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
    let plugin = products.appending(path: "RxMacrosPlugin-tool").path
    let hasMacros = FileManager.default.fileExists(atPath: plugin)
    return ["-I", products.appending(path: "Modules").path]
      + (hasMacros ? ["-load-plugin-executable", plugin + "#RxMacrosPlugin"] : [])
      + written.flatMap { ["-I", $0.deletingLastPathComponent().path] }
      + made.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
  }()

  private static func contents(of folder: URL) -> [URL] {
    (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
  }

  /// What the compiler says about `program`, which may import the modules that this test was built with; `nil` where
  /// there is no compiler.
  ///
  /// - Throws: `SupportError` for what is wrong with no line of the program, such as a module that cannot be read.
  public static func messages(about program: String) throws -> [CompilerMessage]? {
    try messages(about: program, ["-swift-version", "6"] + imports)
  }

  /// What the compiler says about a package's manifest.
  public static func messages(aboutManifest manifest: String) throws -> [CompilerMessage]? {
    struct Target: Decodable {
      struct Paths: Decodable { let runtimeResourcePath: String }
      let paths: Paths
    }
    let target = try run(["swiftc", "-print-target-info"])
    if target.status == 127 { return nil }
    let resources = try JSONDecoder().decode(Target.self, from: Data(target.output.utf8)).paths.runtimeResourcePath
    return try messages(about: manifest, ["-package-description-version", "6.2", "-I", resources + "/pm/ManifestAPI"])
  }

  private static func messages(about program: String, _ options: [String]) throws -> [CompilerMessage]? {
    try withFile(program) { file in
      let result = try run(["swiftc", "-typecheck", "-diagnostic-style", "llvm"] + options + [file.path])
      if result.status == 127 { return nil }
      return try result.errors.split(separator: "\n").compactMap { line in
        if line.contains("<unknown>:0: error: ") { throw SupportError(String(line)) }
        guard let match = line.wholeMatch(of: /.*main\.swift:(\d+):\d+: (?:error|warning): (.*)/) else { return nil }
        return CompilerMessage(line: Int(match.1) ?? 0, message: String(match.2))
      }
    }
  }

  /// Compiles `program` and says what it prints when it is given `input` as its standard input.
  ///
  /// - Throws: `SupportError` when it does not compile or does not end with status 0.
  public static func output(of program: String, input: URL) throws -> String {
    try withFile(program) { file in
      let list = products.appending(path: "rxlocationdPackageTests.product/Objects.LinkFileList")
      var objects = try String(contentsOf: list, encoding: .utf8).split(separator: "\n").filter {
        !$0.contains("Tests.build/") && !$0.contains("/rxlocationd.build/")
      }
      // The compiler writes a file beside the first object, where another compiler would write it at the same time.
      let folder = file.deletingLastPathComponent()
      let first = folder.appending(path: "first.o")
      try FileManager.default.copyItem(at: URL(filePath: String(objects[0])), to: first)
      objects[0] = first.path[...]
      let response = folder.appending(path: "objects")
      try objects.joined(separator: "\n").write(to: response, atomically: true, encoding: .utf8)
      let binary = file.deletingPathExtension()
      let link = ["-use-ld=lld", "-lz", "-lgps", "@" + response.path, "-o", binary.path]
      // Objects that were built for the thread sanitizer need its library.
      let sanitizer = dlsym(nil, "__tsan_init") == nil ? [] : ["-sanitize=thread"]
      let compiled = try run(["swiftc", "-swift-version", "6"] + sanitizer + imports + link + [file.path])
      guard compiled.status == 0 else { throw SupportError(compiled.errors) }
      let result = try run([binary.path], input: FileHandle(forReadingFrom: input))
      guard result.status == 0 else { throw SupportError("ends with \(result.status): \(result.errors)") }
      return result.output
    }
  }

  private static func withFile<Result>(_ program: String, _ body: (URL) throws -> Result) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "samples-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "main.swift")
    try program.write(to: file, atomically: true, encoding: .utf8)
    return try body(file)
  }

  private static func run(
    _ words: [String], input: FileHandle = .nullDevice
  ) throws -> (output: String, errors: String, status: Int32) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.standardInput = input
    // In files: whoever reads two pipes one after the other waits for ever when the second one is full.
    let folder = FileManager.default.temporaryDirectory
    let files = ["out", "err"].map { folder.appending(path: "compiler-\(UUID()).\($0)") }
    defer { for file in files { try? FileManager.default.removeItem(at: file) } }
    for file in files { try Data().write(to: file) }
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.run()
    process.waitUntilExit()
    let texts = try files.map { try String(decoding: Data(contentsOf: $0), as: UTF8.self) }
    return (texts[0], texts[1], process.terminationStatus)
  }
}
