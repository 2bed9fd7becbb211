// Loaded ahead of a program, as with NODE_OPTIONS=--import=FILE: its clock is ahead by CLOCK_AHEAD_SECONDS.
const right = Date;
const ahead = Number(process.env.CLOCK_AHEAD_SECONDS ?? "0") * 1000;

globalThis.Date = class extends right {
  constructor(...given) {
    if (given.length === 0) super(right.now() + ahead);
    else super(...given);
  }

  static now() {
    return right.now() + ahead;
  }
};
