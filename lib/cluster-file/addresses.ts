import { isIP } from "node:net";

const bits: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

// CDK takes no zone, no IPv4 address in one of IPv6, and no capitals.
const forms: Readonly<Record<number, RegExp>> = {
  4: /^[\d.]+$/,
  6: /^(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}$/i,
};

/** Whether a text is an address, or a range of them, such as 10.0.0.2 and 10.0.0.0/16. */
export function isAddresses(text: string): boolean {
  const [address = "", size = "0", ...rest] = text.split("/");
  const version = isIP(address);
  const fits = forms[version]?.test(address) ?? false;
  return (
    fits && rest.length === 0 && /^\d{1,3}$/.test(size) && Number(size) <= (bits[version] ?? 0)
  );
}

/** The range of an address, or of a range, such as 10.0.0.2/32. */
export const rangeOf = (text: string): string =>
  (text.includes("/") ? text : `${text}/${bits[isIP(text)]}`).toLowerCase();
