import * as z from "zod";

/** Text, but not none. */
export const filled = (what: string) => z.string(what).min(1, what);

/** A whole number of a range. */
export const whole = (least: number, most: number) => {
  const what = `a whole number from ${least} to ${most}`;
  return z.int(what).min(least, what).max(most, what);
};

/** Text of a form. */
export const matching = (form: RegExp, what: string) => z.string(what).regex(form, what);

/** One of some words. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words, words.map((one) => JSON.stringify(one)).join(" or "));

/** What can be switched off. */
export const onOrOff = (what: string) => oneOf("on", "off").default("on").describe(what);

/** A list in which nothing is twice. */
export const unique = <T extends z.ZodType>(of: T, what: string) =>
  z
    .array(of, what)
    .superRefine((all, { addIssue }) => {
      for (const [index, input] of all.entries())
        if (all.indexOf(input) !== index)
          addIssue({ code: "custom", message: "each but once", path: [index], input });
    })
    .meta({ uniqueItems: true });

/** A list of at least one, in which nothing is twice. */
export const list = <T extends z.ZodType>(of: T, what: string) => unique(of, what).min(1, what);

/** Keys and what they may be; there are no others. */
export const part = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape);
