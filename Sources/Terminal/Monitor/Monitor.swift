import Dispatch
import FoundationEssentials
import LocationKit
import Platform
import Rx
import RxBinding
import RxLocation
import RxTerminal
import TerminalKit

/// Shows the reports of a location manager on a screen, and handles the user's input: `rxlocationd monitor`.
///
/// It has the structure of the tutorials: view models turn inputs into drivers, which are bound to controls.
@MainActor
package final class Monitor {
  package struct Configuration {
    /// The name of the source for a person: an address, or the recordings.
    package var name: String
    /// Whether the source is a recording, in which only the receiver's time counts.
    package var isReplay: Bool
    package var fences: [Region]
    package var units: MeasurementUnits
    /// Reads the metrics of a running daemon as text; errors are shown.
    package var metrics: (@Sendable () async throws -> String)?
    /// Returns the receiver's leap seconds and the offset of its pulses as text; `nil` if both are unknown.
    package var clock: (@Sendable () async -> String?)?

    package init(
      name: String, isReplay: Bool, fences: [Region] = [], units: MeasurementUnits = .metric,
      metrics: (@Sendable () async throws -> String)? = nil, clock: (@Sendable () async -> String?)? = nil
    ) {
      (self.name, self.isReplay, self.fences, self.units) = (name, isReplay, fences, units)
      (self.metrics, self.clock) = (metrics, clock)
    }
  }

  package let screen: Screen
  package var onQuit: (@MainActor () -> Void)?

  private let manager: LocationManager
  private let configuration: Configuration
  private let scheduler: any SchedulerType
  private let view: MonitorView
  private let regions = BehaviorRelay<[Region]>(value: [])
  private let remarks = PublishRelay<(Message.Level, String)>()
  private let bag = DisposeBag()

  // The source of all other streams.
  private let location: Observable<Location>
  private let end: Observable<Void>

  /// Shows `manager`, which the caller starts, and sets its fences to those of the configuration.
  package init(
    _ manager: LocationManager, _ configuration: Configuration, scheduler: any SchedulerType = MainScheduler.instance
  ) {
    self.manager = manager
    self.configuration = configuration
    self.scheduler = scheduler
    view = MonitorView(hasOutputs: configuration.metrics != nil)
    screen = Screen(root: view)
    location = manager.rx.didUpdateLocations.compactMap { $0.last }.asObservable()
    end = manager.rx.didReachEndOfRecording.asObservable()
    view.source.text = "rxlocationd \(configuration.name)"
    view.satellites.register(SatelliteCell.self, forCellReuseIdentifier: "satellite")
    view.fences.register(FenceCell.self, forCellReuseIdentifier: "fence")
    view.outputs.register(OutputCell.self, forCellReuseIdentifier: "output")
    bindFix()
    bindClock()
    bindSatellites()
    bindFences()
    bindOutputs()
    bindMessages()
    bindKeys()
    for fence in configuration.fences { manager.startMonitoring(for: fence) }
    regions.accept(configuration.fences)
  }

  private func bindFix() {
    let model = FixViewModel(staleAfter: manager.staleAfter, units: configuration.units, scheduler: scheduler)
    let output = model.transform(
      input: .init(location: location, fixState: manager.rx.didChangeFixState.asObservable(), end: end))
    for (row, readingRow) in zip(FixRow.allCases, view.readings) {
      output.readings[row]?.drive(readingRow.rx.reading).disposed(by: bag)
      // Few receivers get corrections.
      if row == .correction {
        output.readings[row]?.map { $0 == .unknown }.drive(readingRow.rx.isHidden).disposed(by: bag)
      }
    }
    view.fixPanel.rx.controlEvent(.primaryActionTriggered)
      .withLatestFrom(output.location)
      .asSignal(onErrorSignalWith: .empty())
      .flatMapLatest { [unowned self] location in
        inform("The last fix", location.map(Details.text) ?? "There is no fix yet.")
      }
      .emit()
      .disposed(by: bag)
  }

  /// Reads the receiver's seconds at intervals, because listening to each pulse would wake the process once a second.
  private func bindClock() {
    view.clock.isHidden = true
    guard let clock = configuration.clock else { return }
    let text = Observable<Int>.timer(.seconds(0), period: .seconds(30), scheduler: scheduler)
      .flatMapFirst { _ in Single.create(work: clock) }
      .asDriver(onErrorJustReturn: nil)
    text.map { Reading(text: $0) }.drive(view.clock.rx.reading).disposed(by: bag)
    text.map { $0 == nil }.drive(view.clock.rx.isHidden).disposed(by: bag)
  }

  private func bindSatellites() {
    let sourceLoss = manager.rx.didChangeSourceStatus
      .filter { if case .connected = $0 { false } else if case .finished = $0 { false } else { true } }
      .map { _ in }
      .asObservable()
    manager.startUpdatingSatellites()
    let output = SatellitesViewModel(scheduler: scheduler).transform(
      input: .init(
        satellites: manager.rx.didUpdateSatellites.asObservable(), loss: sourceLoss,
        query: view.filter.rx.text.orEmpty.asObservable(),
        bySignal: screen.rx.keyCommand(.character("s")).asObservable().scan(false) { bySignal, _ in !bySignal }
          .startWith(false)))
    output.satellites
      .drive(view.satellites.rx.items(cellIdentifier: "satellite", cellType: SatelliteCell.self)) {
        _, satellite, cell in
        cell.show(satellite)
      }
      .disposed(by: bag)
    output.remark.drive(view.filterRemark.rx.text).disposed(by: bag)
    output.remark.map { $0 == nil }.drive(view.filterRemark.rx.isHidden).disposed(by: bag)
    output.sky.drive(view.sky.rx.satellites).disposed(by: bag)
    output.title.drive(view.satellitesPanel.rx.title).disposed(by: bag)
    showDetails(in: view.satellites) { (satellite: Satellite) in (satellite.name, satellite.details) }
  }

  private func bindOutputs() {
    guard let metrics = configuration.metrics else { return }
    let output = OutputsViewModel(page: { .create(work: metrics) }, scheduler: scheduler).transform()
    output.outputs
      .drive(view.outputs.rx.items(cellIdentifier: "output", cellType: OutputCell.self)) { _, output, cell in
        cell.show(output)
      }
      .disposed(by: bag)
    output.notice.bind(to: remarks).disposed(by: bag)
    showDetails(in: view.outputs) { (output: OutputItem) in (output.name, output.text) }
  }

  private func bindMessages() {
    let isReplay = configuration.isReplay
    let model = MessagesViewModel(name: configuration.name, isReplay: isReplay, now: { isReplay ? nil : Date() })
    manager.rx.monitoringDidFail.map { (.warning, $0.error.message) }.bind(to: remarks).disposed(by: bag)
    let output = model.transform(
      input: .init(
        status: manager.rx.didChangeSourceStatus.asObservable(), location: location,
        error: manager.rx.didFailWithError.asObservable(), doubts: manager.rx.didChangeDoubts.asObservable(),
        crossing: manager.rx.didCrossRegion.asObservable(), end: end, remarks: remarks.asObservable()))
    output.messages
      .drive(view.messages.rx.items(cellIdentifier: "message")) { _, message, cell in
        cell.text = message.line
        cell.style = message.style
      }
      .disposed(by: bag)
    output.notice.map { $0?.text }.drive(view.notice.rx.text).disposed(by: bag)
    output.notice.map { $0?.style ?? .plain }.drive(view.notice.rx.style).disposed(by: bag)
    showDetails(in: view.messages) { (message: Message) in
      ("Message", message.text + (message.time.map { "\n" + UTCText.dateAndTime($0) } ?? ""))
    }
  }

  private func bindKeys() {
    screen.rx.keyCommand(.character("?"))
      .asSignal()
      .flatMapFirst { [unowned self] in inform("Keys and bars", helpText) }
      .emit()
      .disposed(by: bag)
    screen.rx.keyCommand(.character("q"))
      .asSignal()
      .flatMapFirst { [unowned self] in confirm("Quit?", "Quit", or: "Stay") }
      .emit(onNext: { [weak self] in self?.onQuit?() })
      .disposed(by: bag)
  }

  private var helpText: String {
    let units = configuration.units
    let speed = units.words(speed: FixViewModel.fastest)
    let (far, near) = (units.words(height: 100), units.words(height: 1))
    return Details.text([
      ("Tab", "the next list; arrows: its rows; Return: details"), ("letters", "in the filter: galileo, used"),
      ("s", "satellites by signal, or by number again"), ("f", "a fence here; Delete removes one"), ("q", "quit"),
      ("Age", "full when the fix is lost, after \(secondsText(manager.staleAfter))"), ("Speed", "full at \(speed)"),
      ("Accuracy", "empty at \(far), full at \(near)"), ("Satellites", "full at 50 dB-Hz"),
    ])
  }

  // MARK: Fences

  private func bindFences() {
    let output = FencesViewModel().transform(
      input: .init(
        regions: regions.asObservable(), state: manager.rx.didDetermineState.asObservable(), location: location))
    output.fences
      .drive(view.fences.rx.items(cellIdentifier: "fence", cellType: FenceCell.self)) {
        [units = configuration.units] _, fence, cell in
        cell.show(fence, units)
      }
      .disposed(by: bag)
    showDetails(in: view.fences) { [units = configuration.units] (fence: FenceItem) in
      (fence.region.identifier, fence.details(in: units))
    }
    view.fences.rx.modelDeleted(FenceItem.self)
      .asSignal()
      .flatMapFirst { [unowned self] fence in
        confirm("Stop watching \(fence.region.identifier)?", "Remove", or: "Keep").map { fence.region }
      }
      .emit(onNext: { [weak self] in self?.remove($0) })
      .disposed(by: bag)
    screen.rx.keyCommand(.character("f"))
      .asSignal()
      .flatMapFirst { [unowned self] in askForFence().asSignal(onErrorJustReturn: nil) }
      .emit(onNext: { [weak self] region in if let region { self?.add(region) } })
      .disposed(by: bag)
  }

  private func askForFence() -> Observable<Region?> {
    guard let center = manager.location?.coordinate else {
      remarks.accept((.warning, "without a fix there is no place for a fence"))
      return .empty()
    }
    let units = configuration.units
    let model = NewFenceViewModel(center: center, names: Set(regions.value.map(\.identifier)), units: units)
    let fence = BehaviorRelay<Region?>(value: nil)
    return Alert.present(
      title: "A fence here", message: "",
      choices: [AlertChoice("OK", true), AlertChoice("Cancel", style: .cancel, false)],
      on: screen
    ) { alert in
      alert.addTextField(label: "Name  ")
      alert.addTextField(label: "Radius", placeholder: units.height.name)
      let output = model.transform(
        input: .init(
          name: alert.textFields[0].rx.text.orEmpty.asDriver(),
          radius: alert.textFields[1].rx.text.orEmpty.asDriver()))
      return Disposables.create(
        output.isValid.drive(alert.actions[0].rx.isEnabled), output.hint.drive(alert.rx.message),
        output.fence.drive(fence))
    }
    .map { $0 ? fence.value : nil }
  }

  private func add(_ region: Region) {
    manager.startMonitoring(for: region)
    regions.accept(regions.value + [region])
  }

  private func remove(_ region: Region) {
    manager.stopMonitoring(for: region)
    regions.accept(regions.value.filter { $0 != region })
  }

  private func showDetails<Model: Sendable>(
    in list: ListView, _ details: @escaping @MainActor (Model) -> (title: String, text: String)
  ) {
    list.rx.modelSelected(Model.self)
      .asSignal()
      .flatMapLatest { [unowned self] model in
        let (title, text) = details(model)
        return inform(title, text)
      }
      .emit()
      .disposed(by: bag)
  }

  /// Sends once, if the user agrees.
  private func confirm(_ title: String, _ yes: String, or no: String) -> Signal<Void> {
    Alert.present(title: title, choices: [AlertChoice(yes, true), AlertChoice(no, style: .cancel, false)], on: screen)
      .asSignal(onErrorJustReturn: false)
      .compactMap { $0 ? () : nil }
  }

  private func inform(_ title: String, _ text: String) -> Signal<Void> {
    Alert.present(title: title, message: text, choices: [AlertChoice("Close", style: .cancel, ())], on: screen)
      .asSignal(onErrorJustReturn: ())
  }
}

