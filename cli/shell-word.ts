const plain = /^[\w%+=:,./@-]+$/;

/**
 * A text as one word of a shell, for commands that people copy. Anybody who may make an Auto Scaling group may name it `$(…)`,
 * and many have a blank in their name.
 */
export const shellWord = (text: string): string =>
  plain.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
