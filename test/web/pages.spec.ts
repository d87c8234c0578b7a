import { describeInBrowser } from './chromium';
import { servingCases } from './serving.cases';
import { grab, says, Stage } from './stage';

/** One visit to each page. Everything that people can do there is tested in pages.slow.spec.ts. */
describe('the pages', () => {
  const stage = new Stage();

  beforeAll(() => stage.set());
  afterEach(() => stage.clear());
  afterAll(() => stage.strike());

  describe('as they are served', () => servingCases(stage));

  describeInBrowser('in a browser', () => {
    it('let a player win a packet, and staff see it in the console and on the wall', async () => {
      const id = await stage.rain.createActivity({ name: 'A look', packetCount: 2, totalAmount: '6.00' });
      const [player, wall, desk] = await Promise.all([
        stage.player(id, 'ann'),
        stage.staff('/wall', 'operator'),
        stage.staff('/activities', 'operator'),
      ]);
      await grab(player.page);
      await says(player.page, 'In your wallet');
      await wall.page
        .getByRole('article', { name: 'A look' })
        .getByText('1 of 2 packets won, 1 paid')
        .waitFor();
      await desk.page.getByRole('link', { name: 'A look' }).click();
      await says(desk.page, 'The parts add up to what was funded: 6.00 CNY.');
      expect([player, wall, desk].flatMap(({ complaints }) => complaints)).toEqual([]);
    });
  });
});
