// The third tutorial: a view model whose output are Drivers, for state, and Signals, for events.

import Rx
import RxBinding
import RxTerminal
import TerminalKit

nonisolated struct Ticket {
  let id: String
  let title: String
}

nonisolated struct UnknownTicket: Error {}

final class ArchiveViewModel {
  private let ticketsRelay = BehaviorRelay<[Ticket]>(value: [
    Ticket(id: "1", title: "opera"), Ticket(id: "2", title: "operetta"), Ticket(id: "3", title: "zoo"),
  ])

  struct Input {
    let searchText: Observable<String>
    let deleteTicket: Observable<String>
  }

  struct Output {
    let filteredTickets: Driver<[Ticket]>
    let deleteCompleted: Signal<String>
  }

  func transform(input: Input) -> Output {
    // A closure may capture the relay. It may not capture `self`, which is not `Sendable`.
    let ticketsRelay = ticketsRelay
    let filteredTickets = Observable.combineLatest(ticketsRelay, input.searchText)
      .map { tickets, text in tickets.filter { text.isEmpty || $0.title.contains(text) } }
      .asDriver(onErrorJustReturn: [])
    let deleteCompleted = input.deleteTicket
      .flatMapLatest { id -> Single<String> in
        guard let ticket = ticketsRelay.value.first(where: { $0.id == id }) else { return .error(UnknownTicket()) }
        ticketsRelay.accept(ticketsRelay.value.filter { $0.id != id })
        return .just(ticket.title)
      }
      .asSignal(onErrorJustReturn: "")
    return Output(
      filteredTickets: filteredTickets,
      deleteCompleted: deleteCompleted
    )
  }
}

final class ArchiveViewController {
  let searchBar = TextField()
  let tableView = ListView()
  private let viewModel = ArchiveViewModel()
  private var tickets: [Ticket] = []
  private let searchTextRelay = BehaviorRelay<String>(value: "")
  private let deleteTicketRelay = PublishRelay<String>()
  private let disposeBag = DisposeBag()

  func bind() {
    searchBar.rx.text.orEmpty
      .bind(to: searchTextRelay)
      .disposed(by: disposeBag)
    tableView.rx.itemDeleted
      .map { self.tickets[$0].id }
      .bind(to: deleteTicketRelay)
      .disposed(by: disposeBag)
    let input = ArchiveViewModel.Input(
      searchText: searchTextRelay.asObservable(),
      deleteTicket: deleteTicketRelay.asObservable()
    )
    let output = viewModel.transform(input: input)
    output.filteredTickets
      .do(onNext: { self.tickets = $0 })
      .drive(tableView.rx.items) { _, _, ticket in
        let cell = ListCell()
        cell.text = ticket.title
        return cell
      }
      .disposed(by: disposeBag)
    output.deleteCompleted
      .emit(onNext: { self.showToast($0) })
      .disposed(by: disposeBag)
  }

  private func showToast(_ title: String) {
    print("deleted \(title)")
  }
}

let controller = ArchiveViewController()
let screen = Screen(root: controller.tableView)
screen.size = Size(width: 20, height: 3)
controller.bind()
controller.searchBar.type("oper")
print(screen.render().text)
controller.tableView.delete(0)
print(screen.render().text)
