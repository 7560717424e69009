#if Macros
  import SwiftCompilerPlugin
  import SwiftSyntaxMacros

  @main
  struct RxMacrosPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [
      DelegateProxyMacro.self, AnswerMacro.self, AcceptedArgumentMacro.self, RefusedArgumentMacro.self,
    ]
  }
#else
  /// Without the trait Macros there is no swift-syntax, and this is an empty program.
  @main
  enum RxMacrosPlugin {
    static func main() {}
  }
#endif
