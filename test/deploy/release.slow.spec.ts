import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { programs, root, textOf } from './programs';

const NOTES = '### Added\n\n- Rain.';
const changelogOf = (version: string) =>
  `# Changelog\n\n## [Unreleased]\n\n## [${version}] - 2026-11-23\n\n${NOTES}\n\n## [0.0.9] - 2026-01-01\n\n- Dew.\n`;

/** A repository with everything that a release packs, and a build of one file. */
class Checkout {
  readonly directory = mkdtempSync(join(tmpdir(), 'hongbao-checkout-'));

  constructor() {
    const [name, version] = ['hongbao', '1.2.3'];
    const build = `node -e "fs.mkdirSync('dist/test',{recursive:true});fs.writeFileSync('dist/built.js','');fs.writeFileSync('dist/test/x.js','')"`;
    const packClient = `node -e "fs.writeFileSync(process.argv.at(-1)+'/client.tgz',process.argv.slice(1,-2).join())" --`;
    const scripts = { build, pack: packClient, 'start:api': 'node .', 'start:worker': 'node .' };
    this.write('package.json', JSON.stringify({ name, version, scripts }));
    this.write(
      'package-lock.json',
      JSON.stringify({ name, version, lockfileVersion: 3, packages: { '': { name, version } } }),
    );
    this.write('CHANGELOG.md', changelogOf(version));
    this.write('.gitignore', `${textOf('.gitignore')}ignored\n`);
    const texts = ['README.md', 'README.zh-CN.md', 'SECURITY.md', 'docs/x.md', 'examples/x.py'];
    for (const file of ['.env.example', '.npmrc', 'LICENSE', ...texts]) this.write(file, '');
    const programs = ['deploy/release.mjs', 'deploy/image/hongbao.mjs'];
    const readmes = ['deploy/archive/README.md', 'deploy/archive/README.zh-CN.md'];
    for (const file of [...programs, ...readmes]) cpSync(join(root, file), join(this.directory, file));
    this.git('init', '--quiet');
    this.commit();
  }

