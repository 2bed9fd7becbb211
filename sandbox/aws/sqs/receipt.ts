/** The content of a receipt handle, which stands for one receive of one message. */
export interface Receipt {
  readonly messageId: string;
  readonly receives: number;
}

const prefix = "AQEB";

/** Writes a receipt handle. */
export const receiptHandle = ({ messageId, receives }: Receipt): string =>
  prefix + Buffer.from(`${messageId}#${receives}`).toString("base64");

/** Reads a receipt handle; undefined if the text is not one. */
export function tryReadReceipt(handle: string): Receipt | undefined {
  if (!handle.startsWith(prefix)) return undefined;
  const text = Buffer.from(handle.slice(prefix.length), "base64").toString();
  const [, messageId, receives] = /^([0-9a-f-]{36})#(\d+)$/.exec(text) ?? [];
  if (messageId === undefined || receives === undefined) return undefined;
  return { messageId, receives: Number(receives) };
}
