import { InvalidArgumentError } from "commander";

/** A parser for an option that is a whole number, such as a number of seconds. */
export const wholeNumber =
  (least: number, most: number, of = "") =>
  (text: string): number => {
    const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Give a whole number${of} from ${least} to ${most}.`);
  };
