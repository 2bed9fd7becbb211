import { isIP } from "node:net";

const bits: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/** Whether a text is an address, or a range of them, such as 10.0.0.2 and 10.0.0.0/16. */
export function isAddresses(text: string): boolean {
  const [address = "", size = "0", ...rest] = text.split("/");
  const most = bits[isIP(address)] ?? -1;
  return rest.length === 0 && /^\d{1,3}$/.test(size) && Number(size) <= most;
}

/** The range of an address, or of a range, such as 10.0.0.2/32. */
export const rangeOf = (text: string): string =>
  text.includes("/") ? text : `${text}/${bits[isIP(text)]}`;
