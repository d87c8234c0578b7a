import { rain } from '../harness/shared-installation';

export async function letterOf(activityId: string): Promise<string> {
  const { items } = (await rain.as('support').get('/v1/dead-letters?limit=100')).body;
  const letter = (items as { id: string; activityId: string }[]).find((one) => one.activityId === activityId);
  return letter!.id;
}

/** Creates a rain of one packet that a user with a frozen wallet has won. */
export async function wonByRobot(robot: string, totalAmount = '1.00') {
  await rain.operator().post(`/v1/wallets/${robot}/freeze`);
  const activityId = await rain.createActivity({
    sponsorId: `sponsor-of-${robot}`,
    totalAmount,
    packetCount: 1,
    split: { kind: 'equal' },
  });
  await rain.win(activityId, robot);
  await rain.settled(activityId);
  return { activityId, letterId: await letterOf(activityId) };
}
