import Foundation
import TestSupport
import Testing

/// The table in the documentation of `LocationManager` names what there is, and says of nothing that it is there when it is
/// not.
@Suite(.inTurn) struct DocumentedMembersTests {
  /// The table, what is declared in LocationKit, and the public members of the manager.
  private static let sources = Result { try read() }

  private static func read() throws -> (table: String, declared: Set<String>, members: Set<String>) {
    let folder = Checkout.file("Sources/Location/LocationKit")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    var (declared, members): (Set<String>, Set<String>) = ([], [])
    for file in files ?? [] where file.pathExtension == "swift" {
      let source = try String(contentsOf: file, encoding: .utf8)
      for match in source.matches(of: /(?:var|func|let|class|struct|enum|protocol|case) (\w+)/) {
        declared.insert(String(match.1))
      }
      var isManager = false
      for line in source.split(separator: "\n") {
        if line.prefixMatch(of: /(open class|extension) LocationManager\b/) != nil { isManager = true }
        if line == "}" { isManager = false }
        guard isManager, let match = line.prefixMatch(of: #/  (?:public|open) .*?\b(?:var|func|let) (\w+)/#) else {
          continue
        }
        members.insert(String(match.1))
      }
    }
    let manager = try String(contentsOf: folder.appending(path: "Manager/LocationManager.swift"), encoding: .utf8)
    let table = manager.split(separator: "\n").prefix { !$0.hasPrefix("@MainActor") }.joined(separator: "\n")
    return (table, declared, members)
  }

  @Test func everyMemberIsNamed() throws {
    let (table, _, members) = try Self.sources.get()
    #expect(members.count > 25)
    // The one that its source calls is nobody else's.
    let named = Set(table.matches(of: /`(\w+)/).map { String($0.1) })
    #expect(members.subtracting(named).subtracting(["receive"]) == [])
  }

  @Test func whatIsSaidToBeThereIs() throws {
    let (table, declared, _) = try Self.sources.get()
    let rows = table.split(separator: "\n").filter { $0.hasPrefix("/// | `") }.map { $0.split(separator: "|") }
    #expect(rows.count > 20)
    for row in rows {
      let names = row[1].matches(of: /`(\w+)/).map { String($0.1) }.filter { !$0.hasPrefix("CL") }
      let isAbsent = row[2].hasPrefix(" not available")
      for name in names {
        #expect(declared.contains(name) != isAbsent, "\(name)")
      }
      // What is said in its place exists, too.
      for match in row[2].matches(of: /`{2}(?:\w+\/)?(\w+)/) {
        #expect(declared.contains(String(match.1)), "\(match.1)")
      }
    }
  }
}
