#if Macros
  import SwiftDiagnostics
  import SwiftSyntax

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

    var diagnostic: Diagnostic {
      Diagnostic(node: node, message: Message(message: text), fixIts: fixIts)
    }

    struct Message: DiagnosticMessage, FixItMessage {
      let message: String
      var severity: DiagnosticSeverity { .error }
      var diagnosticID: MessageID { MessageID(domain: "RxMacros", id: "DelegateProxy") }
      var fixItID: MessageID { diagnosticID }
    }
  }
#endif
