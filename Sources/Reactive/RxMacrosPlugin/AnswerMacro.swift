#if Macros
  import SwiftSyntax
  import SwiftSyntaxMacros

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
#endif
