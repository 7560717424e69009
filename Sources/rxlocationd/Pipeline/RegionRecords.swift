import HeadlessMap
import Records
import Rx
import RxBinding
import RxLocation

/// The map's regions as records, each with the time of its fix. A record is made once for all outputs, and only if
/// there is an output.
@MainActor
final class RegionRecords {
  private let mapView: MapView
  private let formatter = NDJSONFormatter()
  private var buffer = RecordBuffer()
  private var writers: [@MainActor (borrowing RecordBuffer) -> Void] = []
  private let bag = DisposeBag()

  init(of mapView: MapView) {
    self.mapView = mapView
  }

  /// Calls `write` with each later record, including its newline.
  func forEach(_ write: @escaping @MainActor (borrowing RecordBuffer) -> Void) {
    writers.append(write)
    guard writers.count == 1 else { return }
    mapView.rx.timedRegionDidChange
      .bind(
        to: Binder(self) { records, update in
          records.buffer.removeAll()
          records.formatter.append(update.region, at: update.timestamp, to: &records.buffer)
          for write in records.writers { write(records.buffer) }
        }
      )
      .disposed(by: bag)
  }
}
