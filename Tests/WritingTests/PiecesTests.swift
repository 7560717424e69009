import Foundation
import Platform
import Testing
import TestSupport

@testable import Writing

@Suite(.inTurn) struct PiecesTests {
  private let folder = TemporaryFolder()

  private static let format = LineFile.Format(
    name: "record", isLine: { $0.starts(with: "n".utf8) || $0.starts(with: "head".utf8) },
    header: { _ in Array("head\n".utf8) })
  private let notices = Recorder<OutputNotice>()

  private func open(_ path: String, limit: Int = 1 << 20) throws -> LineFile {
    try LineFile(path: path, Self.format, limit: limit, onNotice: notices.record)
  }

  /// Writes lines of these numbers, and returns the names of the pieces after that.
  @discardableResult
  private func write(_ numbers: Range<Int>) throws -> [String] {
    let file = try open(folder.file("r"))
    for number in numbers { try write("n\(number)\n", to: file) }
    try file.close()
    return try names()
  }

  private func write(_ text: String, to file: LineFile) throws {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty { bytes = bytes.dropFirst(try bytes.withUnsafeBytes { try file.write($0) }) }
  }

  private func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }

  private func size() throws -> Int {
    try names().reduce(0) {
      $0 + (try FileManager.default.attributesOfItem(atPath: folder.file($1))[.size] as? Int ?? 0)
    }
  }

  private func lines() async throws -> [Substring] {
    var text = ""
    for name in try names().filter({ $0 != "r" }) + ["r"] {
      let data = try Data(contentsOf: URL(fileURLWithPath: folder.file(name)))
      text += String(decoding: name.hasSuffix(".gz") ? try unzipped(folder.file(name)) : data, as: UTF8.self)
    }
    return text.split(separator: "\n")
  }

  private func unzipped(_ path: String) throws -> Data { Data(try Command.output("/usr/bin/zcat", [path])) }

  /// Lines of random text, which gzip hardly compresses, or of text that it does.
  @Test(arguments: [false, true]) func allPiecesTogetherStayBelowTheLimit(isRandom: Bool) async throws {
    let file = try open(folder.file("r"))
    var numbers = SplitMix(state: 1)
    var count = 0
    while count < 40_000 {
      var text = ""
      for _ in 0..<Int.random(in: 1...200, using: &numbers) {
        count += 1
        let noise =
          isRandom ? "\(numbers.next())\(numbers.next())\(numbers.next())" : "abcabcabcabcabcabcabcabcabcabcabcabc"
        text += "n\(count) \(noise)\n"
      }
      try write(text, to: file)
      #expect(try size() <= 1 << 20)
    }
    try file.close()
    let kept = try await lines().filter { $0 != "head" }.map { Int($0.dropFirst().prefix { $0 != " " }) ?? 0 }
    #expect(kept.last == count)
    // Each piece has its line at the beginning, and no line is missing after the oldest one.
    #expect(kept == Array((kept.first ?? 0)...count))
    if isRandom { #expect(try size() > 400_000) }
    #expect(isRandom ? kept.count > 8_000 : kept.count == count)
  }

  @Test func aPieceThatWasNotCompressedToItsEndIsCompressedAgain() async throws {
    for (name, text) in [("r.000001", "n1\n"), ("r.000001.gz.part", "torn"), ("r", "n2\nn"), ("r.txt", "x")] {
      try folder.write(text, to: name)
    }
    #expect(try write(3..<9) == ["r", "r.000001.gz", "r.txt"])
    unlink(folder.file("r.txt"))
    #expect(try await lines() == (1..<9).map { "n\($0)" })
  }

  /// A piece is removed only when its compressed form is on the disk: a device has no fsync.
  @Test func aPieceStaysUntilItsCompressedFormIsDurable() throws {
    try folder.write("n1\n", to: "r.000001")
    let file = try open(folder.file("r"))
    symlink("/dev/null", folder.file("r.000001.gz.part"))
    for number in 2..<5 { try write("n\(number)\n", to: file) }
    #expect(contents(folder.file("r.000001")) == "n1\n")
    try file.close()
  }

  /// The two forms of a piece, as far as the second one is written, are together too large in the first or second step.
  @Test(arguments: [900_000, 700_000]) func aPieceThatHasNoRoomWhileItIsCompressedIsRemoved(size: Int) throws {
    var numbers = SplitMix(state: 1)
    let noise = Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &numbers) })
    try noise.write(to: URL(fileURLWithPath: folder.file("r.000001")))
    #expect(try write(1..<3) == ["r"])
  }

  /// A crash came between the end of compressing and the removal of the plain piece.
  @Test func aPlainPieceBesideItsCompressedFormIsRemoved() throws {
    for name in ["r.000001", "r.000001.gz", "r.1000000"] { try folder.write("n1\n", to: name) }
    let path = folder.file("r")
    let file = try open(path)
    #expect(try names() == ["r", "r.000001.gz", "r.1000000"])
    #expect(RecordPieces.files(of: path) == [path + ".000001.gz", path + ".1000000", path])
    try file.close()
  }

  /// One that appears only in the second round of compressing.
  @Test func aSecondPieceIsCompressedAfterTheFirst() async throws {
    for number in 1..<4 { try folder.write("n\(number)\n", to: "r.00000\(number)") }
    #expect(try write(4..<12) == ["r", "r.000001.gz", "r.000002.gz", "r.000003.gz"])
    #expect(try await lines() == (1..<12).map { "n\($0)" })
  }

  @Test func aPieceThatAnotherProgramRemovedDoesNotKeepTheNextOnePlain() throws {
    for number in 1..<3 { try folder.write("n\(number)\n", to: "r.00000\(number)") }
    let file = try open(folder.file("r"))
    unlink(folder.file("r.000001"))
    for number in 3..<9 { try write("n\(number)\n", to: file) }
    try file.close()
    #expect(try names() == ["r", "r.000002.gz"])
  }

  /// A piece may have exactly an eighth of the limit.
  @Test func aPieceEndsWhenTheNextLineHasNoRoom() throws {
    let file = try open(folder.file("r"), limit: 8 * 1000)
    for _ in 0..<100 { try write("n12345678\n", to: file) }
    #expect(try names() == ["r"])
    try write("n\n", to: file)
    #expect(try names() == ["r", "r.000001"])
    try file.close()
  }

  @Test(arguments: [(0, ""), (3, "n1\n"), (5, "n1\n")])
  func aRecordThatWasTruncatedGoesOnWithAHeader(size: Int, kept: String) throws {
    let path = folder.file("r")
    let file = try open(path)
    try write("n1\nn22\n", to: file)
    #expect(truncate(path, size) == 0)
    try write("n3\n", to: file)
    // A torn line goes, too.
    #expect(contents(path) == kept + "head\nn3\n")
    #expect(truncate(path, kept.utf8.count + 5) == 0)
    try file.close()
    let message = "record \(path) was truncated by another program:"
    #expect(notices.values.map(\.message) == ["\(message) \(7 - size) bytes are gone", "\(message) 3 bytes are gone"])
  }

  @Test func allPiecesOfARecordAreKnownByTheirNumbers() throws {
    let path = folder.file("r")
    for name in ["r", "r.000001.gz", "r.000002", "r.000002.gz", "r.000003", "r.000004.gz.part", "r.5.gz", "r.old"] {
      try folder.write("", to: name)
    }
    let all = ["r.000001.gz", "r.000002.gz", "r.000003", "r"].map(folder.file)
    #expect(RecordPieces.files(of: path) == all)
    #expect(RecordPieces.completed([path, "-"]) == all + ["-"])
    // Who names pieces reads these.
    #expect(RecordPieces.completed([all[0], path]) == [all[0], path])
    #expect(RecordPieces.missing(in: all).isEmpty)
    #expect(RecordPieces.missing(in: [all[0], path]) == [path + ".000002", path + ".000003"])
    #expect(RecordPieces.missing(in: [all[0], all[2]]) == [path + ".000002"])
    #expect(RecordPieces.missing(in: [all[2], all[0], "other.000009", "another.000011"]).isEmpty)
  }

  @Test func aFileHasOneWriter() throws {
    let file = try open(folder.file("r"))
    #expect(throws: OutputError.self) { try open(folder.file("r")) }
    try file.close()
    // A program that another test starts just now has the lock for a moment.
    #expect(eventuallyBlocking(within: 10) { (try? open(folder.file("r")).close()) != nil }, "the lock stays")
  }

  @Test func linesComeWithinASecond() async throws {
    let stream = try RecordStream(
      record: folder.file("r"), limit: 1 << 20, isLine: Self.format.isLine, header: { _ in Array("head\n".utf8) })
    for number in 0..<50 { stream.append(Array("n\(number)\n".utf8)) }
    let isWritten = await eventually(within: 10) { contents(folder.file("r")).hasSuffix("n49\n") }
    try #require(isWritten, "the last line is not in the record")
    // The end of a record does not wait for its second.
    for number in 50..<100 { stream.append(Array("n\(number)\n".utf8)) }
    #expect(await stream.finish() == .finished)
    #expect(contents(folder.file("r")).hasSuffix("n98\nn99\n"))
    #expect(stream.statistics.account.isSettled)
  }

  @Test func aTrialChangesNothing() throws {
    try RecordStream.trial(record: folder.file("r"), isLine: Self.format.isLine)
    #expect(try names().isEmpty)
    try folder.write("n1\nn", to: "r")
    try RecordStream.trial(record: folder.file("r"), isLine: Self.format.isLine)
    #expect(contents(folder.file("r")) == "n1\nn")
    try folder.write("other\n", to: "r")
    #expect(throws: OutputError.self) { try RecordStream.trial(record: folder.file("r"), isLine: Self.format.isLine) }
  }
}
