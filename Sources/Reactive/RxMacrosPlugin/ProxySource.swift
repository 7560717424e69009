#if Macros
  import SwiftParser
  import SwiftSyntax

  /// The text of a proxy class.
  struct ProxySource {
    let protocolName: String
    /// The class of the objects that have the delegate.
    let parent: String
    /// The delegate's type, when the protocol stands for another one.
    let delegate: String?
    /// The protocol's access level; empty for the default.
    let access: String
    let isMainActor: Bool
    /// Whether the protocol is one of classes, whose objects alone can be held weakly.
    let isForObjects: Bool
    let methods: [(key: String, method: DelegateMethod)]
    /// Whether these are all methods. If some were refused, the class is written nevertheless, so that the refusals are
    /// the only errors; it does not conform to the protocol then.
    let isComplete: Bool

    private var delegateType: String { delegate ?? "any \(protocolName)" }
    private var conformance: String {
      let name = delegateType.hasPrefix("any ") ? String(delegateType.dropFirst(4)) : delegateType
      return isMainActor ? name : "@MainActor \(name)"
    }
    /// Before the class.
    private var outer: String { access.isEmpty ? "" : access + " " }
    /// Before its members: those of a private class are as visible as the class without one.
    private var inner: String { access == "public" || access == "package" ? access + " " : "" }

    // Inside the written class each of these names hides a type or a stream of the user's that is called the same.
    private var keyType: String { unused("MethodKey", in: typeNames) }
    private var argumentsType: String { unused("Arguments", in: typeNames) }
    private var streamsProxy: String { unused("proxy", in: Set(methods.map { plain($0.key) })) }

    /// The names in the types of the methods' arguments and answers.
    private var typeNames: Set<String> {
      Set(methods.flatMap { $0.method.function.signature.tokens(viewMode: .sourceAccurate) }.map(\.text))
    }

    /// The name itself, or a longer one when it is taken.
    private func unused(_ name: String, in taken: Set<String>) -> String {
      var unused = name
      while taken.contains(unused) { unused += "_" }
      return unused
    }

    var text: String {
      """
      /// The delegate proxy of `\(parent)`, written by `@DelegateProxy`.
      \(outer)final class \(protocolName)Proxy: RxBinding.DelegateProxy<\(parent), \(delegateType)>, \
      RxMacros.StreamingDelegateProxy\(isComplete ? ", \(conformance)" : "") {
      /// The user's own delegate.
      \(inner)\(isForObjects ? "weak " : "")var forwarded: (\(delegateType))?

      /// Creates the proxy of an object. Use `proxy(for:)`, which does so once for each.
      \(inner)init(parentObject: \(parent)) {
      super.init(parentObject: parentObject, delegateProxy: \(protocolName)Proxy.self)
      }

      /// Registers this class.
      \(inner)static func registerKnownImplementations() {
      register {
      \(protocolName)Proxy(parentObject: $0)
      }
      }

      \(methods.map(forwarding).joined(separator: "\n\n"))

      /// The calls of a method, each before the user's delegate has it.
      \(inner)func sentMessage<\(argumentsType): Sendable>(_ key: \(keyType)<\(argumentsType)>) -> Rx.Observable<\(argumentsType)> {
      sentMessage(.init(key.name))
      }

      /// The calls of a method, each after the user's delegate had it.
      \(inner)func methodInvoked<\(argumentsType): Sendable>(_ key: \(keyType)<\(argumentsType)>) -> Rx.Observable<\(argumentsType)> {
      methodInvoked(.init(key.name))
      }

      /// Whether the calls of a method have a subscriber.
      \(inner)func isObserved<\(argumentsType): Sendable>(_ key: \(keyType)<\(argumentsType)>) -> Bool {
      isObserved(.init(key.name) as RxBinding.DelegateMethod<\(delegateType), \(argumentsType)>)
      }

      /// Names a method, for `methodInvoked(_:)` and its kin.
      \(inner)struct \(keyType)<\(argumentsType)>: Sendable {
      let name: String

      \(methods.map(key).joined(separator: "\n\n"))
      }

      /// The streams of the methods, which `rx` has too.
      \(inner)var methodStreams: MethodStreams {
      MethodStreams(\(streamsProxy): self)
      }

      /// A stream for each method, without the object itself.
      @MainActor
      \(inner)struct MethodStreams {
      fileprivate let \(streamsProxy): \(protocolName)Proxy

      \(methods.map(stream).joined(separator: "\n\n"))
      }
      }
      """
    }

    private func forwarding(_ key: String, _ method: DelegateMethod) -> String {
      let parameters = method.arguments.map { argument in
        let label = argument.label ?? "_"
        return "\(label == plain(argument.name) ? label : "\(label) \(argument.name)"): \(argument.type)"
      }
      let effects = [method.isAsync ? "async" : "", method.throwing].filter { !$0.isEmpty }.map { " " + $0 }.joined()
      let result = method.answerType.map { " -> \($0)" } ?? ""
      let attempt = (method.throwing.isEmpty ? "" : "try ") + (method.isAsync ? "await " : "")
      let passed = method.arguments.map { argument in
        "\(argument.label.map { "\($0): " } ?? "")\(argument.name)"
      }
      // A closure's typed error is not inferred.
      let isTyped = method.throwing.hasPrefix("throws(")
      let receiver = isTyped ? "(usersDelegate)\(effects) in \(attempt)usersDelegate." : "\(attempt)$0."
      let answer = method.answer.map { ", default: \($0)" } ?? ""
      return """
        /// Observed as `\(key)`.
        \(method.availability)\(inner)func \(method.function.name.text)(\(parameters.joined(separator: ", ")))\
        \(effects)\(result) {
        \(attempt)invoke(.init("\(plain(key))"), observed(arguments: \(values(method.arguments)))\(answer)) {
        \(receiver)\(method.function.name.text)(\(passed.joined(separator: ", ")))
        }
        }
        """
    }

    private func key(_ key: String, _ method: DelegateMethod) -> String {
      let type = "\(keyType)<\(tuple(method.arguments))>"
      return """
        /// `\(method.signature)`
        \(inner)static var \(name(key)): \(type) {
        \(type)(name: "\(plain(key))")
        }
        """
    }

    private func stream(_ key: String, _ method: DelegateMethod) -> String {
      let observed = method.observed
      let value =
        switch observed.count {
        case 0: "()"
        case 1 where method.arguments.count == 1: "call"
        case 1: "call.\(observed[0].name)"
        default: "(\(observed.map { "call.\($0.name)" }.joined(separator: ", ")))"
        }
      return """
        /// The calls of `\(method.signature)`.
        \(inner)var \(name(key)): RxBinding.ControlEvent<\(tuple(observed))> {
        \(streamsProxy).stream(of: "\(plain(key))") { (\(observed.isEmpty ? "_" : "call"): \(tuple(method.arguments))) in \(value) }
        }
        """
    }

    /// The type of a stream's elements.
    private func tuple(_ arguments: [DelegateMethod.Argument]) -> String {
      switch arguments.count {
      case 0: "Void"
      case 1: arguments[0].element
      default: "(\(arguments.map { "\($0.name): \($0.element)" }.joined(separator: ", ")))"
      }
    }

    private func values(_ arguments: [DelegateMethod.Argument]) -> String {
      arguments.count == 1
        ? arguments[0].name : "(\(arguments.map { "\(plain($0.name)): \($0.name)" }.joined(separator: ", ")))"
    }

    private func plain(_ key: String) -> String { key.filter { $0 != "`" } }

    /// A name that may be a keyword, such as `default`.
    private func name(_ key: String) -> String {
      let plain = plain(key)
      return TokenSyntax.identifier(plain).text.isValidSwiftIdentifier(for: .variableName) ? plain : "`\(plain)`"
    }
  }
#endif
