import HeadlessMap
import LocationKit
import RxLocation

// What the tests of the proxies test here; in RxMacrosTests these are classes whose proxies the macro writes.
typealias TestedManager = LocationManager
typealias ManagerProxy = RxLocationManagerDelegateProxy
typealias TestedMap = MapView
