import Glibc

/// A GPX document in the regular file that standard output is.
final class GPXFile: RecordDestination {
  let name = "GPX document on standard output"
  /// Whether the file had a document before, which is continued.
  let continuesDocument: Bool
  private let standardOutput: Int32
  private let descriptor: Int32
  private var document: GPXDocument<GPXDescriptor>

  /// Begins a document in an empty file, or continues one that this program wrote; `nil` when `standardOutput` is no
  /// regular file, where a document can only be streamed.
  /// - Throws: `OutputError` when the file has other contents, cannot be written, or is being written by another
  ///   process.
  init?(standardOutput: Int32) throws(OutputError) {
    var status = stat()
    guard fstat(standardOutput, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    self.standardOutput = standardOutput
    let isEmpty = status.st_size == 0
    let descriptor = try Self.reopen(standardOutput, isEmpty: isEmpty)
    self.descriptor = descriptor
    continuesDocument = !isEmpty
    let storage = GPXDescriptor(descriptor: descriptor)
    do throws(OutputError) {
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
        throw OutputError(
          .cannotCreate, "the GPX document is being written by another process; choose another file"
        )
      }
      document = isEmpty ? try Self.create(storage) : try Self.find(storage)
    } catch {
      Self.release(descriptor)
      throw error
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> WriteOutcome {
    let code = document.append(bytes)
    return code == 0 ? .wrote(bytes.count) : .failed(code)
  }

  func waitUntilWritable(milliseconds: Int32) {}

  func reopen() -> OutputError? { nil }

  /// Unlocks the file at once: closing alone would leave it to a child process that is being spawned to let go.
  private static func release(_ descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    Glibc.close(descriptor)
  }

  func close() -> Int32? {
    let code = document.finish()
    // For whoever writes to standard output next.
    lseek(standardOutput, off_t(document.length), SEEK_SET)
    Self.release(descriptor)
    return code == 0 ? nil : code
  }

  /// A description of its own for the file: with `>>` writes would otherwise go to the end wherever they should go.
  private static func reopen(_ standardOutput: Int32, isEmpty: Bool) throws(OutputError) -> Int32 {
    let path = "/proc/self/fd/\(standardOutput)"
    let (descriptor, code) = retryingInterrupts { open(path, O_RDWR | O_CLOEXEC) }
    if descriptor >= 0 { return descriptor }
    // An empty file need not be read.
    if isEmpty && fcntl(standardOutput, F_GETFL) & O_APPEND == 0 {
      let duplicate = fcntl(standardOutput, F_DUPFD_CLOEXEC, 3)
      if duplicate >= 0 { return duplicate }
    }
    throw OutputError(
      .cannotCreate,
      "the file on standard output cannot hold a GPX document: \(describe(errno: code)); "
        + "let this user read and write it")
  }

  private static func create(_ storage: GPXDescriptor) throws(OutputError) -> GPXDocument<
    GPXDescriptor
  > {
    switch GPXDocument.create(in: storage) {
    case .success(let document): return document
    case .failure(let failure):
      throw OutputError(
        .inputOutput, "the GPX document cannot be written: \(describe(errno: failure.code))")
    }
  }

  /// Finds the seal of the document that the file holds.
  private static func find(_ storage: GPXDescriptor) throws(OutputError) -> GPXDocument<
    GPXDescriptor
  > {
    switch GPXSealSearch(storage: storage).run() {
    case .success(let document)?: return document
    case .failure(let failure)?:
      throw OutputError(.inputOutput, "the GPX document cannot be written: \(describe(errno: failure.code))")
    case nil:
      throw OutputError(
        .cannotCreate,
        "the file on standard output has contents that are no GPX document of this program; "
          + "replace it with > or choose another file")
    }
  }
}