  write(file: string, text: string): void {
    const path = join(this.directory, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  git(...args: string[]): string {
    const identity = ['-c', 'user.name=Tester', '-c', 'user.email=tester@localhost'];
    return execFileSync('git', [...identity, ...args], { cwd: this.directory, encoding: 'utf8' }).trim();
  }

  commit(): void {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message', 'Change');
  }

  release(...options: string[]): { status: number | null; stdout: string; stderr: string } {
    const env = { ...process.env, GIT_COMMITTER_NAME: 'Tester', GIT_COMMITTER_EMAIL: 'tester@localhost' };
    const script = join('deploy', 'release.mjs');
    return spawnSync(process.execPath, [script, ...options], { cwd: this.directory, encoding: 'utf8', env });
  }

  get archive(): string {
    return join(this.directory, '.local', 'release', 'hongbao-1.2.3.tar.gz');
  }
}

describe('a release', () => {
  let checkout: Checkout;

  beforeEach(() => {
    checkout = new Checkout();
  });
  afterEach(() => rmSync(checkout.directory, { recursive: true, force: true }));

  it('is packed only from the commit, identically each time, and tagged with its notes', () => {
    checkout.write('ignored', 'of this machine');
    checkout.write('dist/stale.js', 'of an earlier build');
    expect(checkout.release('--dry-run')).toMatchObject({ status: 0, stderr: '' });
    expect(checkout.git('tag')).toBe('');
    const packed = execFileSync('tar', ['--list', '--file', checkout.archive], { encoding: 'utf8' }).split(
      '\n',
    );
    expect(packed).toEqual(
      expect.arrayContaining(
        ['dist/built.js', 'hongbao.mjs', 'package-lock.json'].map((file) => `hongbao-1.2.3/${file}`),
      ),
    );
    expect(existsSync(join(dirname(checkout.archive), 'client.tgz'))).toBe(true);
    expect(packed.filter((file) => /stale|ignored|dist\/test|node_modules/.test(file))).toEqual([]);

    const [, digest] = /sha256 (\w+)/.exec(checkout.release().stdout)!;
    expect(checkout.release('--dry-run').stderr).toContain('v1.2.3 exists');
    checkout.git('tag', '--delete', 'v1.2.3');
    expect(checkout.release().stdout).toContain(digest);
    expect(checkout.git('tag', '--list', '--format=%(contents)')).toBe(`Hongbao 1.2.3\n\n${NOTES}`);
    expect(checkout.git('worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('names in its READMEs only commands that it has and files that it packs, and has a script for each word except the two programs', () => {
    checkout.release('--dry-run');
    const packed = (file: string) =>
      execFileSync('tar', ['--extract', '--to-stdout', '--file', checkout.archive, `hongbao-1.2.3/${file}`], {
        encoding: 'utf8',
      });
    const { scripts } = JSON.parse(packed('package.json')) as { scripts: Record<string, string> };
    const words = [...programs.keys()].filter((word) => !['api', 'worker'].includes(word));
    expect(Object.keys(scripts).sort()).toEqual(['start:api', 'start:worker', ...words].sort());
    for (const word of words) expect(scripts[word]).toBe(`exec node hongbao.mjs ${word}`);
    for (const readme of ['README.md', 'README.zh-CN.md'].map(packed)) {
      const named = Array.from(readme.matchAll(/npm (?:run )?([\w:]+)/g), ([, name]) => name!);
      expect(named.filter((name) => name !== 'ci' && !(name in scripts))).toEqual([]);
      const links = Array.from(readme.matchAll(/\]\((.+?)\)/g), ([, file]) => file!);
      expect(links.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    }
  });

  it('can be tried between two releases, with what is not released yet', () => {
    const between = changelogOf('1.2.2').replace('[Unreleased]\n', '[Unreleased]\n\n- new\n');
    checkout.write('CHANGELOG.md', between);
    checkout.commit();
    expect(checkout.release('--dry-run')).toMatchObject({ status: 0 });
    expect(readFileSync(join(dirname(checkout.archive), 'notes.md'), 'utf8')).toBe('- new\n');
    expect(checkout.release()).toMatchObject({ status: 1 });
  });

  it('leaves the files that npm run monitor keeps by default alone', () => {
    checkout.write('claim-log.json', '{}');
    expect(checkout.release('--dry-run')).toMatchObject({ status: 0 });
  });

  it('can be packed again from its tag, identically, with the published words, bill of materials and repository', () => {
    expect(checkout.release('--tagged').stderr).toContain('not that of v1.2.3');
    const [, digest] = /sha256 (\w+)/.exec(checkout.release().stdout)!;
    rmSync(dirname(checkout.archive), { recursive: true });
    const { status, stdout } = checkout.release('--tagged', '--repository', 'https://forge.example/rain');
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining(digest!) });
    const packed = (file: string) => readFileSync(join(dirname(checkout.archive), file), 'utf8');
    expect(packed('notes.md')).toBe(`${NOTES}\n`);
    expect(packed('client.tgz')).toBe('--repository,https://forge.example/rain');
    expect(JSON.parse(packed('hongbao-1.2.3.cdx.json'))).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'hongbao', version: '1.2.3' } },
      components: [],
    });

    checkout.write('README.md', 'of a later commit');
    checkout.commit();
    expect(checkout.release('--tagged').stderr).toContain('not that of v1.2.3');
  });

  it.each<[string, string, (checkout: Checkout) => void]>([
    ['changes that are not committed', 'not committed', (one) => one.write('README.md', 'changed')],
    ['files that git does not know', 'not committed', (one) => one.write('new', '')],
    [
      'a changelog without this version',
      '## [1.2.3] - YYYY-MM-DD',
      (one) => one.write('CHANGELOG.md', changelogOf('1.2.4')),
    ],
    [
      'a lock file of another version',
      'package-lock.json',
      (one) => one.write('package-lock.json', '{"packages":{"":{}}}'),
    ],
  ])('is refused with %s', (_, reason, harm) => {
    harm(checkout);
    if (reason !== 'not committed') checkout.commit();
    const { status, stderr } = checkout.release();
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(reason) });
    expect(existsSync(checkout.archive)).toBe(false);
  });

  it('is refused when the build fails, and leaves neither a tag nor a worktree', () => {
    checkout.write(
      'package.json',
      JSON.stringify({ name: 'hongbao', version: '1.2.3', scripts: { build: 'exit 7' } }),
    );
    checkout.commit();
    expect(checkout.release()).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('npm run failed'),
    });
    expect(checkout.git('tag')).toBe('');
    expect(checkout.git('worktree', 'list').split('\n')).toHaveLength(1);
  });
});
