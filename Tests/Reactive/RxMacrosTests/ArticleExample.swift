// The samples of "A macro for delegate proxies", word for word.

#if Macros
  import RxMacros

  @DelegateProxy(of: Uploader.self)
  @MainActor
  protocol UploaderDelegate: AnyObject {
    func uploader(_ uploader: Uploader, didSend bytes: Int)
    func uploaderDidFinish(_ uploader: Uploader)
    @Answer(true) func uploader(_ uploader: Uploader, shouldRetryAfter seconds: Int) -> Bool
  }

  @MainActor
  final class Uploader: DelegateProxyHolder, HasDelegateProxy {
    typealias Proxy = UploaderDelegateProxy
    let delegateProxies = DelegateProxies()
    weak var delegate: (any UploaderDelegate)? {
      didSet { delegateProxies.delegateDidChange() }
    }
  }

  @MainActor
  func observe(_ uploader: Uploader, until bag: DisposeBag) {
    uploader.rx.didSend
      .subscribe(onNext: { bytes in print("\(bytes) bytes") })
      .disposed(by: bag)
    uploader.rx.delegate.sentMessage(.didSend)
      .subscribe(onNext: { call in print("about to report \(call.bytes) bytes") })
      .disposed(by: bag)
  }
#endif
