#if Macros
  import SwiftSyntaxMacrosGenericTestSupport
  import Testing

  /// What the macro says where it cannot write a proxy.
  extension ExpansionTests {
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
        "func uploader(_ uploader: Uploader, ask body: @escaping () -> Void)", 49,
        "a closure that is observed may be called anywhere; declare it @Sendable"
      ),
      (
        "func uploader(_ uploader: Uploader, ask body: (() -> Void)?)", 49,
        "a closure that is observed may be called anywhere; declare it @Sendable"
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
                    invoke(.init("didEnd"), observed(arguments: uploader)) {
                      $0.uploaderDidEnd(uploader)
                    }
                  }
                """,
              key: """
                    /// `uploaderDidEnd(_:)`
                    static var didEnd: MethodKey<Uploader> {
                      MethodKey<Uploader>(name: "didEnd")
                    }
                """,
              stream: """
                    /// The calls of `uploaderDidEnd(_:)`.
                    var didEnd: RxBinding.ControlEvent<Void> {
                      proxy.stream(of: "didEnd") { (_: Uploader) in
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
                  invoke(.init("didSend"), observed(arguments: (uploader: uploader, bytes: bytes))) {
                    $0.uploader(uploader, didSend: bytes)
                  }
                }
              """,
            key: """
                  /// `uploader(_:didSend:)`
                  static var didSend: MethodKey<(uploader: Uploader, bytes: Int)> {
                    MethodKey<(uploader: Uploader, bytes: Int)>(name: "didSend")
                  }
              """,
            stream: """
                  /// The calls of `uploader(_:didSend:)`.
                  var didSend: RxBinding.ControlEvent<Int> {
                    proxy.stream(of: "didSend") { (call: (uploader: Uploader, bytes: Int)) in
                      call.bytes
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
          DiagnosticSpec(message: "a delegate's protocol with associated types cannot be proxied", line: 2, column: 26)
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
