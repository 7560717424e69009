#if Macros
  import Foundation
  import SwiftSyntax
  import SwiftSyntaxMacroExpansion
  import SwiftSyntaxMacros
  import SwiftSyntaxMacrosGenericTestSupport
  import Testing

  @testable import RxMacrosPlugin

  /// What the macro writes, and what it says where it cannot.
  @Suite struct ExpansionTests {
    private func expect(
      _ source: String, expandsTo expected: String? = nil, diagnostics: [DiagnosticSpec] = [],
      fixedSource: String? = nil, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
      assertMacroExpansion(
        source,
        expandedSource: expected ?? source.replacingOccurrences(of: "@DelegateProxy(of: Uploader.self)\n", with: ""),
        diagnostics: diagnostics,
        macroSpecs: [
          "DelegateProxy": MacroSpec(type: DelegateProxyMacro.self), "Answer": MacroSpec(type: AnswerMacro.self),
        ],
        fixedSource: fixedSource, indentationWidth: .spaces(2),
        failureHandler: { Issue.record("\($0.message)", sourceLocation: sourceLocation) })
    }

    /// What is written when a member was refused, so that `UploaderDelegateProxy` is not missing besides: the class with its
    /// other methods, which does not conform to the protocol.
    private func incompleteClass(
      method: String = "", key: String = "", stream: String = "", reference: String = "weak var"
    ) -> String {
      """


      /// The delegate proxy of `Uploader`, written by `@DelegateProxy`.
      final class UploaderDelegateProxy: RxBinding.DelegateProxy<Uploader, any UploaderDelegate>, RxMacros.StreamingDelegateProxy {
        /// The user's own delegate.
        \(reference) forwarded: (any UploaderDelegate)?

        /// Creates the proxy of an object. Use `proxy(for:)`, which does so once for each.
        init(parentObject: Uploader) {
          super.init(parentObject: parentObject, delegateProxy: UploaderDelegateProxy.self)
        }

        /// Registers this class.
        static func registerKnownImplementations() {
          register {
            UploaderDelegateProxy(parentObject: $0)
          }
        }

      \(method)

        /// The calls of a method, each before the user's delegate has it.
        func sentMessage<Arguments>(_ key: MethodKey<Arguments>) -> Rx.Observable<Arguments> {
          sentMessage(key.method)
        }

        /// The calls of a method, each after the user's delegate had it.
        func methodInvoked<Arguments>(_ key: MethodKey<Arguments>) -> Rx.Observable<Arguments> {
          methodInvoked(key.method)
        }

        /// Whether somebody is subscribed to the calls of a method.
        func isObserved<Arguments>(_ key: MethodKey<Arguments>) -> Bool {
          isObserved(key.method)
        }

        /// Names a method, for `methodInvoked(_:)` and its kin.
        struct MethodKey<Arguments: Sendable>: Sendable {
          let method: RxBinding.DelegateMethod<any UploaderDelegate, Arguments>

      \(key)
        }

        /// The streams of the methods, which `rx` has too.
        var methodStreams: MethodStreams {
          MethodStreams(proxy: self)
        }

        /// A stream for each method, without the object itself.
        @MainActor
        struct MethodStreams {
          fileprivate let proxy: UploaderDelegateProxy

      \(stream)
        }
      }
      """
    }

    @Test func aProtocolGetsAProxyClass() {
      expect(
        """
        @DelegateProxy(of: Uploader.self)
        @MainActor
        public protocol UploaderDelegate: AnyObject {
          func uploader(_ uploader: Uploader, didSend bytes: Int)
          @Answer(true) func uploaderShouldGoOn(_ uploader: Uploader) async throws -> Bool
        }
        """,
        expandsTo: """
          @MainActor
          public protocol UploaderDelegate: AnyObject {
            func uploader(_ uploader: Uploader, didSend bytes: Int)
            func uploaderShouldGoOn(_ uploader: Uploader) async throws -> Bool
          }

          /// The delegate proxy of `Uploader`, written by `@DelegateProxy`.
          public final class UploaderDelegateProxy: RxBinding.DelegateProxy<Uploader, any UploaderDelegate>, RxMacros.StreamingDelegateProxy, UploaderDelegate {
            /// The user's own delegate.
            public weak var forwarded: (any UploaderDelegate)?

            /// Creates the proxy of an object. Use `proxy(for:)`, which does so once for each.
            public init(parentObject: Uploader) {
              super.init(parentObject: parentObject, delegateProxy: UploaderDelegateProxy.self)
            }

            /// Registers this class.
            public static func registerKnownImplementations() {
              register {
                UploaderDelegateProxy(parentObject: $0)
              }
            }

            /// Observed as `didSend`.
            public func uploader(_ uploader: Uploader, didSend bytes: Int) {
              invoke(MethodKey<(uploader: Uploader, bytes: Int)>.didSend.method, (uploader, bytes)) {
                $0.uploader(uploader, didSend: bytes)
              }
            }

            /// Observed as `shouldGoOn`.
            public func uploaderShouldGoOn(_ uploader: Uploader) async throws -> Bool {
              try await invoke(MethodKey<Uploader>.shouldGoOn.method, uploader, default: true) {
                try await $0.uploaderShouldGoOn(uploader)
              }
            }

            /// The calls of a method, each before the user's delegate has it.
            public func sentMessage<Arguments>(_ key: MethodKey<Arguments>) -> Rx.Observable<Arguments> {
              sentMessage(key.method)
            }

            /// The calls of a method, each after the user's delegate had it.
            public func methodInvoked<Arguments>(_ key: MethodKey<Arguments>) -> Rx.Observable<Arguments> {
              methodInvoked(key.method)
            }

            /// Whether somebody is subscribed to the calls of a method.
            public func isObserved<Arguments>(_ key: MethodKey<Arguments>) -> Bool {
              isObserved(key.method)
            }

            /// Names a method, for `methodInvoked(_:)` and its kin.
            public struct MethodKey<Arguments: Sendable>: Sendable {
              let method: RxBinding.DelegateMethod<any UploaderDelegate, Arguments>

              /// `uploader(_:didSend:)`
              public static var didSend: MethodKey<(uploader: Uploader, bytes: Int)> {
                MethodKey<(uploader: Uploader, bytes: Int)>(method: .init("didSend"))
              }

              /// `uploaderShouldGoOn(_:)`
              public static var shouldGoOn: MethodKey<Uploader> {
                MethodKey<Uploader>(method: .init("shouldGoOn"))
              }
            }

            /// The streams of the methods, which `rx` has too.
            public var methodStreams: MethodStreams {
              MethodStreams(proxy: self)
            }

            /// A stream for each method, without the object itself.
            @MainActor
            public struct MethodStreams {
              fileprivate let proxy: UploaderDelegateProxy

              /// The calls of `uploader(_:didSend:)`.
              public var didSend: Rx.Observable<Int> {
                proxy.methodInvoked(MethodKey<(uploader: Uploader, bytes: Int)>.didSend.method).map {
                  $0.bytes
                }
              }

              /// The calls of `uploaderShouldGoOn(_:)`.
              public var shouldGoOn: Rx.Observable<Void> {
                proxy.methodInvoked(MethodKey<Uploader>.shouldGoOn.method).map { _ in
                  ()
                }
              }
            }
          }
          """)
    }

    /// Each line of a protocol, the column of the error, and its message.
    @Test(arguments: [
      ("static func make()", 3, "a delegate proxy stands for one object and has no static members"),
      ("var count: Int { get }", 3, "a delegate proxy forwards methods; make this property a method"),
      ("subscript(index: Int) -> Int { get }", 3, "a delegate proxy forwards methods; make this subscript a method"),
      ("init(name: String)", 3, "a delegate proxy is made by its own initialiser and has no other"),
      (
        "#if DEBUG\n  func uploaderDidEnd(_ uploader: Uploader)\n  #endif", 3,
        "a macro does not know which conditions hold; put the whole protocol in '#if'"
      ),
      ("associatedtype Item", 3, "a delegate's protocol with associated types cannot be proxied"),
      (
        "func uploader<T>(_ uploader: Uploader, didSend value: T)", 16,
        "a generic method cannot be observed, since a key has the types of its arguments; write them out"
      ),
      (
        "func uploader(_ uploader: Uploader, didSend value: some Equatable)", 54,
        "a generic method cannot be observed, since a key has the types of its arguments"
      ),
      (
        "func uploader(_ uploader: Uploader, didSend sizes: Int...)", 57,
        "a variadic argument cannot be forwarded; take an array"
      ),
      (
        "func uploader(_ uploader: Uploader, adjust size: inout Int)", 52,
        "an argument that is 'inout' cannot be both observed and forwarded"
      ),
      (
        "func uploader(_ uploader: Uploader, ask body: () -> Void)", 49,
        "a closure that is observed escapes; declare it @escaping"
      ),
      (
        "nonisolated func uploaderDidEnd(_ uploader: Uploader)", 3,
        "a delegate proxy belongs to the main actor, so its methods cannot be nonisolated"
      ),
      (
        "func uploader(_ uploader: Uploader, isEqualTo other: Self)", 56,
        "a delegate is called through its protocol, where 'Self' is not known"
      ),
      (
        "func uploader(_ uploader: Uploader, didAsk delegate: [Delegate]?)", 57,
        "'Delegate' is the proxy's own type in there; write yours with its module, as in 'App.Delegate'"
      ),
    ])
    func whatCannotBeProxiedIsRefusedAtItsPlace(member: String, column: Int, message: String) {
      let declaration = """
        protocol UploaderDelegate: AnyObject {
          \(member)
        }
        """
      expect(
        "@DelegateProxy(of: Uploader.self)\n\(declaration)", expandsTo: declaration + incompleteClass(),
        diagnostics: [DiagnosticSpec(message: message, line: 3, column: column)])
    }

    @Test func everyRefusalIsReportedAtOnce() {
      expect(
        """
        @DelegateProxy(of: Uploader.self)
        protocol UploaderDelegate: AnyObject {
          static func make()
          func uploaderDidEnd(_ uploader: Uploader)
          var count: Int { get }
        }
        """,
        expandsTo: """
          protocol UploaderDelegate: AnyObject {
            static func make()
            func uploaderDidEnd(_ uploader: Uploader)
            var count: Int { get }
          }
          """
            + incompleteClass(
              method: """
                  /// Observed as `didEnd`.
                  func uploaderDidEnd(_ uploader: Uploader) {
                    invoke(MethodKey<Uploader>.didEnd.method, uploader) {
                      $0.uploaderDidEnd(uploader)
                    }
                  }
                """,
              key: """
                    /// `uploaderDidEnd(_:)`
                    static var didEnd: MethodKey<Uploader> {
                      MethodKey<Uploader>(method: .init("didEnd"))
                    }
                """,
              stream: """
                    /// The calls of `uploaderDidEnd(_:)`.
                    var didEnd: Rx.Observable<Void> {
                      proxy.methodInvoked(MethodKey<Uploader>.didEnd.method).map { _ in
                        ()
                      }
                    }
                """),
        diagnostics: [
          DiagnosticSpec(
            message: "a delegate proxy stands for one object and has no static members", line: 3, column: 3),
          DiagnosticSpec(
            message: "a delegate proxy forwards methods; make this property a method", line: 5, column: 3),
        ])
    }

    @Test func aMissingAnswerIsAskedForAtTheMethod() {
      expect(
        """
        @DelegateProxy(of: Uploader.self)
        protocol UploaderDelegate: AnyObject {
          /// Whether to go on.
          func uploaderShouldGoOn(_ uploader: Uploader) -> Bool
        }
        """,
        expandsTo: """
          protocol UploaderDelegate: AnyObject {
            /// Whether to go on.
            func uploaderShouldGoOn(_ uploader: Uploader) -> Bool
          }
          """ + incompleteClass(),
        diagnostics: [
          DiagnosticSpec(
            message: "'uploaderShouldGoOn' returns Bool: say with @Answer(…) what it answers without a delegate",
            line: 4,
            column: 8, fixIts: [FixItSpec(message: "add @Answer")])
        ],
        fixedSource: """
          @DelegateProxy(of: Uploader.self)
          protocol UploaderDelegate: AnyObject {
            /// Whether to go on.
            @Answer(<#Bool#>) func uploaderShouldGoOn(_ uploader: Uploader) -> Bool
          }
          """)
    }

    @Test func overloadsThatDifferInTypesOnlyAreRefused() {
      let declaration = """
        protocol UploaderDelegate: AnyObject {
          func uploader(_ uploader: Uploader, didSend bytes: Int)
          func uploader(_ uploader: Uploader, didSend text: String)
        }
        """
      expect(
        "@DelegateProxy(of: Uploader.self)\n\(declaration)",
        expandsTo: declaration
          + incompleteClass(
            method: """
                /// Observed as `didSend`.
                func uploader(_ uploader: Uploader, didSend bytes: Int) {
                  invoke(MethodKey<(uploader: Uploader, bytes: Int)>.didSend.method, (uploader, bytes)) {
                    $0.uploader(uploader, didSend: bytes)
                  }
                }
              """,
            key: """
                  /// `uploader(_:didSend:)`
                  static var didSend: MethodKey<(uploader: Uploader, bytes: Int)> {
                    MethodKey<(uploader: Uploader, bytes: Int)>(method: .init("didSend"))
                  }
              """,
            stream: """
                  /// The calls of `uploader(_:didSend:)`.
                  var didSend: Rx.Observable<Int> {
                    proxy.methodInvoked(MethodKey<(uploader: Uploader, bytes: Int)>.didSend.method).map {
                      $0.bytes
                    }
                  }
              """),
        diagnostics: [
          DiagnosticSpec(
            message:
              "'uploader(_:didSend:)' would have the key 'didSend', which 'uploader(_:didSend:)' has; rename a label of one",
            line: 4, column: 8)
        ])
    }

    @Test func aProtocolThatIsNotForObjectsIsRefused() {
      let declaration = "protocol UploaderDelegate {\n}"
      expect(
        "@DelegateProxy(of: Uploader.self)\n\(declaration)",
        expandsTo: declaration + incompleteClass(reference: "var"),
        diagnostics: [
          DiagnosticSpec(
            message: "a delegate is held weakly: declare 'UploaderDelegate: AnyObject'", line: 2, column: 10)
        ])
    }

    @Test func associatedTypesAreRefused() {
      let declaration = "protocol UploaderDelegate<Item>: AnyObject {\n}"
      expect(
        "@DelegateProxy(of: Uploader.self)\n\(declaration)", expandsTo: declaration + incompleteClass(),
        diagnostics: [
          DiagnosticSpec(
            message: "a delegate's protocol with associated types cannot be proxied", line: 2, column: 26)
        ])
    }

    @Test func onlyAProtocolHasAProxy() {
      expect(
        "@DelegateProxy(of: Uploader.self)\nclass UploaderDelegate {\n}",
        diagnostics: [DiagnosticSpec(message: "@DelegateProxy belongs to a delegate's protocol", line: 1, column: 1)])
    }

    @Test func aMethodThatReturnsNothingHasNoAnswer() {
      expect(
        "protocol UploaderDelegate: AnyObject {\n  @Answer(1) func uploaderDidEnd(_ uploader: Uploader)\n}",
        expandsTo: "protocol UploaderDelegate: AnyObject {\n  func uploaderDidEnd(_ uploader: Uploader)\n}",
        diagnostics: [
          DiagnosticSpec(message: "@Answer belongs to a method of a delegate that returns a value", line: 2, column: 3)
        ])
    }
  }
#endif
