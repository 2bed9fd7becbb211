/** What cannot be deployed as it was asked for; the message says what would do. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
