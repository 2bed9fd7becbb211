/** Options that cannot be deployed; the message says what would work instead. */
export class Refusal extends Error {
  override readonly name = "Refusal";
}
