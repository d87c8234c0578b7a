import type { Page } from 'playwright-core';
import { press, says, type Stage } from './stage';

export function wallCases(stage: Stage): void {
  it('shows every open rain with its money, its taps and how fast they are answered', async () => {
    const id = await stage.rain.createActivity({ name: 'On the wall', packetCount: 2, totalAmount: '6.00' });
    const { page, complaints } = await stage.staff(`/wall?first=${id}`, 'operator');
    const panel = page.getByRole('article', { name: 'On the wall' });
    await panel.getByText('0 of 2 packets won').waitFor();
    await stage.rain.user('wally').post(`/v1/activities/${id}/grabs`);
    await panel.getByText('1 of 2 packets won, 1 paid').waitFor();
    await panel.getByText('The parts add up to what was funded: 6.00 CNY.').waitFor();
    await says(page, 'All wins are paid');
    expect(complaints).toEqual([]);
  });

  it('shows in red that an engine is down, keeps the last proof, and says what repaired it', async () => {
    const id = await stage.rain.createActivity({ name: 'Survivor', packetCount: 2, totalAmount: '6.00' });
    const { page } = await stage.staff(`/wall?first=${id}`, 'support');
    const panel = page.getByRole('article', { name: 'Survivor' });
    await panel.getByText('The parts add up').waitFor();
    process.kill(stage.rain.redisEngine.pid, 'SIGSTOP');
    await page.locator('.sign.bad', { hasText: 'redis' }).first().waitFor();
    await panel.getByText('The parts add up').waitFor();
    process.kill(stage.rain.redisEngine.pid, 'SIGCONT');
    await page.locator('.sign', { hasText: /: ok, answered in/ }).waitFor();
    await stage.rain.redis.flushall();
    await says(page, /Rains that Redis did not have, and that were loaded from Postgres: \d/);
    expect((await stage.rain.proof(id)).verdict).toBe('balanced');
  });

  it('keeps the largest rain on it beside thirteen small ones of users, says how many it leaves out, and what opens next', async () => {
    const { rain } = stage;
    const small = (i: number) =>
      rain.createActivity({ name: `Small ${i}`, packetCount: 1, totalAmount: '0.10' });
    const large = await rain.createActivity({ name: 'Large', packetCount: 4, totalAmount: '999.99' });
    for (let i = 1; i <= 13; i++) await small(i);
    await rain.createActivity({ name: 'Soon', packetCount: 1, totalAmount: '1.00', opensInMs: 3_000_000 });
    const { page } = await stage.staff('/wall', 'support');
    const panels = page.locator('.rain-panel');
    await panels.filter({ hasText: 'Large' }).waitFor();
    expect(await panels.count()).toBe(12);
    const running = (await rain.as('support').get('/v1/overview/activities')).body.runningCount;
    await says(page, `and ${running - 12} more`);
    await says(page, /in 0:(50:00|49:\d\d)/);

    const chosen = panels.nth(7);
    const name = await chosen.getByRole('link').innerText();
    await chosen.getByRole('button', { name: 'Put first' }).click();
    await panels.first().getByRole('link', { name }).waitFor();
    await panels.filter({ hasText: 'Large' }).getByRole('button', { name: 'Put first' }).click();
    await panels.first().getByRole('link', { name: 'Large' }).waitFor();
    await page.reload();
    await panels.first().getByRole('link', { name: 'Large' }).waitFor();
    expect(await panels.nth(1).getByRole('link').innerText()).toBe(name);
    expect(page.url()).toContain(`first=${large}`);
    await rain.sql(`update activity set closes_at = now() where name ~ '^(Small|Large)'`);
  });

  it('fills a screen without the navigation, and brings it back', async () => {
    const { page } = await stage.staff('/wall', 'support');
    await press(page, 'Full screen');
    await page.locator('header.top').waitFor({ state: 'hidden' });
    await page.setViewportSize({ width: 1920, height: 1080 });
    await press(page, 'Leave full screen');
    await page.locator('header.top').waitFor();
  });

  const stopped = (pid: number) => {
    process.kill(pid, 'SIGSTOP');
    return () => void process.kill(pid, 'SIGCONT');
  };

  it.each<[string, RegExp, string, (page: Page) => Promise<() => unknown>]>([
    [
      'an API that hangs',
      /The API has not answered for \d/,
      'stale',
      async () => stopped(stage.rain.api.pid),
    ],
    [
      'a network that is cut',
      /This device is offline/,
      'stale',
      async (page) => {
        await page.context().setOffline(true);
        return () => page.context().setOffline(false);
      },
    ],
    [
      'a worker that hangs',
      /No worker has been seen for \d/,
      'fresh',
      async () => {
        await stage.rain.pauseWorker();
        return () => stage.rain.resumeWorker();
      },
    ],
    [
      'a Redis that hangs',
      /Whether a worker runs is unknown/,
      'fresh',
      async () => stopped(stage.rain.redisEngine.pid),
    ],
  ])('shows %s in red, and greys what is not of this moment', async (_, sentence, age, harm) => {
    const id = await stage.rain.createActivity({ name: `Beside ${_}`, packetCount: 2, totalAmount: '6.00' });
    const { page } = await stage.staff(`/wall?first=${id}`, 'support');
    const panel = page.getByRole('article', { name: `Beside ${_}` });
    await panel.locator('.polled.fresh').waitFor();
    await says(page, 'A worker runs');
    const mend = await harm(page);
    try {
      await page.locator('.sign.bad', { hasText: sentence }).waitFor();
      await page.locator(`.signs.polled.${age}`).waitFor();
      if (age === 'stale') {
        await panel.locator('.polled.stale').waitFor();
        await says(page, /No answer for \d+ s\. This is as of/);
      }
    } finally {
      await mend();
    }
    await says(page, 'A worker runs');
    await panel.locator('.polled.fresh').waitFor();
    await page.locator('.sign', { hasText: /: ok, answered in/ }).waitFor();
  });
}
