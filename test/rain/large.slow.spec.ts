import './large-export.cases';
import { rain, shareInstallationWithoutWorker } from '../harness/shared-installation';

/** Activities with more packets and claims than any program may hold in memory. */
shareInstallationWithoutWorker();

describe('a very large activity', () => {
  it('is created, loaded and opened with a million packets, without using memory in proportion', async () => {
    const memory = () => rain.metric('hongbao_process_resident_memory_bytes');
    const before = await memory();
    const activityId = await rain.createActivity({ totalAmount: '5000000.00', packetCount: 1_000_000 });
    const grownMiB = ((await memory()) - before) / 2 ** 20;
    await rain.win(activityId, 'u1');
    expect((await rain.proof(activityId)).redis).toMatchObject({ packetsLeft: 999_999, agrees: true });
    // A million packets as JavaScript objects would take several hundred MiB.
    expect(grownMiB).toBeLessThan(100);
  });
});
