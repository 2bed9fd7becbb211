/** A field of a query, decoded. */
export type Field = readonly [name: string, value: string];

/** A URL as a token carries it; none of it is verified yet. */
export interface PresignedUrl {
  readonly scheme: string;
  readonly host: string;
  /** As written, percent-encoded. */
  readonly path: string;
  readonly query: readonly Field[] | "malformed";
}

function fieldsOf(query: string): readonly Field[] | "malformed" {
  try {
    return query
      .split("&")
      .filter(Boolean)
      .map((pair): Field => {
        const [name = "", ...value] = pair.replaceAll("+", " ").split("=");
        return [decodeURIComponent(name), decodeURIComponent(value.join("="))];
      });
  } catch {
    return "malformed";
  }
}

/**
 * Splits a URL as Go does; undefined if it has no scheme.
 * The class `URL` would repair URLs that the authenticator refuses.
 */
export function tryParseUrl(text: string): PresignedUrl | undefined {
  const match = /^([a-zA-Z][a-zA-Z0-9+.-]*):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/.exec(text);
  if (match === null) return undefined;
  const [, scheme = "", host = "", path = "", query = ""] = match;
  return { scheme, host, path, query: fieldsOf(query) };
}

/** The fields of a URL's query; none if it is malformed. */
export const queryFields = ({ query }: PresignedUrl): readonly Field[] =>
  query === "malformed" ? [] : query;

/** A field of the query by its lower-case name; empty if it is not there. */
export const parameter = (url: PresignedUrl, name: string): string =>
  queryFields(url).find(([key]) => key.toLowerCase() === name)?.[1] ?? "";

/** The names of the headers that the URL says are signed. */
export const signedHeaders = (url: PresignedUrl): readonly string[] =>
  parameter(url, "x-amz-signedheaders").split(";");
