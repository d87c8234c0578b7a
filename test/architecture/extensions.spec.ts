import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Extension, extensions } from '../../src/extensions';

const ROOT = join('src', 'extensions');
const folders = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

const extensionOf = (folder: string): Extension =>
  Object.values(
    jest.requireActual<Record<string, Extension>>(`../../src/extensions/${folder}/extension`),
  )[0]!;

/** The other extensions whose files those of a folder import. */
function importedBy(folder: string): string[] {
  const directory = join(ROOT, folder);
  const files = (readdirSync(directory, { recursive: true }) as string[]).filter((file) =>
    /(?<!spec|extension)\.ts$/.test(file),
  );
  const imports = files.flatMap((file) => [
    ...readFileSync(join(directory, file), 'utf8').matchAll(/from '(?:\.\.\/)+([a-z-]+)'/g),
  ]);
  return [...new Set(imports.map(([, name]) => name!))].filter((name) => folders.includes(name)).sort();
}

describe('the list of extensions', () => {
  it('has each folder once', () => {
    expect(new Set(extensions)).toEqual(new Set(folders.map(extensionOf)));
    expect(extensions).toHaveLength(folders.length);
  });

  it.each(folders)('names what %s needs, and nothing else', (folder) => {
    const { needs = [] } = extensionOf(folder);
    expect(importedBy(folder)).toEqual(folders.filter((name) => needs.includes(extensionOf(name))));
  });
});
