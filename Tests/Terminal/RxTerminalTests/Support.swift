import Rx
import RxTest

extension TestScheduler {
  /// What a stream sends until the bag goes, with the times.
  func record<Element>(
    _ stream: some ObservableConvertibleType<Element>, in bag: DisposeBag
  ) -> TestableObserver<Element> {
    let observer = createObserver(Element.self)
    stream.asObservable().subscribe(observer).disposed(by: bag)
    return observer
  }
}
