import { LongAnswer, megabyte } from "../http/long-answer.ts";

/** The most bytes of a page. */
export const mostOfPage = 16 * megabyte;

/** A page, and how many objects it was asked for with. */
interface FittingPage<T> {
  readonly sent: T;
  readonly fitting: number;
}

/** Reads a page of so many objects, or of fewer where others have made them large. */
export async function fittingPage<T>(
  size: number,
  read: (size: number, most: number) => Promise<T>,
  most = mostOfPage,
): Promise<FittingPage<T>> {
  for (let fitting = size; ; fitting = Math.ceil(fitting / 4))
    try {
      return { sent: await read(fitting, most), fitting };
    } catch (cause) {
      if (!(cause instanceof LongAnswer) || fitting <= 1) throw cause;
    }
}
