import { WonPacketRepository } from '../../src/core/winners/won-packet.repository';
import { CreditOutlet } from '../../src/core/outlet';
import { CreditChain } from '../../src/core/wallet';
import { SettlementRepository } from '../../src/core/wallet/settlement.repository';
import { books, shareBooks } from '../harness/shared-books';

shareBooks();

it('a program without payouts credits the wallets of an activity with a channel, and `verify` names these credits', async () => {
  const channelId = await books.createChannel();
  const activityId = await books.activity({ packets: 1, payout: { channelId } });
  const claims = await books.claim(activityId, ['lin']);
  const outlet = new CreditOutlet();
  const settlements = new SettlementRepository(books.dataSource, books.config, outlet);
  expect(await settlements.credit(claims)).toMatchObject({ paid: 1, buried: 0 });
  expect(await books.balance('lin')).toBe(100n);
  const wonPackets = new WonPacketRepository(books.dataSource, books.serviceOf(CreditChain), outlet);
  expect(await wonPackets.findClaim(activityId, 'lin')).toMatchObject({ settlement: 'credited' });
  expect((await wonPackets.listOfUser('lin', 'CNY', {}, 10)).paid.rows).toMatchObject([
    { settlement: 'credited' },
  ]);
  expect(await books.broken()).toEqual(['I19']);
});
