/** The reason why a command failed, and what the user can do about it. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly remedy: string;

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}

/** The user stopped a command before it was done. */
export class StoppedCommand extends CommandFailure {}
