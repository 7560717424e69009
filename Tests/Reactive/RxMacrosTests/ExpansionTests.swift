#if Macros
  import Foundation
  import SwiftSyntax
  import SwiftSyntaxMacroExpansion
  import SwiftSyntaxMacros
  import SwiftSyntaxMacrosGenericTestSupport
  import TestSupport
  import Testing

  @testable import RxMacrosPlugin

  /// What the macro writes; `RefusalTests` has what it says where it cannot.
  @Suite(.inTurn) struct ExpansionTests {
    func expect(
      _ source: String, expandsTo expected: String? = nil, diagnostics: [DiagnosticSpec] = [],
      fixedSource: String? = nil, sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
      assertMacroExpansion(
        source,
        expandedSource: expected ?? source.replacingOccurrences(of: "@DelegateProxy(of: Uploader.self)\n", with: ""),
        diagnostics: diagnostics,
        macroSpecs: [
          "DelegateProxy": MacroSpec(type: DelegateProxyMacro.self), "Answer": MacroSpec(type: AnswerMacro.self),
          "ObservedArgument": MacroSpec(type: AcceptedArgumentMacro.self),
        ],
        fixedSource: fixedSource, indentationWidth: .spaces(2),
        failureHandler: { Issue.record("\($0.message)", sourceLocation: sourceLocation) })
    }

    /// What is written when a member was refused, so that `UploaderDelegateProxy` is not missing besides: the class with its
    /// other methods, which does not conform to the protocol.
    func incompleteClass(
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
        func sentMessage<Arguments: Sendable>(_ key: MethodKey<Arguments>) -> Rx.Observable<Arguments> {
          sentMessage(.init(key.name))
        }

        /// The calls of a method, each after the user's delegate had it.
        func methodInvoked<Arguments: Sendable>(_ key: MethodKey<Arguments>) -> Rx.Observable<Arguments> {
          methodInvoked(.init(key.name))
        }

        /// Whether the calls of a method have a subscriber.
        func isObserved<Arguments: Sendable>(_ key: MethodKey<Arguments>) -> Bool {
          isObserved(.init(key.name) as RxBinding.DelegateMethod<any UploaderDelegate, Arguments>)
        }

        /// Names a method, for `methodInvoked(_:)` and its kin.
        struct MethodKey<Arguments>: Sendable {
          let name: String

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
              invoke(.init("didSend"), observed(arguments: (uploader: uploader, bytes: bytes))) {
                $0.uploader(uploader, didSend: bytes)
              }
            }

            /// Observed as `shouldGoOn`.
            public func uploaderShouldGoOn(_ uploader: Uploader) async throws -> Bool {
              try await invoke(.init("shouldGoOn"), observed(arguments: uploader), default: true) {
                try await $0.uploaderShouldGoOn(uploader)
              }
            }

            /// The calls of a method, each before the user's delegate has it.
            public func sentMessage<Arguments: Sendable>(_ key: MethodKey<Arguments>) -> Rx.Observable<Arguments> {
              sentMessage(.init(key.name))
            }

            /// The calls of a method, each after the user's delegate had it.
            public func methodInvoked<Arguments: Sendable>(_ key: MethodKey<Arguments>) -> Rx.Observable<Arguments> {
              methodInvoked(.init(key.name))
            }

            /// Whether the calls of a method have a subscriber.
            public func isObserved<Arguments: Sendable>(_ key: MethodKey<Arguments>) -> Bool {
              isObserved(.init(key.name) as RxBinding.DelegateMethod<any UploaderDelegate, Arguments>)
            }

            /// Names a method, for `methodInvoked(_:)` and its kin.
            public struct MethodKey<Arguments>: Sendable {
              let name: String

              /// `uploader(_:didSend:)`
              public static var didSend: MethodKey<(uploader: Uploader, bytes: Int)> {
                MethodKey<(uploader: Uploader, bytes: Int)>(name: "didSend")
              }

              /// `uploaderShouldGoOn(_:)`
              public static var shouldGoOn: MethodKey<Uploader> {
                MethodKey<Uploader>(name: "shouldGoOn")
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
              public var didSend: RxBinding.ControlEvent<Int> {
                proxy.stream(of: "didSend") { (call: (uploader: Uploader, bytes: Int)) in
                  call.bytes
                }
              }

              /// The calls of `uploaderShouldGoOn(_:)`.
              public var shouldGoOn: RxBinding.ControlEvent<Void> {
                proxy.stream(of: "shouldGoOn") { (_: Uploader) in
                  ()
                }
              }
            }
          }
          """)
    }
  }
#endif
