import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../../src/dev/engines';
import { redisAppUser } from '../../src/platform/redis';
import { ClusterNode } from '../harness/cluster-node';
import { waitFor } from '../harness/engines';
import { Installation } from '../harness/installation';
import { localhostCertificate } from '../harness/localhost-certificate';

const PASSWORD = 'for-tests';

let directory: string;
let node: ClusterNode;
let tlsPort: number;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'hongbao-tls-'));
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(directory, name));
  writeFileSync(cert!, localhostCertificate.cert);
  writeFileSync(key!, localhostCertificate.key);
  tlsPort = await freePort();
  node = await ClusterNode.start({
    users: [redisAppUser(PASSWORD)],
    settings: {
      'tls-port': String(tlsPort),
      'tls-cert-file': cert!,
      'tls-key-file': key!,
      'tls-ca-cert-file': cert!,
      'tls-auth-clients': 'no',
      'tls-cluster': 'yes',
      'cluster-announce-hostname': 'localhost',
      'cluster-preferred-endpoint-type': 'hostname',
    },
  });
  const admin = new Redis(node.url);
  await admin.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
  await waitFor(async () => (await admin.cluster('INFO')).includes('cluster_state:ok'), {
    what: 'a cluster of one node',
  });
  admin.disconnect();
});

afterAll(async () => {
  await node.stop();
  rmSync(directory, { recursive: true, force: true });
});

it('a cluster is called over TLS, with its nodes addressed by the names in their certificates', async () => {
  const settings = {
    REDIS_URL: '',
    REDIS_CLUSTER_NODES: `localhost:${tlsPort}`,
    REDIS_USERNAME: 'hongbao',
    REDIS_PASSWORD: PASSWORD,
    REDIS_TLS: 'true',
  };
  await expect(Installation.start(settings)).rejects.toThrow('main.js ended with code 1');

  const trusting = { ...settings, NODE_EXTRA_CA_CERTS: join(directory, 'cert.pem') };
  const rain = await Installation.startWithWorker(trusting);
  const activityId = await rain.createActivity({ packetCount: 1 });
  expect((await rain.user('ann').post(`/v1/activities/${activityId}/grabs`)).body.code).toBe('0');
  await rain.settled(activityId);
  await rain.verify();
  await rain.stop();
});
