import { extensions } from '../../src/extensions';
import { extensionOf, foldersOf, importedBy } from './folders';

const folders = foldersOf('extensions').map(({ name }) => name);

const needsOf = (name: string): string[] =>
  importedBy({ layer: 'extensions', name })
    .filter(({ layer }) => layer === 'extensions')
    .map((folder) => folder.name);

describe('the list of extensions', () => {
  it('has each folder once', () => {
    expect(new Set(extensions)).toEqual(new Set(folders.map(extensionOf)));
    expect(extensions).toHaveLength(folders.length);
  });

  it.each(folders)('names what %s needs, and nothing else', (folder) => {
    const { needs = [] } = extensionOf(folder);
    expect(needsOf(folder)).toEqual(folders.filter((name) => needs.includes(extensionOf(name))));
  });
});
