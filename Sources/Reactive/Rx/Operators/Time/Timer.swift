/// The integers that `interval` and `timer` count with (RxSwift's `RxAbstractInteger`).
public typealias RxAbstractInteger = FixedWidthInteger

extension ObservableType where Element: RxAbstractInteger {
  /// 0, 1, 2 and so on, the first after one `period`, then one each `period` (RxSwift's `interval`). Wraps around.
  public static func interval(_ period: RxTimeInterval, scheduler: any SchedulerType) -> Observable<Element> {
    timer(period, period: period, scheduler: scheduler)
  }

  /// 0 after `dueTime`, and then completion, or with a `period`, 1, 2 and so on, one each `period` (RxSwift's `timer`).
  /// Wraps around.
  public static func timer(
    _ dueTime: RxTimeInterval, period: RxTimeInterval? = nil, scheduler: any SchedulerType
  ) -> Observable<Element> {
    Observable { downstream in
      guard let period else {
        return scheduler.scheduleRelative((), dueTime: dueTime) { _ in
          downstream.next(0)
          downstream.completed()
          return Disposables.create()
        }
      }
      return scheduler.schedulePeriodic(0 as Element, startAfter: dueTime, period: period) { count in
        downstream.next(count)
        return count &+ 1
      }
    }
  }
}
