import Rx
import RxBinding
import RxTerminal
import TerminalKit

struct Ticket: Sendable, Equatable {
  let id: Int
  let title: String
}

/// Turns the user's actions into output: state as a Driver, events as a Signal.
final class ArchiveViewModel: Sendable {
  struct Input {
    let searchText: Observable<String>
    let deleteTicket: Observable<Ticket>
  }

  struct Output {
    let filteredTickets: Driver<[Ticket]>
    let deleteCompleted: Signal<String>
  }

  private let ticketsRelay: BehaviorRelay<[Ticket]>

  init(_ tickets: [Ticket]) {
    ticketsRelay = BehaviorRelay(value: tickets)
  }

  func transform(input: Input) -> Output {
    let ticketsRelay = ticketsRelay
    let filteredTickets = Observable.combineLatest(ticketsRelay, input.searchText) { tickets, text in
      tickets.filter { text.isEmpty || $0.title.contains(text) }
    }
    let deleteCompleted = input.deleteTicket.map { ticket in
      ticketsRelay.accept(ticketsRelay.value.filter { $0 != ticket })
      return "deleted: \(ticket.title)"
    }
    return Output(
      filteredTickets: filteredTickets.asDriver(onErrorJustReturn: []),
      deleteCompleted: deleteCompleted.asSignal(onErrorJustReturn: ""))
  }
}

@MainActor
final class ArchiveController {
  let searchField = TextField(placeholder: "search")
  let list = ListView()
  let toast = Label(style: .color(.yellow))
  let screen: Screen
  private let bag = DisposeBag()

  init(_ viewModel: ArchiveViewModel) {
    screen = Screen(root: StackView(axis: .vertical, [(searchField, .fixed(1)), (list, .fill), (toast, .fixed(1))]))
    let input = ArchiveViewModel.Input(
      searchText: searchField.rx.text.orEmpty.asObservable(),
      deleteTicket: list.rx.modelDeleted(Ticket.self).asObservable()
    )
    let output = viewModel.transform(input: input)
    output.filteredTickets
      .drive(list.rx.items(cellIdentifier: "ticket")) { _, ticket, cell in cell.text = ticket.title }
      .disposed(by: bag)
    output.deleteCompleted
      .emit(to: toast.rx.text)
      .disposed(by: bag)
  }
}
