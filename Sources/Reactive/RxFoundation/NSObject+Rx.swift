import Foundation
import Rx

/// Every `NSObject` has a reactive side, as in RxSwift.
extension NSObject: ReactiveCompatible {}

#if !canImport(ObjectiveC)
  // Off Apple's systems it is no NSObject.
  extension NotificationCenter: ReactiveCompatible {}
#endif
