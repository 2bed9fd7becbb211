import type { StackTemplate } from "./template-schema.ts";

/** Reads the properties of a resource. */
export interface PropertiesReader<T> {
  parse(value: unknown): T;
}

/** A resource of a stack. */
export interface StackResource<T> {
  readonly id: string;
  readonly its: T;
}

/** The resources of a template, by type. */
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

  /** The only resource of a type that fits; throws if there are none or several. */
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
