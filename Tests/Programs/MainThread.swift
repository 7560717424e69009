// RxBlocking on the main thread, which serves the main queue. No test runs there. Scripts/check-samples runs this.
import Foundation
import Rx
import RxBlocking

// The main queue goes on.
let onMain = Observable<Int>.interval(.milliseconds(1), scheduler: MainScheduler.instance).take(3)
print(try onMain.toBlocking(timeout: 60).toArray())  // prints [0, 1, 2]
let backAndForth = Observable.of(1, 2).observe(on: ConcurrentDispatchQueueScheduler(qos: .default))
  .observe(on: MainScheduler.instance)
print(try backAndForth.toBlocking(timeout: 60).toArray())  // prints [1, 2]
let isOnMain = Single.create { await MainActor.run { Thread.isMainThread } }
print(try isOnMain.toBlocking(timeout: 60).first() as Any)  // prints Optional(true)

do {
  print(try Observable<Int>.never().toBlocking(timeout: 0.02).first() as Any)
} catch RxError.timeout {
  print("timeout")  // prints timeout
}
