import * as z from "zod/mini";

/** A list of such items. */
export const list = <Item extends z.ZodMiniType>(item: Item) => z.readonly(z.array(item));

/** A list of texts. */
export const texts = list(z.string());
