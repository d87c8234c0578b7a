import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Extension } from '../../src/extensions';

/** A folder of modules below `src`. */
export type Layer = 'core' | 'extensions';

export const LAYERS: readonly Layer[] = ['core', 'extensions'];

export interface Folder {
  readonly layer: Layer;
  readonly name: string;
}

export const foldersOf = (layer: Layer): Folder[] =>
  readdirSync(join('src', layer), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
    .map((name) => ({ layer, name }));

/** Returns what the extension of a folder brings. */
export const extensionOf = (folder: string): Extension =>
  Object.values(
    jest.requireActual<Record<string, Extension>>(`../../src/extensions/${folder}/extension`),
  )[0]!;

/** The other folders that the files of a folder import from, except its specs and its `extension.ts`. */
export function importedBy({ layer, name }: Folder): Folder[] {
  const directory = join('src', layer, name);
  const files = (readdirSync(directory, { recursive: true }) as string[]).filter((file) =>
    /(?<!spec|extension)\.ts$/.test(file),
  );
  const targets = new Set(files.flatMap((file) => foldersImportedBy(join(directory, file))));
  return LAYERS.flatMap(foldersOf).filter(
    (other) => other.name !== name && targets.has(join(other.layer, other.name)),
  );
}

/** Returns folders such as `core/grab`. */
export function foldersImportedBy(file: string): string[] {
  const imports = readFileSync(file, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g);
  return Array.from(imports, ([, path]) =>
    relative('src', join(file, '..', path!))
      .split('/')
      .slice(0, 2)
      .join('/'),
  );
}
