import * as z from "zod";

/** Text that is not empty. */
export const filled = (what: string) => z.string(what).min(1, what);

export const whole = (least: number, most: number) => {
  const what = `a whole number from ${least} to ${most}`;
  return z.int(what).min(least, what).max(most, what);
};

/** Text that matches a regular expression. Editors say `what` of another text. */
export const matching = (form: RegExp, what: string) =>
  z.string(what).regex(form, what).meta({ patternErrorMessage: what });

export const oneOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words, words.map((one) => JSON.stringify(one)).join(" or "));

/** A switch that is on by default. */
export const onOrOff = (what: string) => oneOf("on", "off").default("on").describe(what);

/** A list in which no item occurs twice. */
export const unique = <T extends z.ZodType>(of: T, what: string) =>
  z
    .array(of, what)
    .superRefine((all, { addIssue }) => {
      for (const [index, input] of all.entries())
        if (all.indexOf(input) !== index)
          addIssue({ code: "custom", message: "each but once", path: [index], input });
    })
    .meta({ uniqueItems: true });

/** A list with at least one item, in which no item occurs twice. */
export const list = <T extends z.ZodType>(of: T, what: string) => unique(of, what).min(1, what);

/** An object with these fields and no others. */
export const part = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape, "an object");
