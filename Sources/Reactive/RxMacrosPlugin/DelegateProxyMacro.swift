#if Macros
  import SwiftDiagnostics
  import SwiftSyntax
  import SwiftSyntaxBuilder
  import SwiftSyntaxMacros

  /// `@DelegateProxy(of:)`: reads a delegate protocol and writes its proxy class.
  struct DelegateProxyMacro: PeerMacro {
    static func expansion(
      of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
      in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
      do {
        guard let delegate = declaration.as(ProtocolDeclSyntax.self) else {
          throw Problem(node, "@DelegateProxy belongs to a delegate's protocol")
        }
        guard let parent = try type(in: node, "of") else {
          throw Problem(node, "say whose delegate it is: @DelegateProxy(of: Uploader.self)")
        }
        let foreign = try type(in: node, "for")
        let sender = foreign == nil ? nil : commonSender(of: delegate)
        let (methods, refusedMembers) = members(of: delegate, sender: sender ?? parent)
        let (named, refusedNames) = named(methods)
        let problems = problems(of: delegate) + refusedMembers + refusedNames
        for problem in problems { context.diagnose(problem.diagnostic) }
        let source = ProxySource(
          protocolName: delegate.name.text, parent: parent, delegate: foreign, access: access(of: delegate),
          isMainActor: isMainActor(delegate), isForObjects: delegate.inheritanceClause != nil, methods: named,
          isComplete: problems.isEmpty)
        return [DeclSyntax(stringLiteral: source.text)]
      } catch let problem as Problem {
        context.diagnose(problem.diagnostic)
        return []
      }
    }

    /// The problems of the protocol itself, apart from its members.
    private static func problems(of delegate: ProtocolDeclSyntax) -> [Problem] {
      var problems: [Problem] = []
      // Otherwise the declaration of the associated type is refused.
      let declared = delegate.memberBlock.members.contains { $0.decl.is(AssociatedTypeDeclSyntax.self) }
      if let parameters = delegate.primaryAssociatedTypeClause, !declared {
        problems.append(Problem(parameters, "a delegate's protocol with associated types cannot be proxied"))
      }
      if delegate.inheritanceClause == nil {
        problems.append(Problem(delegate.name, "a delegate is held weakly: declare '\(delegate.name.text): AnyObject'"))
      }
      return problems
    }

    /// The type in `label: Type.self`, without parentheses; `nil` without such an argument.
    private static func type(in node: AttributeSyntax, _ label: String) throws -> String? {
      guard case .argumentList(let arguments) = node.arguments,
        let argument = arguments.first(where: { $0.label?.text == label })
      else { return nil }
      guard let member = argument.expression.as(MemberAccessExprSyntax.self), let base = member.base,
        member.declName.baseName.tokenKind == .keyword(.self)
      else { throw Problem(argument.expression, "write the type out, as in 'Uploader.self'") }
      let text = base.trimmedDescription
      return text.hasPrefix("(") && text.hasSuffix(")") ? String(text.dropFirst().dropLast()) : text
    }

    /// The type that every method of a protocol from another module takes first. It is a superclass of the parent if
    /// the proxy is for a subclass.
    private static func commonSender(of delegate: ProtocolDeclSyntax) -> String? {
      let senders = delegate.memberBlock.members.compactMap { $0.decl.as(FunctionDeclSyntax.self) }
        .map { $0.signature.parameterClause.parameters.first?.type.trimmedDescription }
      guard let sender = senders.first, senders.allSatisfy({ $0 == sender }) else { return nil }
      return sender
    }

    private static func members(
      of delegate: ProtocolDeclSyntax, sender: String
    ) -> (methods: [DelegateMethod], problems: [Problem]) {
      var methods: [DelegateMethod] = []
      var problems: [Problem] = []
      for member in delegate.memberBlock.members {
        do {
          if let method = try read(member.decl, sender: sender) { methods.append(method) }
        } catch let problem as Problem {
          problems.append(problem)
        } catch {
          problems.append(Problem(member, "\(error)"))
        }
      }
      return (methods, problems)
    }

    private static func read(_ member: DeclSyntax, sender: String) throws -> DelegateMethod? {
      switch member.as(DeclSyntaxEnum.self) {
      case .functionDecl(let function):
        return try DelegateMethod(function, sender: sender)
      case .typeAliasDecl:
        return nil
      case .variableDecl(let property):
        throw Problem(property, "a delegate proxy forwards methods; make this property a method")
      case .subscriptDecl(let subscripting):
        throw Problem(subscripting, "a delegate proxy forwards methods; make this subscript a method")
      case .initializerDecl(let initializer):
        throw Problem(initializer, "a delegate proxy is made by its own initialiser and has no other")
      case .associatedTypeDecl(let associatedType):
        throw Problem(associatedType, "a delegate's protocol with associated types cannot be proxied")
      case .ifConfigDecl(let condition):
        throw Problem(condition, "a macro does not know which conditions hold; put the whole protocol in '#if'")
      default:
        throw Problem(member, "a delegate proxy forwards methods; this member is not a method")
      }
    }

    /// The methods with their keys. Several that would have the same key have one with all of their labels.
    private static func named(
      _ methods: [DelegateMethod]
    ) -> (named: [(key: String, method: DelegateMethod)], problems: [Problem]) {
      let counts = methods.reduce(into: [:]) { $0[$1.key, default: 0] += 1 }
      var taken: [String: DelegateMethod] = [:]
      var named: [(key: String, method: DelegateMethod)] = []
      var problems: [Problem] = []
      for method in methods {
        let key = counts[method.key] == 1 ? method.key : method.longKey
        if let other = taken[key] {
          problems.append(
            Problem(
              method.function.name,
              "'\(method.signature)' would have the key '\(key)', which '\(other.signature)' has; rename a label of one"
            ))
        } else {
          taken[key] = method
          named.append((key, method))
        }
      }
      return (named, problems)
    }

    private static func access(of delegate: ProtocolDeclSyntax) -> String {
      let levels: [Keyword] = [.public, .package, .internal, .fileprivate, .private]
      for modifier in delegate.modifiers {
        for level in levels where modifier.name.tokenKind == .keyword(level) { return modifier.name.text }
      }
      return ""
    }

    private static func isMainActor(_ delegate: ProtocolDeclSyntax) -> Bool {
      delegate.attributes.contains {
        $0.as(AttributeSyntax.self)?.attributeName.trimmedDescription.split(separator: ".").last == "MainActor"
      }
    }
  }

  // A macro does not see whether a type is `Sendable`; the compiler does when it chooses between two macros of one name. So
  // each argument gets one, which is the refusal when the type is not.
  extension DelegateProxyMacro: MemberAttributeMacro {
    static func expansion(
      of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
      providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
      guard let parent = try? type(in: node, "of"), let function = member.as(FunctionDeclSyntax.self),
        let method = try? DelegateMethod(function, sender: parent)
      else { return [] }
      return method.arguments.enumerated().filter { $1.type != parent }.map { index, argument in
        "@ObservedArgument(\(raw: index), RxMacros.ObservedType<\(raw: argument.element)>.check(()))"
      }
    }
  }

  /// `@ObservedArgument` of a `Sendable` type.
  struct AcceptedArgumentMacro: PeerMacro {
    static func expansion(
      of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
      in context: some MacroExpansionContext
    ) -> [DeclSyntax] { [] }
  }

  /// `@ObservedArgument` of another type.
  struct RefusedArgumentMacro: PeerMacro {
    static func expansion(
      of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
      in context: some MacroExpansionContext
    ) -> [DeclSyntax] {
      guard let parameters = declaration.as(FunctionDeclSyntax.self)?.signature.parameterClause.parameters,
        case .argumentList(let list) = node.arguments,
        let index = list.first.flatMap({ Int($0.expression.trimmedDescription) })
      else { return [] }
      let type = Array(parameters)[index].type
      context.diagnose(
        Problem(
          type,
          "an argument that is observed may be used on any thread; '\(type.trimmedDescription)' has to be Sendable"
        ).diagnostic)
      return []
    }
  }

  /// `@Answer`: `DelegateProxyMacro` reads it where it stands; by itself it writes nothing.
  struct AnswerMacro: PeerMacro {
    static func expansion(
      of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
      in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
      if let function = declaration.as(FunctionDeclSyntax.self), function.answerType != nil { return [] }
      context.diagnose(Problem(node, "@Answer belongs to a method of a delegate that returns a value").diagnostic)
      return []
    }
  }

  extension FunctionDeclSyntax {
    /// What the method returns; `nil` for nothing.
    var answerType: TypeSyntax? {
      guard let type = signature.returnClause?.type.trimmed, !["Void", "()", "Swift.Void"].contains(type.description)
      else { return nil }
      return type
    }
  }

  /// A problem of a delegate protocol, with its place in the source.
  struct Problem: Error {
    let node: Syntax
    let text: String
    var fixIts: [FixIt] = []

    init(_ node: some SyntaxProtocol, _ text: String, fixIts: [FixIt] = []) {
      self.node = Syntax(node)
      self.text = text
      self.fixIts = fixIts
    }

    var diagnostic: Diagnostic { Diagnostic(node: node, message: Message(message: text), fixIts: fixIts) }

    struct Message: DiagnosticMessage, FixItMessage {
      let message: String
      var severity: DiagnosticSeverity { .error }
      var diagnosticID: MessageID { MessageID(domain: "RxMacros", id: "DelegateProxy") }
      var fixItID: MessageID { diagnosticID }
    }
  }
#endif
