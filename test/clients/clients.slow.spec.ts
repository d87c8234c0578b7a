import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { signToken } from '../../src/platform/http/auth/sign-token';
import { javaDirectory } from '../harness/compilers';
import { JWT_SECRET } from '../harness/installation';
import { rain, shareInstallation } from '../harness/shared-installation';
import { wonByRobot } from '../rain/robots';
import { generate, generatorJar } from './generator';
import { type ClientLanguage, CLIENT_LANGUAGES, type Programs } from './languages';

const run = promisify(execFile);
const LATER_MS = 1_800_000;
const UNKNOWN = '999999';

describe('a client that is generated from the document of a running API', () => {
  shareInstallation();

  const localDir = process.env.LOCAL_DIR || '.local';
  let directory: string;
  let java: string;
  let jar: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'hongbao-clients-'));
    [java, jar] = await Promise.all([javaDirectory(localDir), generatorJar(localDir)]);
    writeFileSync(documentFile(), await (await fetch(`${rain.url}/openapi-3.0.json`)).text());
  });

  afterAll(() => rmSync(directory, { recursive: true }));

  const documentFile = () => join(directory, 'openapi-3.0.json');

  const programs = new Map<string, Promise<Programs>>();

  function programsOf(language: ClientLanguage): Promise<Programs> {
    const known = programs.get(language.name) ?? generateIn(language);
    programs.set(language.name, known);
    return known;
  }

  async function generateIn({ name, generatesInto, options, build }: ClientLanguage): Promise<Programs> {
    const place = { localDir, directory: join(directory, name), java, jar };
    const output = join(place.directory, generatesInto);
    await generate(join(java, 'java'), jar, { input: documentFile(), output, options });
    return build(place);
  }

  it.each(CLIENT_LANGUAGES)(
    'in $name compiles, wins, reads its packets, and knows refusals and problems',
    async (language) => {
      const { command, args, env = process.env } = (await programsOf(language)).grab;
      const sponsorId = `sponsor-${language.name}`;
      const open = await rain.createActivity({ sponsorId });
      const later = await rain.createActivity({ sponsorId, opensInMs: LATER_MS });
      const HONGBAO_TOKEN = signToken({ secret: JWT_SECRET }, { sub: language.name, role: 'user' });
      const { stdout } = await run(command, [...args, open, later, UNKNOWN], {
        env: { ...env, HONGBAO_URL: rain.url, HONGBAO_TOKEN },
      });
      const [, packet] = /^won (\d+ \d+\.\d\d)\n/.exec(stdout) ?? [];
      expect(stdout.split('\n')).toEqual([
        `won ${packet}`,
        'refused not-open',
        'problem activity.not_found',
        `mine ${packet}`,
        '',
      ]);
    },
  );

  it.each(CLIENT_LANGUAGES)(
    'in $name deposits, creates, tops up and declares void while a second person approves each',
    async (language) => {
      const { command, args, env = process.env } = (await programsOf(language)).fund;
      const { url } = await rain.startAnother('main.js', { APPROVAL_ABOVE: '10.00' });
      const { letterId } = await wonByRobot(`robot-of-${language.name}`, '12.00');
      const tokenOf = (sub: string) => signToken({ secret: JWT_SECRET }, { sub, role: 'operator' });
      const { stdout } = await run(command, [...args, letterId], {
        env: {
          ...env,
          HONGBAO_URL: url,
          HONGBAO_TOKEN: tokenOf('first'),
          HONGBAO_SECOND_TOKEN: tokenOf('second'),
        },
      });
      expect(stdout.split('\n')).toEqual([
        ...['deposit 50.00 approved', 'create 20.00 approved'],
        ...['top-up 15.00 approved', 'void 12.00 approved', ''],
      ]);
    },
  );
});
