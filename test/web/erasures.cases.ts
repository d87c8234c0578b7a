import { seriousFaults } from './accessibility';
import { confirm, fill, press, says, type Stage } from './stage';

export function erasuresCases(stage: Stage): void {
  it('say what has to end first, with a link to the page where it can be ended', async () => {
    await stage.give('kept-ken', '1.00');
    const { page } = await stage.staff('/erasures', 'support');
    await fill(page, 'Whose id should be erased?', 'kept-ken');
    await press(page, 'Check');
    await says(page, 'Not yet. These have to end first:');
    await says(page, 'Not yet. Records must be kept until');
    expect(await page.getByRole('button', { name: /^Request to erase/ }).count()).toBe(0);
    await page.getByRole('link', { name: 'Balance in CNY' }).click();
    await says(page, 'Wallet of kept-ken');
  });

  it('are requested by typing the id again, approved by someone else, and can be withdrawn before they begin', async () => {
    const { page, complaints } = await stage.staff('/erasures?user=wrong-id', 'operator', { sub: 'ann' });
    await says(page, 'Yes. Nothing is under way');
    expect(await seriousFaults(page)).toEqual([]);
    expect(await confirm(page, 'Request to erase wrong-id')).toContain('erases wrong-id');
    await says(page, 'Nothing is erased yet. A second person has to approve request');
    const { body } = await stage.rain.as('operator', 'bob').get('/v1/approvals?status=pending&limit=1');
    const [asked] = body.items as [{ id: string; action: string }];
    expect(asked.action).toBe('user.erase');
    const { status } = await stage.rain.as('operator', 'bob').post(`/v1/approvals/${asked.id}/approve`);
    expect(status).toBe(200);
    await page.getByRole('button', { name: /^Refresh/ }).click();
    const row = page.getByRole('row', { name: 'wrong-id' });
    await row.getByText('Approved, not begun').waitFor();
    const place = (await page.getByRole('columnheader').allInnerTexts()).findIndex((text) =>
      text.includes('Approved by'),
    );
    expect(await row.getByRole('cell').nth(place).innerText()).toBe('bob');
    expect(await confirm(row, 'Withdraw')).toBe('wrong-id is not erased. It can be requested again.');
    const withdrawn = page.getByRole('row', { name: 'Withdrawn' });
    await withdrawn.waitFor();
    expect(await withdrawn.getByRole('button').count()).toBe(0);
    await says(page, 'Yes. Nothing is under way');
    expect(await row.count()).toBe(0);
    expect(complaints).toEqual([]);
  });
}
