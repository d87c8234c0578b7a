import { redPacketId } from '../../libs/red-packet-id';
import { compare, type Kept, type Told } from './told';

const told = (userId: string, packetNo: number, amount = '0.07'): Told => ({
  activityId: '7',
  userId,
  redPacketId: redPacketId('7', packetNo),
  amount,
  atMs: 0,
});
const kept = (userId: string, packetNo: number, amountMinor = '7'): Kept => ({
  activityId: '7',
  userId,
  packetNo,
  amountMinor,
});

describe('the comparison of a restored Postgres with the answers of winners', () => {
  it('finds nothing about an answer whose winner has the packet and the amount', () => {
    expect(compare([told('ann', 1)], [kept('ann', 1), kept('bob', 2)])).toEqual({ lost: [], changed: [] });
  });

  it('finds an answer whose winner has no claim', () => {
    expect(compare([told('ann', 1)], [kept('bob', 1)])).toMatchObject({ lost: [told('ann', 1)] });
  });

  it.each([
    ['another packet', kept('ann', 2)],
    ['another amount', kept('ann', 1, '700')],
  ])('finds an answer whose winner has %s', (_, claim) => {
    expect(compare([told('ann', 1)], [claim])).toMatchObject({ lost: [], changed: [told('ann', 1)] });
  });
});
