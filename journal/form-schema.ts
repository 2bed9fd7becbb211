import * as z from "zod/mini";
import { instanceId, nodeName } from "../lambda/base/ids.ts";
import { milliseconds } from "../lambda/base/time.ts";

/** The form of an object of one kind. */
export const form = <Kind extends string, Shape extends z.core.$ZodLooseShape>(
  kind: Kind,
  shape: Shape,
) => z.object({ kind: z.literal(kind), ...shape });

/** A list of such items. */
export const list = <Item extends z.ZodMiniType>(item: Item) => z.readonly(z.array(item));

/** A text that becomes a value of the domain. */
export const branded = <T>(brand: (text: string) => T) => z.pipe(text, z.transform(brand));

/** Any text. */
export const text = z.string();

/** A list of texts. */
export const texts = list(text);

const note = z.object({ about: text, why: text });

/** What is left, and why. Older lines say each in a sentence. */
export const notes = list(
  z.pipe(
    z.transform((said) => (typeof said === "string" ? { about: "", why: said } : said)),
    note,
  ),
);

/** Any number. */
export const number = z.number();

/** A time in milliseconds. */
export const duration = z.pipe(number, z.transform(milliseconds));

/** The name of a node. */
export const node = branded(nodeName);

/** The id of an instance. */
export const instance = branded(instanceId);
