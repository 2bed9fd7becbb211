/**
 * A regular expression for the whole numbers of a range, without zeros before them. A parameter of type Number would take
 * fractions, and knows no pattern.
 */
export function wholeNumbers(least: number, most: number): string {
  const lengths = Array.from(
    { length: String(most).length - String(least).length + 1 },
    (_, more) => String(least).length + more,
  );
  const parts = lengths.flatMap((length) =>
    between(
      String(Math.max(least, length === 1 ? 0 : 10 ** (length - 1))),
      String(Math.min(most, 10 ** length - 1)),
    ),
  );
  return `^(?:${parts.join("|")})$`;
}

/** The numbers from one to another with as many digits. */
function between(low: string, high: string): readonly string[] {
  const rest = low.length - 1;
  const [first, last] = [Number(low[0]), Number(high[0])];
  const isFromZeros = /^0*$/.test(low.slice(1));
  const isToNines = /^9*$/.test(high.slice(1));
  if (isFromZeros && isToNines) return [digits(first, last) + anyDigits(rest)];
  if (first === last) return between(low.slice(1), high.slice(1)).map((its) => `${first}${its}`);
  const from = isFromZeros ? first : first + 1;
  const to = isToNines ? last : last - 1;
  return [
    ...(isFromZeros ? [] : between(low, `${first}${"9".repeat(rest)}`)),
    ...(from > to ? [] : [digits(from, to) + anyDigits(rest)]),
    ...(isToNines ? [] : between(`${last}${"0".repeat(rest)}`, high)),
  ];
}

const digits = (from: number, to: number): string => (from === to ? `${from}` : `[${from}-${to}]`);

const anyDigits = (count: number): string => {
  if (count === 0) return "";
  return count === 1 ? "\\d" : `\\d{${count}}`;
};
