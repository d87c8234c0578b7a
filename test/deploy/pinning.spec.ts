import { textOf } from './programs';

interface Manifest {
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
  readonly optionalDependencies: Record<string, string>;
}

interface Rule {
  readonly matchPackageNames: readonly string[];
  readonly allowedVersions?: string;
}

const { dependencies, devDependencies, optionalDependencies } = JSON.parse(
  textOf('package.json'),
) as Manifest;
const launched = (JSON.parse(textOf('src', 'dev', 'launcher', 'node', 'package.json')) as Manifest)
  .optionalDependencies;
const wanted = { ...dependencies, ...devDependencies, ...optionalDependencies, ...launched };

it('Every package is pinned to one version', () => {
  expect(Object.entries(wanted).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual(
    [],
  );
});

const versionOf = (name: string) => (name === 'node' ? textOf('.nvmrc') : wanted[name]);

it('renovate.json holds back only packages that are in use, below the version that they would have', () => {
  const { packageRules } = JSON.parse(textOf('renovate.json')) as { packageRules: Rule[] };
  const held = packageRules.filter(({ allowedVersions }) => allowedVersions !== undefined);
  expect(held.length).toBeGreaterThan(3);
  for (const { matchPackageNames, allowedVersions } of held)
    for (const name of matchPackageNames)
      expect([name, Number(versionOf(name)?.split('.')[0])]).toEqual([
        name,
        Number(allowedVersions!.slice(1)) - 1,
      ]);
});
