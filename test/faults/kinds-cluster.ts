import { setTimeout as pause } from 'node:timers/promises';
import { keySlot, RedisKeys } from '../../libs/redis-scripts';
import type { ClusterNode } from '../harness/cluster-node';
import { waitFor } from '../harness/engines';
import type { RedisCluster } from '../harness/redis-cluster';
import type { Kind, Scene } from './kind';
import { killCompany } from './kinds-amnesia';
import { SHARDS } from './service';

const QUEUE = '{bull:settlement}:settlement:meta';

/** A key of the activity. If it is dealt over several parts, of one of them: the other parts continue. */
function keyOf({ activityId, chance, parts }: Scene): string {
  const keys = new RedisKeys(SHARDS, { inCluster: true });
  return keys.at(keys.placeOfPart(activityId, chance.integer(0, parts - 1))).state;
}

async function killNode(scene: Scene, node: ClusterNode): Promise<void> {
  scene.killed();
  await node.kill();
}

/** A replica takes over with the data that has reached it, and the dead master comes back. */
const killMaster = (where: (scene: Scene) => string) => (scene: Scene) =>
  scene.system.cluster.change(async (nodes) => {
    const key = where(scene);
    const master = await nodes.masterOf(key);
    scene.hit(`${master.port}`);
    await killCompany(scene, () => killNode(scene, master));
    await nodes.promoted(key, master);
    await comeBack(scene, master);
  });

/** The replica that takes over has received nothing for a while. */
const promoteStale = (scene: Scene) =>
  scene.system.cluster.change(async (nodes) => {
    const key = keyOf(scene);
    const [master, replica] = await pairOf(nodes, key);
    await missOut(scene, nodes, replica, master);
    await killCompany(scene, () => killNode(scene, master));
    await nodes.promoted(key, master);
    await comeBack(scene, replica, master);
  });

/**
 * A master gives way to its replica, misses the replica's writes, and takes its place back. Neither
 * restarts. Half the time it does not even learn that it has lost the shards.
 */
const giveBack = (scene: Scene) =>
  scene.system.cluster.change(async (nodes) => {
    const key = keyOf(scene);
    const [a, b] = await pairOf(nodes, key);
    const hearsNothing = scene.chance.isTrue(0.5);
    if (hearsNothing) await nodes.keepApart(a);
    await nodes.takeOver(b, key);
    if (!hearsNothing) await follows(nodes, a, b);
    await missOut(scene, nodes, a, b);
    await killCompany(scene, () => nodes.takeOver(a, key));
    await comeBack(scene, a);
  });

async function follows(nodes: RedisCluster, replica: ClusterNode, master: ClusterNode): Promise<void> {
  const isInStep = async () => (await nodes.replicaOf(master)) === replica && nodes.isInStep(master);
  await waitFor(isInStep, { what: 'the former master as a replica in step' });
}

async function pairOf(
  nodes: RedisCluster,
  key: string,
): Promise<[master: ClusterNode, replica: ClusterNode]> {
  const master = await nodes.masterOf(key);
  return [master, await nodes.replicaOf(master)];
}

async function missOut(scene: Scene, nodes: RedisCluster, replica: ClusterNode, master: ClusterNode) {
  await nodes.cutOff(replica, master);
  scene.hit(`${master.port}, ${replica.port}`);
  await pause(scene.chance.integer(50, 500));
}

async function comeBack({ system }: Scene, ...nodes: ClusterNode[]): Promise<void> {
  for (const node of nodes) await system.cluster.comeBack(node);
  await system.startServices();
}

/** Moves a slot key by key during a rain, which operators should not do. */
const moveSlot = (scene: Scene) =>
  scene.system.cluster.change(async (nodes) => {
    const key = keyOf(scene);
    const from = await nodes.masterOf(key);
    const to = scene.chance.pick((await nodes.masters()).filter((node) => node !== from));
    await nodes.moveSlot(keySlot(key), from, to, () => pause(scene.chance.integer(0, 40)));
    scene.hit(`from ${from.port} to ${to.port}`);
  });

/** Longer than a node may be silent before the others count it out. */
const AWAY_MS = [500, 2_000] as const;

const isolateReplica = (scene: Scene) =>
  scene.system.cluster.change(async (nodes) => {
    const [, replica] = await pairOf(nodes, keyOf(scene));
    replica.freeze();
    scene.hit(`${replica.port}`);
    await pause(scene.chance.integer(...AWAY_MS));
    replica.unfreeze();
  });

/** The master dies while its replica is frozen, and so has no successor until the replica continues. */
const isolateHeir = (scene: Scene) =>
  scene.system.cluster.change(async (nodes) => {
    const key = keyOf(scene);
    const [master, replica] = await pairOf(nodes, key);
    replica.freeze();
    scene.hit(`${replica.port}`);
    await pause(scene.chance.integer(50, 500));
    await killCompany(scene, () => killNode(scene, master));
    await pause(scene.chance.integer(...AWAY_MS));
    replica.unfreeze();
    await nodes.promoted(key, master);
    await comeBack(scene, master);
  });

const onCluster = (name: string, kind: Omit<Kind, 'name' | 'onCluster'>): Kind => ({
  ...kind,
  name: `cluster:${name}`,
  onCluster: true,
});

/** Replicas receive writes after clients get their answers, so a node that takes over lacks some. */
export const CLUSTER: readonly Kind[] = [
  onCluster('master-killed', { weight: 3, long: true, amnesia: true, strike: killMaster(keyOf) }),
  onCluster('queue-master-killed', { weight: 3, amnesia: true, strike: killMaster(() => QUEUE) }),
  onCluster('stale-replica', { weight: 3, amnesia: true, strike: promoteStale }),
  onCluster('give-way-and-back', { weight: 3, long: true, amnesia: true, strike: giveBack }),
  onCluster('slot-moved', { weight: 3, strike: moveSlot }),
  onCluster('replica-isolated', { weight: 2, long: true, strike: isolateReplica }),
  onCluster('heir-isolated', { weight: 3, long: true, amnesia: true, strike: isolateHeir }),
];
