import { rain } from '../harness/shared-installation';

describe('a very large activity', () => {
  it('is created, loaded and opened with a million packets, without using memory in proportion', async () => {
    const memory = () => rain.metric('hongbao_process_resident_memory_bytes');
    const before = await memory();
    const activityId = await rain.createActivity({ totalAmount: '5000000.00', packetCount: 1_000_000 });
    const grownMiB = ((await memory()) - before) / 2 ** 20;
    expect((await rain.user('u1').post(`/v1/activities/${activityId}/grabs`)).body.code).toBe('0');
    expect((await rain.proof(activityId)).redis).toMatchObject({ packetsLeft: 999_999, agrees: true });
    // A million packets as JavaScript objects would take several hundred MiB.
    expect(grownMiB).toBeLessThan(100);
  });
});
