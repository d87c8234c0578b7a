// Makes a release of the commit that is checked out: `npm run release -- [--dry-run | --tagged]`. It
// builds from a copy of the commit alone, packs what runs, and tags. It pushes nothing: what the
// tag publishes is in .github/workflows/release.yml.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

const TARGET = path.join('.local', 'release');
/** Starts each program by its word: an archive has no sources, and so no launcher. */
const ENTRY = 'hongbao.mjs';
/** Files that a host needs to run the programs, after `npm ci --omit=dev --omit=optional`. */
const PACKED = [
  '.env.example',
  '.npmrc',
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'README.zh-CN.md',
  'SECURITY.md',
  'deploy',
  'dist',
  'docs',
  'examples',
  ENTRY,
  'package-lock.json',
  'package.json',
];
/** Scripts whose words the entry of an archive knows. */
const RUN_BY_ENTRY = ['migrate', 'verify', 'doctor', 'archive', 'erasure', 'shards', 'token', 'admin'];
const START = ['start:api', 'start:worker'];
const READMES = ['README.md', 'README.zh-CN.md'];
/** Lists every package that the programs need. */
const BILL_OF_MATERIALS = [
  ...['sbom', '--package-lock-only', '--omit=dev', '--omit=optional'],
  ...['--sbom-format=cyclonedx', '--sbom-type=application'],
];
const NO_EXTRAS = ['--no-audit', '--no-fund'];

/** A failure that one line explains. */
class Fault extends Error {}

function main() {
  const { values } = parseArgs({
    options: {
      'dry-run': { type: 'boolean', default: false },
      tagged: { type: 'boolean', default: false },
      repository: { type: 'string' },
    },
  });
  process.chdir(git('rev-parse', '--show-toplevel'));
  const version = checkedVersion();
  const tag = `v${version}`;
  const notes = checkedNotes(version, values['dry-run']);
  checkCheckout(tag, values.tagged);
  const archive = inCopyOfCommit((copy) => pack(copy, build(copy, version), values.repository));
  fs.writeFileSync(path.join(TARGET, 'notes.md'), `${notes}\n`);
  say(`Packed ${archive} (sha256 ${digestOf(archive)}).`);
  if (values.tagged) return;
  if (values['dry-run']) return say(`Dry run: ${tag} was not made.`);
  git('tag', '--annotate', tag, '--cleanup=whitespace', '--message', `Hongbao ${version}\n\n${notes}`);
  say(nextSteps(tag, version));
}

function checkedVersion() {
  const { version } = readJson('package.json');
  const locked = readJson('package-lock.json');
  if (!/^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(version)) throw new Fault(`${version} is not a version.`);
  if (locked.version !== version || locked.packages[''].version !== version)
    throw new Fault(`package-lock.json is not of version ${version}: run npm install --package-lock-only.`);
  return version;
}

