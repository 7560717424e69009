// swift-format-ignore-file
// The compiler knows which types are `Sendable`, and so it chooses the macro that refuses. Scripts/check-samples compiles this.
import RxMacros

final class Draft {
  var text = ""
}

@MainActor final class Uploader: HasDelegateProxy {
  typealias Proxy = UploaderDelegateProxy
  weak var delegate: (any UploaderDelegate)?
}

@DelegateProxy(of: Uploader.self)
@MainActor protocol UploaderDelegate: AnyObject {
  func uploader(_ uploader: Uploader, didSend bytes: Int, of draft: Draft)  // ✗ an argument that is observed may be used on any thread; 'Draft' has to be Sendable
  func uploader(_ uploader: Uploader, didKeep drafts: [Draft], since seconds: Double?)  // ✗ an argument that is observed may be used on any thread; '[Draft]' has to be Sendable
  func uploader(_ uploader: Uploader, ask body: @escaping @Sendable (Int) -> Void, error: (any Error)?)
}
