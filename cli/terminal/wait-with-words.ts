import { type Duration, milliseconds, seconds, spoken } from "../../lambda/base/time.ts";

/** The words of a command that still waits. */
export interface WaitWords {
  /** The subject of the command, such as the name of a cluster. */
  readonly about: string;
  /** The reason for the wait; empty if unknown. */
  readonly why: () => string;
  readonly tell: (text: string) => void;
  /** After how long the command says so. @default 5 seconds */
  readonly after?: Duration;
}

/** Says every few seconds that a command still reads, and what it waits for, so that nobody takes it for dead. */
export async function waitWithWords<T>(
  { about, why, tell, after = seconds(5) }: WaitWords,
  work: () => Promise<T>,
): Promise<T> {
  let times = 0;
  const timer = setInterval(() => {
    times += 1;
    const so = spoken(milliseconds(after * times));
    const reason = why();
    tell(`${about}: still reading, for ${so}${reason === "" ? "" : `: ${reason}`}`);
  }, after);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
