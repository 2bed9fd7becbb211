/** Random numbers that are the same in every run with the same seed. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** The next random number, at least 0 and below the limit (mulberry32). */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  #letters(alphabet: string, count: number): string {
    return Array.from({ length: count }, () => alphabet[this.below(alphabet.length)]).join("");
  }

  /** A name suffix in the alphabet of Kubernetes, which has no vowels and so spells no words. */
  suffix(length = 5): string {
    return this.#letters("bcdfghjklmnpqrstvwxz2456789", length);
  }

  /** A UUID of version 4. */
  uuid(): string {
    const hex = (digits: number) =>
      this.below(16 ** digits)
        .toString(16)
        .padStart(digits, "0");
    return `${hex(8)}-${hex(4)}-4${hex(3)}-${"89ab"[this.below(4)]}${hex(3)}-${hex(6)}${hex(6)}`;
  }
}
