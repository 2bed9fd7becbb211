import type { StackTemplate } from "./template-schema.ts";

/** What reads a resource's properties. */
export interface PropertiesReader<T> {
  parse(value: unknown): T;
}

/** A resource of a stack. */
export interface StackResource<T> {
  readonly id: string;
  readonly its: T;
}

/** The resources of a template, by their kind. */
export class StackResources {
  readonly #template: StackTemplate;

  constructor(template: StackTemplate) {
    this.#template = template;
  }

  /** All resources of a type. */
  of<T>(type: string, reader: PropertiesReader<T>): readonly StackResource<T>[] {
    return Object.entries(this.#template.Resources)
      .filter(([, { Type }]) => Type === type)
      .map(([id, { Properties }]) => ({ id, its: reader.parse(Properties) }));
  }

  /** The one resource of a type that fits. */
  one<T>(
    type: string,
    reader: PropertiesReader<T>,
    fits: (resource: StackResource<T>) => boolean = () => true,
  ): StackResource<T> {
    const found = this.of(type, reader).filter(fits);
    const [only] = found;
    if (only !== undefined && found.length === 1) return only;
    throw new Error(
      `the template has ${found.length} resources ${type}, not the one that is needed`,
    );
  }
}
