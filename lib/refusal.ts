/** Options that cannot be deployed; the message says what would work instead. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  /** The message on a single line. */
  readonly onOneLine: string;

  constructor(
    about: string,
    {
      wrongs = [],
      ...others
    }: {
      /** The problems, each with its remedy. */
      readonly wrongs?: readonly string[];
      readonly cause?: unknown;
    } = {},
  ) {
    super([about, ...wrongs].join("\n  "), others);
    this.onOneLine = wrongs.length === 0 ? about : `${about} ${wrongs.join(", ")}`;
  }
}
