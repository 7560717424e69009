import ArgumentParser

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Say what is wrong between here and a fix.")

  @OptionGroup var gpsd: GPSDOptions
}
