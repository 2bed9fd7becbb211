/** The meaning of a text, from which its colour follows. */
export type Tone = "plain" | "faint" | "good" | "change" | "careful" | "bad";
