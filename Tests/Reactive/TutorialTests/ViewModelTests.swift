import Rx
import RxBinding
import RxTerminal
import TerminalKit
import TestSupport
import Testing

/// A view model turns an input of plain sequences into an output of Drivers, for state, and Signals, for events.
@MainActor @Suite(.inTurn) struct ViewModelTests {
  private struct Ticket: Equatable {
    let id: String
    let title: String
  }

  /// The third tutorial, lines 20 to 42.
  private final class ArchiveViewModel {
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

  /// Lines 43 to 67.
  @MainActor
  private final class ArchiveController {
    let (field, list, toast) = (TextField(), ListView.tall(), LoggedLabel())
    private let model: ArchiveViewModel
    private var tickets: [Ticket] = []
    private let searchText = BehaviorRelay(value: "")
    private let deleteTicket = PublishRelay<String>()
    private let bag = DisposeBag()

    init(_ model: ArchiveViewModel) {
      self.model = model
      bind()
    }

    private func bind() {
      field.rx.text.orEmpty
        .bind(to: searchText)
        .disposed(by: bag)
      list.rx.itemDeleted
        .map { [unowned self] in self.tickets[$0].id }
        .bind(to: deleteTicket)
        .disposed(by: bag)

      let input = ArchiveViewModel.Input(
        searchText: searchText.asObservable(),
        deleteTicket: deleteTicket.asObservable()
      )
      let output = model.transform(input: input)

      output.tickets
        .do(onNext: { [unowned self] in self.tickets = $0 })
        .drive(list.rx.items) { _, _, ticket in
          let cell = ListCell()
          cell.text = ticket.title
          return cell
        }
        .disposed(by: bag)
      output.deleted
        .emit(onNext: { [unowned self] in self.showToast("deleted \($0)") })
        .disposed(by: bag)
    }

    private func showToast(_ text: String) { toast.text = text }
  }

  @Test func relaysFeedAViewModel() {
    let controller = ArchiveController(
      ArchiveViewModel([
        Ticket(id: "1", title: "opera"), Ticket(id: "2", title: "operetta"), Ticket(id: "3", title: "zoo"),
      ]))
    #expect(controller.list.visibleCells.map(\.text) == ["opera", "operetta", "zoo"])
    controller.field.type("oper")
    #expect(controller.list.visibleCells.map(\.text) == ["opera", "operetta"])
    controller.list.delete(0)
    #expect(controller.list.visibleCells.map(\.text) == ["operetta"])
    controller.field.type("")
    #expect(controller.list.visibleCells.map(\.text) == ["operetta", "zoo"])
    #expect(controller.toast.texts == ["deleted opera"])
  }
}
