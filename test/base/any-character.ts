import fc from "fast-check";

const surrogates = 0xd800;

/** Any character of Unicode. Those of fast-check, "binary", are the same, but take a second of every process to make. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10_ffff - 0x800 })
  .map((place) => String.fromCodePoint(place < surrogates ? place : place + 0x800));
