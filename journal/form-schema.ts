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

/** What is left, and why. */
export const notes = list(z.object({ about: text, why: text }));

/** Any number. */
export const number = z.number();

/** A time in milliseconds. */
export const duration = z.pipe(number, z.transform(milliseconds));

/** The name of a node. */
export const node = branded(nodeName);

/** The id of an instance. */
export const instance = branded(instanceId);
