/** Thrown where an answer has more bytes than its caller reads. */
export class LongAnswer extends Error {
  override readonly name = "LongAnswer";

  constructor(most: number) {
    super(`the answer has more than ${Math.round(most / megabyte)} MB`);
  }
}

export const megabyte = 1_000_000;
