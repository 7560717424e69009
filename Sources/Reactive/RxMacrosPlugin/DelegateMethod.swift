#if Macros
  import SwiftDiagnostics
  import SwiftParser
  import SwiftSyntax
  import SwiftSyntaxBuilder

  /// One method of a delegate protocol, as the proxy needs to know it.
  struct DelegateMethod {
    struct Argument {
      /// Before the name; `nil` for none.
      let label: String?
      let name: String
      /// As the method has it.
      let type: String
      /// As a stream has it: without `@escaping`.
      let element: String
      let isSender: Bool
    }

    let function: FunctionDeclSyntax
    let arguments: [Argument]
    /// What the method returns; `nil` for nothing.
    let answerType: String?
    /// What it answers without a user's delegate; `nil` when it returns nothing.
    let answer: String?
    let isAsync: Bool
    /// `throws`, `throws(UploadError)` or nothing.
    let throwing: String
    /// The name of its key and its stream; and a longer one for when several methods have the same.
    let key: String
    let longKey: String

    /// Reads a method of the protocol; throws its problem. `sender` is the type of the object whose delegate is called.
    init(_ function: FunctionDeclSyntax, sender: String) throws {
      self.function = function
      try Self.check(function)
      var names: Set<String> = []
      var arguments: [Argument] = []
      for (index, parameter) in function.signature.parameterClause.parameters.enumerated() {
        var name = (parameter.secondName ?? parameter.firstName).text
        if name == "_" || names.contains(name) { name = "argument\(index + 1)" }
        names.insert(name)
        if !name.isValidSwiftIdentifier(for: .variableName) { name = "`\(name)`" }
        arguments.append(try Argument(parameter, name: name, sender: sender))
      }
      self.arguments = arguments

      let effects = function.signature.effectSpecifiers
      isAsync = effects?.asyncSpecifier != nil
      throwing = effects?.throwsClause?.trimmedDescription ?? ""
      answerType = function.answerType?.description
      answer = try Self.answer(of: function)
      (key, longKey) = Self.keys(function.name.text, arguments, sender: sender)
    }

    /// The arguments without the object itself, for the stream.
    var observed: [Argument] {
      guard let index = arguments.firstIndex(where: \.isSender) else { return arguments }
      var observed = arguments
      observed.remove(at: index)
      return observed
    }

    /// The method's name as Swift writes it: `uploader(_:didSend:)`.
    var signature: String { "\(function.name.text)(\(arguments.map { "\($0.label ?? "_"):" }.joined()))" }

    /// `@available` attributes, which the proxy's method has too.
    var availability: String {
      function.attributes.compactMap { $0.as(AttributeSyntax.self) }
        .filter { $0.attributeName.trimmedDescription == "available" }
        .map { $0.trimmedDescription + "\n" }.joined()
    }

    // MARK: What a proxy cannot have

    private static func check(_ function: FunctionDeclSyntax) throws {
      if let generics = function.genericParameterClause {
        throw Problem(
          generics, "a generic method cannot be observed, since a key has the types of its arguments; write them out")
      }
      for modifier in function.modifiers {
        switch modifier.name.tokenKind {
        case .keyword(.static), .keyword(.class):
          throw Problem(modifier, "a delegate proxy stands for one object and has no static members")
        case .keyword(.nonisolated):
          throw Problem(modifier, "a delegate proxy belongs to the main actor, so its methods cannot be nonisolated")
        case .keyword(.mutating):
          throw Problem(modifier, "a delegate is an object; its methods need not be mutating")
        default: break
        }
      }
      if case .binaryOperator = function.name.tokenKind {
        throw Problem(function.name, "an operator cannot be observed")
      }
      for token in function.signature.tokens(viewMode: .sourceAccurate) where token.tokenKind == .keyword(.Self) {
        throw Problem(token, "a delegate is called through its protocol, where 'Self' is not known")
      }
      for token in function.signature.tokens(viewMode: .sourceAccurate) where token.tokenKind == .keyword(.some) {
        throw Problem(token, "a generic method cannot be observed, since a key has the types of its arguments")
      }
      for token in function.signature.tokens(viewMode: .sourceAccurate)
      where ["Delegate", "ParentObject", "MethodStreams"].contains(token.text)
        && token.parent?.is(IdentifierTypeSyntax.self) == true
      {
        throw Problem(
          token,
          "'\(token.text)' is the proxy's own type in there; write yours with its module, as in 'App.\(token.text)'")
      }
    }

    private static func answer(of function: FunctionDeclSyntax) throws -> String? {
      guard let type = function.answerType else { return nil }
      for case .attribute(let attribute) in function.attributes
      where attribute.attributeName.trimmedDescription.split(separator: ".").last == "Answer" {
        guard case .argumentList(let list) = attribute.arguments, let value = list.first?.expression else { continue }
        return value.trimmedDescription
      }
      if type.is(OptionalTypeSyntax.self) || type.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
        || type.description.hasPrefix("Optional<")
      {
        return "nil"
      }
      var answered = function
      answered.leadingTrivia = Trivia(pieces: function.leadingTrivia)
      answered.attributes.insert(
        .attribute("@Answer(<#\(raw: type.description)#>) "), at: answered.attributes.startIndex)
      answered.attributes[answered.attributes.startIndex].leadingTrivia = function.leadingTrivia
      if function.attributes.isEmpty { answered = answered.withFirstKeywordTrivia([]) }
      throw Problem(
        function.name,
        "'\(function.name.text)' returns \(type.description): say with @Answer(…) what it answers without a delegate",
        fixIts: [
          FixIt(
            message: Problem.Message(message: "add @Answer"),
            changes: [.replace(oldNode: Syntax(function), newNode: Syntax(answered))])
        ])
    }

    // MARK: Names

    /// `didSend` of `uploader(_:didSend:)`, `didFinish` of `uploaderDidFinish(_:)`. The longer one has all labels.
    private static func keys(_ name: String, _ arguments: [Argument], sender: String) -> (String, String) {
      let labels = arguments.compactMap(\.label)
      let typeName = sender.split(separator: ".").last.map(String.init) ?? sender
      let subjects = arguments.first.map { first in
        first.isSender && first.label == nil ? [lowerCamel(typeName), first.name] : []
      }
      for subject in subjects ?? [] {
        if name == subject, let first = labels.first { return (first, join(first, labels.dropFirst())) }
        let rest = name.dropFirst(subject.count)
        if name.hasPrefix(subject), let initial = rest.first, initial.isUppercase {
          let key = initial.lowercased() + rest.dropFirst()
          return (key, join(key, labels[...]))
        }
      }
      return (name, join(name, labels[...]))
    }

    private static func join(_ name: String, _ labels: ArraySlice<String>) -> String {
      name + labels.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// `mapView` of `MapView`, `urlSession` of `URLSession`.
    private static func lowerCamel(_ name: String) -> String {
      let capitals = name.prefix { $0.isUppercase }.count
      let count = capitals > 1 && capitals < name.count ? capitals - 1 : capitals
      return name.prefix(count).lowercased() + name.dropFirst(count)
    }
  }

  extension FunctionDeclSyntax {
    /// The declaration with other trivia before `func` or its first modifier.
    fileprivate func withFirstKeywordTrivia(_ trivia: Trivia) -> FunctionDeclSyntax {
      var function = self
      if function.modifiers.isEmpty {
        function.funcKeyword.leadingTrivia = trivia
      } else {
        function.modifiers[function.modifiers.startIndex].leadingTrivia = trivia
      }
      return function
    }
  }

  extension DelegateMethod.Argument {
    init(_ parameter: FunctionParameterSyntax, name: String, sender: String) throws {
      if let ellipsis = parameter.ellipsis {
        throw Problem(ellipsis, "a variadic argument cannot be forwarded; take an array")
      }
      let label = parameter.firstName.text
      self.label = label == "_" ? nil : label
      self.name = name
      type = parameter.type.trimmedDescription
      isSender = type == sender || sender.hasSuffix(".\(type)")
      var element = parameter.type.trimmed
      var isEscaping = false
      if let attributed = element.as(AttributedTypeSyntax.self) {
        if let specifier = attributed.specifiers.first {
          throw Problem(
            parameter.type,
            "an argument that is '\(specifier.trimmedDescription)' cannot be both observed and forwarded")
        }
        let kept = attributed.attributes.filter { $0.trimmedDescription != "@escaping" }
        isEscaping = kept.count != attributed.attributes.count
        if kept.contains(where: { $0.trimmedDescription == "@autoclosure" }) {
          throw Problem(parameter.type, "an autoclosure cannot be observed; take a value or a closure")
        }
        element = kept.isEmpty ? attributed.baseType : TypeSyntax(attributed.with(\.attributes, kept))
        if attributed.baseType.is(FunctionTypeSyntax.self), !isEscaping {
          throw Problem(parameter.type, "a closure that is observed escapes; declare it @escaping")
        }
      } else if element.is(FunctionTypeSyntax.self) {
        throw Problem(parameter.type, "a closure that is observed escapes; declare it @escaping")
      }
      if parameter.type.hasPlainClosure {
        throw Problem(parameter.type, "a closure that is observed may be called anywhere; declare it @Sendable")
      }
      if let forced = element.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) {
        self.element = "\(forced.wrappedType.trimmedDescription)?"
      } else {
        self.element = element.trimmedDescription
      }
    }
  }

  extension SyntaxProtocol {
    /// Whether there is a closure in a type, such as an optional one, that is neither `@Sendable` nor an actor's.
    fileprivate var hasPlainClosure: Bool {
      guard self.is(FunctionTypeSyntax.self) else {
        return children(viewMode: .sourceAccurate).contains { $0.hasPlainClosure }
      }
      let attributes = parent?.as(AttributedTypeSyntax.self)?.attributes ?? []
      return attributes.allSatisfy { $0.trimmedDescription == "@escaping" }
    }
  }
#endif
