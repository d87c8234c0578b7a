import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiDocument } from '../../src/api-document';

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
}

/** Catches in seconds what `npm run test:clients` would only find after minutes of compiling. */
describe('the document for generators of clients', () => {
  let document: Awaited<ReturnType<typeof apiDocument>>;

  beforeAll(async () => {
    document = await apiDocument(0, '3.0.3');
  });

  it('has no boolean with a list of values: the Java generator turns it into a class that does not compile', () => {
    const listed: string[] = [];
    JSON.stringify(document, (key, value: Schema) => {
      if (value?.type === 'boolean' && value.enum) listed.push(key);
      return value;
    });
    expect(listed).toEqual([]);
  });

  it.each(['Grab', 'Fund'])('has as many parameters as the Java example %s passes', (name) => {
    const source = readFileSync(join('examples', 'clients', 'java', `${name}.java`), 'utf8');
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item) as Operation[]);
    const calls = operations.flatMap(({ operationId, parameters = [], requestBody }) =>
      Array.from(source.matchAll(new RegExp(`\\.${operationId}\\((.*?)\\)[;.]`, 'g')), ([, args]) => ({
        call: `${operationId}(${args})`,
        given: args!.replace(/\(.*?\)/g, '').split(', ').length,
        wanted: parameters.length + (requestBody ? 1 : 0),
      })),
    );
    expect(calls.length).toBeGreaterThan(1);
    expect(calls.filter(({ given, wanted }) => given !== wanted)).toEqual([]);
  });
});
