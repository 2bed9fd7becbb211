/** What a text means; its colour follows from that. */
export type Tone = "plain" | "faint" | "good" | "change" | "careful" | "bad";
