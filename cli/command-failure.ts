/** What kept a command from its end, and what would help. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly remedy: string;

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}
