import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Buildah } from './buildah';
import { baseOf, run } from './tools';

/** Node with its npm at the place of the official image, on the smallest Debian. */
const dockerfile = (nodePackage: string): string => `FROM scratch
ADD base.tar /
COPY node_modules/${nodePackage}/bin/node /usr/local/bin/node
COPY node_modules/npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
`;

/** Makes an image under the name of the Dockerfile's base, if that cannot be pulled. */
export async function makeStandIn(buildah: Buildah, directory: string, ofDockerfile: string): Promise<void> {
  const { name, nodeVersion, distribution } = baseOf(ofDockerfile);
  if (await buildah.has(name)) return;
  const context = mkdtempSync(join(directory, 'base-'));
  try {
    const nodePackage = `node-linux-${process.arch}`;
    const packages = [`${nodePackage}@${nodeVersion}`, 'npm@11'];
    await run('npm', ['install', '--no-save', '--ignore-scripts', '--prefix', context, ...packages]);
    await run('mmdebstrap', ['--variant=minbase', '--quiet', distribution, join(context, 'base.tar')]);
    writeFileSync(join(context, 'Dockerfile'), dockerfile(nodePackage));
    await buildah.build({ tag: name, dockerfile: join(context, 'Dockerfile'), context });
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}