/** A dry run may be of a commit between two releases. */
function checkedNotes(version, isDryRun) {
  const dated = new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d{2}-\\d{2}\\n`, 'm');
  const notes = notesUnder(dated) || (isDryRun && notesUnder(/^## \[Unreleased\]\n/m));
  if (!notes) throw new Fault(`CHANGELOG.md has nothing under "## [${version}] - YYYY-MM-DD".`);
  return notes;
}

function notesUnder(heading) {
  const [, after] = fs.readFileSync('CHANGELOG.md', 'utf8').split(heading);
  return after?.split(/^## /m)[0].trim();
}

function checkCheckout(tag, isTagged) {
  if (git('status', '--porcelain') !== '') throw new Fault('There are changes that are not committed.');
  const hasTag = git('tag', '--list', tag) !== '';
  if (hasTag && !isTagged) throw new Fault(`${tag} exists: raise the version in package.json.`);
  if (isTagged && !(hasTag && git('rev-list', '-1', tag) === git('rev-parse', 'HEAD')))
    throw new Fault(`The commit that is checked out is not that of ${tag}.`);
}

function inCopyOfCommit(work) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hongbao-release-'));
  // `npm sbom` calls the project by its folder.
  const copy = path.join(directory, readJson('package.json').name);
  try {
    git('worktree', 'add', '--detach', copy, 'HEAD');
    return work(copy);
  } finally {
    git('worktree', 'remove', '--force', copy);
    fs.rmdirSync(directory);
  }
}

/** @returns the name of the directory in the archive */
function build(copy, version) {
  say('Installing packages…');
  run('npm', ['ci', '--ignore-scripts', ...NO_EXTRAS], copy);
  say('Building…');
  run('npm', ['run', 'build'], copy);
  return `hongbao-${version}`;
}

/** Packs a commit. The same commit gives the same bytes: sorted, owned by root, of its own time. */
function pack(copy, name, repository) {
  fs.mkdirSync(TARGET, { recursive: true });
  const archive = path.join(TARGET, `${name}.tar.gz`);
  const time = `--mtime=@${git('log', '-1', '--format=%ct')}`;
  const owner = ['--owner=0', '--group=0', '--numeric-owner', '--mode=u+w,go-w'];
  const options = [
    '--sort=name',
    time,
    ...owner,
    '--exclude=dist/test',
    `--transform=s,^,${name}/,`,
    '--use-compress-program=gzip -n',
  ];
  const origin = repository === undefined ? [] : ['--repository', repository];
  run('npm', ['run', 'pack', '--', ...origin, '--into', path.resolve(TARGET)], copy);
  fs.writeFileSync(path.join(TARGET, `${name}.cdx.json`), run('npm', BILL_OF_MATERIALS, copy));
  fs.copyFileSync(path.join(copy, 'deploy', 'image', ENTRY), path.join(copy, ENTRY));
  nameCommandsOfArchive(copy);
  run('tar', ['--create', `--file=${path.resolve(archive)}`, ...options, ...PACKED], copy);
  fs.writeFileSync(`${archive}.sha256`, `${digestOf(archive)}  ${path.basename(archive)}\n`);
  return archive;
}

/** An archive has neither the launcher nor what it launches. Its scripts and READMEs name what is there. */
function nameCommandsOfArchive(copy) {
  const file = path.join(copy, 'package.json');
  const { scripts, ...rest } = readJson(file);
  const started = START.map((name) => [name, scripts[name]]);
  const run = RUN_BY_ENTRY.map((name) => [name, `exec node ${ENTRY} ${name}`]);
  fs.writeFileSync(
    file,
    `${JSON.stringify({ ...rest, scripts: Object.fromEntries([...started, ...run]) }, null, 2)}\n`,
  );
  for (const name of READMES) {
    const readme = fs.readFileSync(path.join(copy, 'deploy', 'archive', name), 'utf8');
    fs.writeFileSync(path.join(copy, name), readme.replaceAll('](../../', ']('));
  }
}

const nextSteps = (
  tag,
  version,
) => `Tagged ${tag}. On GitHub the tag publishes everything (.github/workflows/release.yml):
  git push origin ${tag}
Elsewhere the image is yours to build:
  docker build -f deploy/image/Dockerfile -t hongbao:${version} --build-arg VERSION=${version} --build-arg REVISION=${git('rev-parse', 'HEAD')} .`;

const git = (...args) => run('git', args).trim();

function run(command, args, cwd) {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    throw new Fault(`${command} ${args[0]} failed.\n${error.stdout ?? ''}${error.stderr ?? error.message}`);
  }
}

const readJson = (file) => JSON.parse(fs.readFileSync(file, 'utf8'));
const digestOf = (file) => createHash('sha256').update(fs.readFileSync(file)).digest('hex');

function say(line) {
  process.stdout.write(`${line}\n`);
}

try {
  main();
} catch (error) {
  if (!(error instanceof Fault) && !error.code?.startsWith('ERR_PARSE_ARGS')) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
