import Foundation
import TestSupport
import Testing

/// Each name that RxSwift has, with the labels of its arguments, is declared here or is on the page "Coming from RxSwift"
/// among those that are absent. The list of RxSwift's names lies beside the checkout.
@Suite(.inTurn) struct RxSwiftNamesTests {
  private static let list = Checkout.shared.appending(path: "rxswift/names.txt")

  @Test(.enabled(if: FileManager.default.fileExists(atPath: list.path), "the list of names is not there"))
  func everyNameIsDeclaredOrSaidToBeAbsent() throws {
    let declared = try DeclaredNames.here.get()
    let page = try String(
      contentsOf: Checkout.file("Sources/Reactive/Rx/Rx.docc/ComingFromRxSwift.md"), encoding: .utf8)
    let rows = try #require(page.range(of: "### What is absent")).upperBound
    // `observe` is the name of an operator, too.
    let absent = Set(
      page[rows...].split(separator: "\n").filter { $0.hasPrefix("| Rx") }
        .flatMap { $0.split(separator: "|")[1].split(separator: "`").map(String.init) }
    ).subtracting(["observe"])
    // Rows of names that RxSwift itself has given up begin with one.
    let givenUp = Set(
      page.split(separator: "\n").filter { $0.hasPrefix("| `") }
        .flatMap { $0.split(separator: "|")[0].split(separator: "`").map(String.init) })
    // Each line has a module, a kind and a name. Operators and `hash(into:)` are made by the compiler.
    let names = try String(contentsOf: Self.list, encoding: .utf8).split(separator: "\n")
      .filter { !$0.hasPrefix("#") && !$0.contains(" func.op ") && !$0.hasSuffix(".hash(into:)") }
      .compactMap { $0.split(separator: " ", maxSplits: 2).last }
    #expect(names.count > 800)
    let missing = names.filter { name in
      let words = name.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
      let isGivenUp = name.split(separator: ".").last.map { givenUp.contains(String($0)) } ?? false
      return absent.isDisjoint(with: words) && !isGivenUp && !declared.contains(name)
    }
    #expect(missing == [])
  }

  @Test func aDeclarationIsFoundByTheArgumentsThatItTakes() {
    let declared = DeclaredNames(
      in: """
        public func wait<T: A<B>>(for time: (Int, Int), _ count: Int..., scheduler: any S = main) -> Int {
        public func `do`(@Builder builder: () -> [Int])
        static func zip<each T>(_ source: repeat each T, selector: @escaping (Int) -> Int)  // func commented(_ a: Int)
        public init?(key: Int)
        case next(Element), completed
        public var name: String
        """)
    for name in [
      "A.wait(for:)", "A.wait(for:_:)", "A.wait(for:_:scheduler:)", "do(builder:)", "A.B.zip(_:_:_:selector:)",
      "A.init(key:)", "Event.next(_:)", "name",
    ] {
      #expect(declared.contains(name), "\(name)")
    }
    for name in ["wait(_:)", "wait(for:scheduler:_:)", "do()", "zip(_:)", "init(_:)", "commented(_:)", "other"] {
      #expect(!declared.contains(name), "\(name)")
    }
  }
}

/// The names that sources declare, and what arguments functions take. It does not look at the types that they belong to.
struct DeclaredNames {
  private struct Parameter {
    let label: Substring
    let mayBeLeftOut: Bool
    let mayBeRepeated: Bool
  }

  private var names: Set<Substring> = []
  private var functions: [Substring: [[Parameter]]] = [:]

  static let here = Result { try DeclaredNames(under: Checkout.file("Sources/Reactive")) }

  init(under folder: URL) throws {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
    for file in files ?? [] where file.pathExtension == "swift" {
      read(try String(contentsOf: file, encoding: .utf8))
    }
  }

  init(in source: String) { read(source) }

  private mutating func read(_ source: String) {
    let code = source.replacing(/\/\/.*/, with: "")
    let declaration = /\b(?:func|init|subscript|case|var|let|class|struct|enum|protocol|typealias|associatedtype)\b/
    for match in code.matches(of: declaration) {
      var rest = code[match.range.upperBound...].drop(while: \.isWhitespace)
      var name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "`" }
      rest = rest[name.endIndex...]
      if name.isEmpty { name = code[match.range] }
      name = Substring(name.replacing("`", with: ""))
      names.insert(name)
      if rest.first == "?" { rest.removeFirst() }
      if rest.first == "<" { rest = rest[Self.bracketed(rest).endIndex...] }
      rest = rest.drop(while: \.isWhitespace)
      if rest.first == "(" {
        functions[name, default: []].append(Self.parameters(Self.bracketed(rest).dropFirst().dropLast()))
      }
    }
  }

  /// What stands in brackets at the beginning of `text`, with them.
  private static func bracketed(_ text: Substring) -> Substring {
    var depth = 0
    var last: Character = " "
    for index in text.indices {
      let character = text[index]
      if "([{<".contains(character) { depth += 1 }
      if ")]}".contains(character) || character == ">" && last != "-" { depth -= 1 }
      if depth == 0 { return text[...index] }
      last = character
    }
    return text
  }

  private static func parameters(_ text: Substring) -> [Parameter] {
    var parts: [Substring] = []
    var rest = text
    var part = text.prefix(0)
    while let character = rest.first {
      let end = "([{<".contains(character) ? bracketed(rest).endIndex : rest.index(after: rest.startIndex)
      if character == "," {
        parts.append(part)
        part = rest[end...].prefix(0)
      } else {
        part = text[part.startIndex..<end]
      }
      rest = rest[end...]
    }
    if !part.allSatisfy(\.isWhitespace) { parts.append(part) }
    return parts.map { part in
      let words = part.prefix { $0 != ":" }.split { $0.isWhitespace }.filter { !$0.hasPrefix("@") }
      let isPack = part.contains("repeat ")
      return Parameter(
        label: part.contains(":") ? words.first ?? "_" : "_",
        mayBeLeftOut: isPack || part.contains("...") || part.contains(" = "),
        mayBeRepeated: isPack || part.contains("..."))
    }
  }

  /// Whether `name`, such as `Type.member` or `Type.function(_:label:)`, is declared.
  func contains(_ name: some StringProtocol) -> Bool {
    let path = name.prefix { $0 != "(" }
    let base = Substring(path.split(separator: ".").last ?? "")
    guard path.endIndex < name.endIndex else { return names.contains(base) }
    let labels = name[path.endIndex...].dropFirst().dropLast().split(separator: ":").map { Substring($0) }
    return functions[base, default: []].contains { Self.takes($0[...], labels[...]) }
  }

  private static func takes(_ parameters: ArraySlice<Parameter>, _ labels: ArraySlice<Substring>) -> Bool {
    guard let parameter = parameters.first else { return labels.isEmpty }
    if parameter.mayBeLeftOut, takes(parameters.dropFirst(), labels) { return true }
    guard labels.first == parameter.label else { return false }
    return parameter.mayBeRepeated && takes(parameters, labels.dropFirst())
      || takes(parameters.dropFirst(), labels.dropFirst())
  }
}
