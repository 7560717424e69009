import Rx
import RxBinding
import Testing

/// A view model turns an input of plain sequences into an output of Drivers, for state, and Signals, for events.
@MainActor
@Suite struct ViewModelTests {
  private struct Ticket: Sendable, Equatable {
    let id: String
    let title: String
  }

  private final class ArchiveViewModel: Sendable {
    struct Input {
      let searchText: Observable<String>
      let deleteTicket: Observable<String>
    }

    struct Output {
      let tickets: Driver<[Ticket]>
      let deleted: Signal<String>
    }

    private let stored: BehaviorRelay<[Ticket]>

    init(_ tickets: [Ticket]) {
      stored = BehaviorRelay(value: tickets)
    }

    func transform(input: Input) -> Output {
      let stored = stored
      let tickets = Observable.combineLatest(stored, input.searchText) { tickets, text in
        tickets.filter { text.isEmpty || $0.title.contains(text) }
      }
      let deleted = input.deleteTicket.flatMapLatest { id -> Observable<String> in
        guard let title = stored.value.first(where: { $0.id == id })?.title else { return .error(Failure.offline) }
        stored.accept(stored.value.filter { $0.id != id })
        return .just(title)
      }
      return Output(
        tickets: tickets.asDriver(onErrorJustReturn: []), deleted: deleted.asSignal(onErrorJustReturn: "nothing"))
    }
  }

  @Test func relaysFeedAViewModel() {
    let model = ArchiveViewModel([
      Ticket(id: "1", title: "opera"), Ticket(id: "2", title: "operetta"), Ticket(id: "3", title: "zoo"),
    ])
    let bag = DisposeBag()
    let (field, list, toast) = (TextField(), ListView(), Label())
    let searchText = BehaviorRelay(value: "")
    let deleteTicket = PublishRelay<String>()
    let shown = BehaviorRelay<[Ticket]>(value: [])

    field.rx.text.orEmpty.bind(to: searchText).disposed(by: bag)
    list.rx.itemDeleted.map { shown.value[$0].id }.bind(to: deleteTicket).disposed(by: bag)

    let output = model.transform(
      input: .init(searchText: searchText.asObservable(), deleteTicket: deleteTicket.asObservable()))

    output.tickets.drive(shown).disposed(by: bag)
    output.tickets.asObservable()
      .bind(to: list.rx.items(cellIdentifier: "ticket")) { _, ticket, cell in cell.text = ticket.title }
      .disposed(by: bag)
    output.deleted.emit(onNext: { [weak toast] title in toast?.text = "deleted \(title)" }).disposed(by: bag)

    #expect(list.cells.map(\.text) == ["opera", "operetta", "zoo"])
    field.type("oper")
    #expect(list.cells.map(\.text) == ["opera", "operetta"])
    list.delete(0)
    #expect(list.cells.map(\.text) == ["operetta"])
    field.type("")
    #expect(list.cells.map(\.text) == ["operetta", "zoo"])
    #expect(toast.texts == ["deleted opera"])
  }

  @Test func stateIsKeptForThoseWhoComeLateAndEventsAreNot() {
    let bag = DisposeBag()
    let source = PublishSubject<String>()
    let state = source.asDriver(onErrorJustReturn: "")
    let event = source.asSignal(onErrorJustReturn: "")
    let labels = (0..<4).map { _ in Label() }
    state.drive(labels[0].rx.text).disposed(by: bag)
    event.emit(to: labels[1].rx.text).disposed(by: bag)
    source.onNext("news")
    state.drive(labels[2].rx.text).disposed(by: bag)
    event.emit(to: labels[3].rx.text).disposed(by: bag)
    #expect(labels.map(\.text) == ["news", "news", "news", nil])
  }
}
