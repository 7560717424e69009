import Foundation
import TestSupport
import Testing
import Writing

@testable import rxlocationd

/// The files of `--fence-state`.
@Suite(.inTurn) struct FenceDirectoryTests {
  private let folder = TemporaryFolder()
  private var path: String { folder.path("inside") }

  private func names() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: path)).subtracting([".rxlocationd"])
  }

  @Test func hasTheFilesOfTheFences() throws {
    let directory = try FenceDirectory(path: path)
    try directory.show(["home", "work place", "Ä"])
    #expect(try names() == ["home", "work place", "Ä"])
    try directory.show(["work place", "yard"])
    #expect(try names() == ["work place", "yard"])
    try directory.clear()
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
  }

  @Test func leavesFilesOfOthers() throws {
    let directory = try FenceDirectory(path: path)
    _ = try folder.write("mine", to: "inside/home")
    _ = try folder.write("mine", to: "inside/notes")
    let error = #expect(throws: OutputError.self) { try directory.show(["home"]) }
    #expect(error?.message == "fence state: \(path)/home is a file of another program")
    try directory.show(["work"])
    try directory.clear()
    #expect(try names() == ["home", "notes"])
    #expect(try String(contentsOfFile: path + "/home", encoding: .utf8) == "mine")
  }

  @Test func knowsTheFilesOfAnEarlierRun() throws {
    do { try FenceDirectory(path: path).show(["home", "gone"]) }
    _ = try folder.write("", to: "inside/other")
    let directory = try FenceDirectory(path: path)
    #expect(try directory.files() == ["home", "gone"])
    try directory.show(["home"])
    #expect(try names() == ["home", "other"])
  }

  @Test(arguments: ["inside", "inside/.rxlocationd", "inside/home"])
  func putsBackWhatVanishes(name: String) throws {
    let directory = try FenceDirectory(path: path)
    try directory.show(["home", "work"])
    try FileManager.default.removeItem(atPath: folder.path(name))
    try directory.show(["home"])
    #expect(try names() == ["home"])
    try directory.clear()
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
  }

  @Test func twoDaemonsDoNotShareIt() throws {
    let first = try FenceDirectory(path: path)
    let error = #expect(throws: OutputError.self) { try FenceDirectory(path: path) }
    #expect(error?.message == "fence state: \(path) is used by another rxlocationd")
    try first.show(["home"])
    let none = #expect(throws: OutputError.self) { try FenceDirectory(path: folder.path("none/inside")) }
    #expect(none?.message == "fence state: \(folder.path("none/inside")) cannot be created: No such file or directory")
    let file = try folder.write("", to: "file")
    #expect(throws: OutputError.self) { try FenceDirectory(path: file) }
  }

  @Test(arguments: ["", ".", "..", ".hidden", "a/b", "/", "a\0b", String(repeating: "x", count: 256)])
  func refusesOtherNames(name: String) {
    #expect(!FenceDirectory.isFileName(name))
    #expect(FenceDirectory.isFileName("x" + String(repeating: "y", count: 254)))
  }
}
