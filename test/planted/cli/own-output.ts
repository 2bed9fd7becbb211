/** Writes past the outputs that make texts legible. */
export const tell = (text: string): boolean => process.stdout.write(text);