final class OutputCell: ListCell {
  func show(_ output: OutputItem) {
    let width = 17
    text = output.name + String(repeating: " ", count: max(1, width - output.name.columns)) + output.text
    style = output.hasLosses ? .color(.red) : .plain
  }
}

/// A fence in the list: its name, the side on which the receiver is, and the distance of its centre.
final class FenceCell: ListCell {
  private static let stateWidth = 9
  private static let distanceWidth = 8
  private var columns = (name: "", state: "", distance: "")

  func show(_ fence: FenceItem, _ units: MeasurementUnits) {
    columns = (fence.region.identifier, fence.state.rawValue, fence.distance.map(units.words(distance:)) ?? "")
    setNeedsDisplay()
    style =
      switch fence.state {
      case .inside: .color(.green)
      case .outside: .plain
      case .unknown: .dim
      }
  }

  /// The name uses the width that the other columns leave.
  override func layoutSubviews() {
    let nameWidth = max(2, frame.width - Self.stateWidth - Self.distanceWidth)
    text = Self.column(columns.name, nameWidth) + Self.column(columns.state, Self.stateWidth) + columns.distance
  }

  private static func column(_ text: String, _ width: Int) -> String {
    let text = text.truncated(toColumns: width - 1)
    return text + String(repeating: " ", count: width - text.columns)
  }
}

