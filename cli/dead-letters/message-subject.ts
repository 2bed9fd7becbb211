/** The subject of a message in a few words, and the group that it names. */
export interface MessageSubject {
  readonly title: string;
  readonly group: string;
}
