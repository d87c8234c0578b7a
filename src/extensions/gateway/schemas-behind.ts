type Schemas = Readonly<Record<string, unknown>>;

const REFERENCE = /"#\/components\/schemas\/(\w+)"/g;

/**
 * Returns the schemas that a document refers to, directly or through others, without
 * discriminators: AsyncAPI means something else by the word, and the schemas already say the same.
 */
export function schemasBehind(document: object, schemas: Schemas): Schemas {
  const found = new Map<string, unknown>();
  const collect = (part: unknown): void => {
    for (const [, name] of JSON.stringify(part).matchAll(REFERENCE)) {
      if (found.has(name!)) continue;
      found.set(name!, withoutDiscriminators(schemas[name!]));
      collect(schemas[name!]);
    }
  };
  collect(document);
  return Object.fromEntries(found);
}

const withoutDiscriminators = (schema: unknown): unknown =>
  JSON.parse(JSON.stringify(schema, (key, value: unknown) => (key === 'discriminator' ? undefined : value)));
