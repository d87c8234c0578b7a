import { Cluster, Redis } from 'ioredis';
import { keySlot, SLOT_COUNT } from '../../libs/redis-scripts';
import { redisAppUser } from '../../src/platform/redis/app-user';
import { ClusterNode } from './cluster-node';
import { waitFor } from './engines';

const PASSWORD = 'for-tests';
const MIGRATED_WITHIN_MS = 30_000;

/** The settings that docs/scaling.md requires. */
const SETTINGS = {
  'cluster-require-full-coverage': 'no',
  'cluster-allow-replica-migration': 'no',
  'cluster-replica-validity-factor': '0',
  'repl-diskless-sync-delay': '0',
};

/** A Redis Cluster of real processes: masters with equal shares of the slots, each with a replica. */
export class RedisCluster {
  private readonly admins = new Map<ClusterNode, Redis>();

  private constructor(private readonly nodes: readonly ClusterNode[]) {}

  /** @param silentMs time after which a silent node is replaced */
  static async start({ masters = 3, silentMs = 1_000 } = {}): Promise<RedisCluster> {
    const settings = { ...SETTINGS, 'cluster-node-timeout': String(silentMs) };
    const options = { users: [redisAppUser(PASSWORD)], settings };
    const nodes = await Promise.all(Array.from({ length: 2 * masters }, () => ClusterNode.start(options)));
    const cluster = new RedisCluster(nodes);
    try {
      await cluster.form(nodes.slice(0, masters), nodes.slice(masters));
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  private async form(masters: readonly ClusterNode[], replicas: readonly ClusterNode[]): Promise<void> {
    for (const [i, node] of this.nodes.entries())
      await this.admin(node).cluster('SET-CONFIG-EPOCH', String(i + 1));
    for (const [i, master] of masters.entries()) {
      const [first, next] = [i, i + 1].map((part) => Math.round((SLOT_COUNT * part) / masters.length));
      await this.admin(master).call('CLUSTER', 'ADDSLOTSRANGE', first!, next! - 1);
    }
    const [first, ...others] = this.nodes;
    for (const { port, busPort } of others)
      await this.admin(first!).call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
    await this.agreed(`cluster_known_nodes:${this.nodes.length}`);
    for (const [i, replica] of replicas.entries()) await this.attach(replica, masters[i]!);
    await this.agreed('cluster_state:ok');
  }

  async attach(replica: ClusterNode, master: ClusterNode): Promise<void> {
    const id = await this.idOf(master);
    const attached = async () => {
      await this.admin(replica).call('CLUSTER', 'REPLICATE', id);
      return (await this.admin(replica).info('replication')).includes('master_link_status:up');
    };
    await waitFor(attached, { what: 'a replica in step' });
  }

  private async agreed(fact: string): Promise<void> {
    const says = async (node: ClusterNode) => (await this.admin(node).cluster('INFO')).includes(fact);
    const all = async () => (await Promise.all(this.nodes.map(says))).every(Boolean);
    await waitFor(all, { what: `${fact} everywhere` });
  }

  get env(): NodeJS.ProcessEnv {
    const addresses = this.nodes.map(({ port }) => `127.0.0.1:${port}`);
    return {
      REDIS_URL: '',
      REDIS_CLUSTER_NODES: addresses.join(','),
      REDIS_USERNAME: 'hongbao',
      REDIS_PASSWORD: PASSWORD,
    };
  }

  client(): Cluster {
    return new Cluster(this.nodes.map(({ port }) => ({ host: '127.0.0.1', port })));
  }

  admin(node: ClusterNode): Redis {
    let admin = this.admins.get(node);
    if (!admin) this.admins.set(node, (admin = new Redis(node.url).on('error', () => undefined)));
    return admin;
  }

  callAll(command: string, ...args: string[]): Promise<unknown[]> {
    return Promise.all(this.nodes.map((node) => this.admin(node).call(command, ...args)));
  }

  async masters(): Promise<ClusterNode[]> {
    const ranges = await this.admin(this.witness).cluster('SLOTS');
    const ports = new Set(ranges.map(([, , master]) => master![1]));
    return this.nodes.filter(({ port }) => ports.has(port));
  }

  private get witness(): ClusterNode {
    return this.nodes.find(({ answers }) => answers)!;
  }

  /** The node that currently holds the slot of a key, according to the running nodes. */
  async masterOf(key: string): Promise<ClusterNode> {
    const slot = keySlot(key);
    const ranges = await this.admin(this.witness).cluster('SLOTS');
    const [, , master] = ranges.find(([first, last]) => first <= slot && slot <= last)!;
    return this.nodes.find(({ port }) => port === master![1])!;
  }

  async replicaOf(master: ClusterNode): Promise<ClusterNode> {
    const info = await this.admin(master).info('replication');
    const port = Number(/slave0:ip=[^,]+,port=(\d+)/.exec(info)![1]);
    return this.nodes.find((node) => node.port === port)!;
  }

  /** Ensures that this node, if it becomes a replica, cannot reach its master. */
  async keepApart(node: ClusterNode): Promise<void> {
    await this.admin(node).config('SET', 'masterauth', 'a password that nobody has');
  }

  /** Makes a replica miss all later writes of its master. */
  async cutOff(replica: ClusterNode, master: ClusterNode): Promise<void> {
    await this.keepApart(replica);
    const isCut = async () => {
      await this.admin(master).call('CLIENT', 'KILL', 'TYPE', 'replica');
      return (await this.admin(replica).info('replication')).includes('master_link_status:down');
    };
    await waitFor(isCut, { what: 'a replica that is cut off' });
  }

  /** Ends {@link cutOff} and {@link keepApart}: the node may follow a master again. */
  async reconnect(replica: ClusterNode): Promise<void> {
    await this.admin(replica).config('SET', 'masterauth', '');
  }

  /** Makes a replica the master without the consent of the others. */
  async takeOver(replica: ClusterNode, key: string): Promise<void> {
    await this.admin(replica).cluster('FAILOVER', 'TAKEOVER');
    await waitFor(async () => (await this.masterOf(key)) === replica, { what: 'a new master' });
  }

  /** Waits until another node holds a key, and returns that node. */
  async promoted(key: string, before: ClusterNode): Promise<ClusterNode> {
    const isOther = async () => {
      const now = await this.masterOf(key);
      return now === before ? undefined : now;
    };
    return (await waitFor(isOther, { what: 'another master' }))!;
  }

  /** Moves a slot as `redis-cli --cluster reshard` does, with a callback before each step. */
  async moveSlot(
    slot: number,
    from: ClusterNode,
    to: ClusterNode,
    between: () => Promise<unknown>,
  ): Promise<void> {
    const [source, target] = [this.admin(from), this.admin(to)];
    const [sourceId, targetId] = [await this.idOf(from), await this.idOf(to)];
    await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', sourceId);
    await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetId);
    for (;;) {
      await between();
      const [key] = await source.cluster('GETKEYSINSLOT', slot, 1);
      if (key === undefined) break;
      await source.call('MIGRATE', '127.0.0.1', to.port, key, 0, MIGRATED_WITHIN_MS);
    }
    await between();
    for (const node of [to, from]) await this.admin(node).call('CLUSTER', 'SETSLOT', slot, 'NODE', targetId);
    await between();
  }

  private async idOf(node: ClusterNode): Promise<string> {
    return (await this.admin(node).call('CLUSTER', 'MYID')) as string;
  }

  async isInStep(master: ClusterNode): Promise<boolean> {
    const info = await this.admin(master).info('replication');
    const offset = /^master_repl_offset:(\d+)/m.exec(info)![1];
    return info.includes(`state=online,offset=${offset},`);
  }

  /** Waits until every slot has a master, and every master has a replica in step. */
  async isWhole(): Promise<void> {
    const isUp = async (node: ClusterNode) => {
      const info = await this.admin(node).info('replication');
      return info.includes('master_link_status:up') || info.includes('state=online');
    };
    const all = async () => (await Promise.all(this.nodes.map(isUp))).every(Boolean);
    await waitFor(all, { what: 'a cluster that is whole' });
    await this.agreed('cluster_slots_fail:0');
  }

  /** Kills all servers at once, and restarts them on their saved data. */
  async restartAll(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    await Promise.all(this.nodes.map((node) => node.restart()));
    await this.isWhole();
  }

  async stop(): Promise<void> {
    for (const admin of this.admins.values()) admin.disconnect();
    await Promise.all(this.nodes.map((node) => node.stop()));
  }
}
