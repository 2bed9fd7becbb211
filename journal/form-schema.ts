import * as z from "zod/mini";
import { instanceId, nodeName } from "../lambda/base/ids.ts";
import { milliseconds } from "../lambda/base/time.ts";

export const form = <Kind extends string, Shape extends z.core.$ZodLooseShape>(
  kind: Kind,
  shape: Shape,
) => z.object({ kind: z.literal(kind), ...shape });

export const list = <Item extends z.ZodMiniType>(item: Item) => z.readonly(z.array(item));

export const branded = <T>(brand: (text: string) => T) => z.pipe(text, z.transform(brand));

export const text = z.string();

export const texts = list(text);

const note = z.object({ about: text, why: text });

/** The remaining pods and volumes, with reasons. Older entries have a sentence for each. */
export const notes = list(
  z.pipe(
    z.transform((said) => (typeof said === "string" ? { about: "", why: said } : said)),
    note,
  ),
);

export const number = z.number();

export const duration = z.pipe(number, z.transform(milliseconds));

export const node = branded(nodeName);

export const instance = branded(instanceId);

export const maybe = <Type extends z.ZodMiniType>(type: Type) => z.optional(type);
