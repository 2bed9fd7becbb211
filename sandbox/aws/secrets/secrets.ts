import { AwsError } from "../aws-error.ts";

/** The secrets of an account, by their ARNs. */
export class Secrets {
  readonly #texts = new Map<string, string>();

  /** Keeps a secret; its text takes the place of an earlier one. */
  put(arn: string, text: string): void {
    this.#texts.set(arn, text);
  }

  delete(arn: string): void {
    this.#texts.delete(arn);
  }

  find(arn: string): string {
    const text = this.#texts.get(arn);
    if (text !== undefined) return text;
    const message = "Secrets Manager can't find the specified secret.";
    throw new AwsError("ResourceNotFoundException", message);
  }
}