/// A satellite in the list: its constellation and number, its signal with a bar, and whether the solution uses it.
final class SatelliteCell: ListCell {
  private static let nameWidth = 11
  private static let signalWidth = 4
  private let bar = ProgressBar()
  private let mark = Label(style: .color(.green))
  private let signal = Label()

  required init() {
    super.init()
    for view in [bar, signal, mark] { addSubview(view) }
    signal.isRightAligned = true
  }

  func show(_ satellite: Satellite) {
    text = satellite.name
    style = satellite.isUsed ? .plain : .dim
    signal.text = satellite.signal.map { fixedPoint($0, decimals: 0) } ?? ""
    // 50 dB-Hz is about the strongest signal under the open sky.
    bar.value = satellite.signal.map { $0 / 50 }
    bar.style = satellite.isUsed ? .color(.green) : .dim
    mark.text = satellite.isUsed ? "used" : ""
  }

  override func layoutSubviews() {
    let barWidth = Self.barWidth(in: frame.width)
    bar.frame = Rect(x: Self.nameWidth, y: 0, width: barWidth, height: 1)
    signal.frame = Rect(x: Self.nameWidth + barWidth, y: 0, width: Self.signalWidth, height: 1)
    mark.frame = Rect(x: frame.width - 4, y: 0, width: 4, height: 1)
  }

  private static func barWidth(in width: Int) -> Int { max(0, width - nameWidth - signalWidth - 5) }

  static func scale(width: Int) -> String {
    let barWidth = barWidth(in: width)
    guard barWidth >= 4 else { return "" }
    return String(repeating: " ", count: nameWidth) + "0" + String(repeating: " ", count: barWidth - 3) + "50 dB-Hz"
  }
}
