import type { Page } from 'playwright-core';
import { waitFor } from '../harness/engines';
import { seriousFaults } from './accessibility';
import { HAND, press, says, type Stage } from './stage';

/** User agents of the web views of messengers. */
const MESSENGERS = {
  WeChat:
    'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/AP1A; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 ' +
    'Chrome/126.0.6478.188 Mobile Safari/537.36 XWEB/1260117 MMWEBSDK/20240501 MicroMessenger/8.0.50.2701(0x2800325A) ' +
    'WeChat/arm64 Weixin NetType/WIFI Language/zh_CN ABI/arm64',
  LINE: 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Safari Line/14.9.0',
  Telegram:
    'Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.6478.134 Mobile ' +
    'Safari/537.36 Telegram-Android/10.14.5 (Samsung SM-S918B; Android 14; SDK 34; HIGH)',
};

/** Removes what a web view may lack: a share sheet, a clipboard, storage and cookies. */
const BARE = `
  for (const name of ['share', 'canShare', 'clipboard', 'serviceWorker'])
    Object.defineProperty(Navigator.prototype, name, { value: undefined });
  for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(globalThis, name, { get() { throw new DOMException('No.', 'SecurityError'); } });
  Object.defineProperty(Document.prototype, 'cookie', { get() { throw new DOMException('No.', 'SecurityError'); } });
`;

const WATCH_POLICY = `
  globalThis.violations = [];
  document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
    violations.push(violatedDirective + ' ' + blockedURI));
`;

/** What a foreign script or foreign markup would try. */
const ATTEMPTS = [
  `document.body.insertAdjacentHTML('beforeend', '<img src="x:" onerror="globalThis.broken = 1" alt="">')`,
  `{ const script = document.createElement('script');
     script.append('globalThis.broken = 2');
     document.body.append(script); }`,
  `{ const link = document.createElement('button');
     link.setAttribute('onclick', 'globalThis.broken = 3');
     document.body.append(link);
     link.click(); }`,
  `document.body.append(Object.assign(document.createElement('script'), { src: 'https://evil.example/x.js' }))`,
  `{ const style = document.createElement('style');
     style.append('body { background: url(https://evil.example/x.png) }');
     document.body.append(style); }`,
  `document.body.append(Object.assign(new Image(), { src: 'https://evil.example/x.png' }))`,
  `fetch('https://evil.example/').catch(() => undefined)`,
];

/** What someone might manage to inject into the HTML. */
const INJECTED = `<script>globalThis.broken = 4</script>
  <script src="https://evil.example/x.js"></script>
  <img src="data:image/png;base64,AAAA" onerror="globalThis.broken = 5" alt="">`;

const violationsOf = (page: Page) => page.evaluate<string[]>('violations');

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`Tab does not lead to ${selector}.`);
}

const focused = (page: Page, selector: string): Promise<void> => page.locator(`${selector}:focus`).waitFor();

async function type(page: Page, selector: string, text: string): Promise<void> {
  await tabTo(page, selector);
  await page.keyboard.type(text);
}

export function peopleAccessCases(stage: Stage): void {
  it('sends, opens and thanks with the keyboard alone; the focus is always at the next step', async () => {
    await stage.give('kai-sends', '20.00');
    const { page: sender } = await stage.visit('/send', 'kai-sends');
    await says(sender, 'Balance: ¥20.00');
    await type(sender, '#count', '2');
    await type(sender, '#amount', '99');
    await type(sender, '#greeting', 'By keys');
    await sender.keyboard.press('Enter');
    await focused(sender, '#amount');
    await says(sender, 'Not enough in your wallet (¥20.00).');
    expect(await sender.getAttribute('#amount', 'aria-describedby')).toBe('amount-about');
    await sender.keyboard.press('ControlOrMeta+A');
    await sender.keyboard.type('8');
    await tabTo(sender, '[name=whom]');
    await tabTo(sender, 'button.deed');
    await sender.keyboard.press('Enter');
    await focused(sender, 'h2');
    expect(await sender.locator('h2').innerText()).toBe('Your red packets are ready');
    await tabTo(sender, 'input.link');
    const link = await sender.evaluate<string>('document.activeElement.value');

    const { page: friend } = await stage.visitor({ viewport: HAND, reducedMotion: 'reduce' });
    await friend.goto(`${link}&token=${stage.rain.tokenOf('kim')}`);
    await says(friend, 'Red packets are falling.');
    await tabTo(friend, 'button.deed');
    await friend.keyboard.press('Enter');
    await says(friend, 'You got a red packet!');
    await focused(friend, 'footer .quiet');
    await tabTo(friend, 'a[href="../me"]');
    await friend.keyboard.press('Enter');
    await friend.getByRole('heading', { name: 'My red packets' }).waitFor();
    await friend.locator('.row').waitFor();
    await tabTo(friend, '.row');
    await friend.keyboard.press('Enter');
    await friend.locator('.row[aria-expanded=true]').waitFor();
    const said = friend.locator('.said[role=status]');
    expect(await said.innerText()).toBe('');
    await tabTo(friend, '.ways button');
    await friend.keyboard.press('Enter');
    await said.filter({ hasText: 'You said: Thank you!' }).waitFor();
    await focused(friend, '.row');
  });

  it('names every part of both pages for a screen reader', async () => {
    await stage.give('lea-sends', '20.00');
    const { page } = await stage.visit('/send', 'lea-sends');
    await says(page, 'Balance: ¥20.00');
    const form = await page.getByRole('form', { name: 'Send red packets' }).ariaSnapshot();
    for (const part of [
      'group "Type"',
      'radio "Random amounts" [checked]',
      'textbox "Packets"',
      'textbox "Total amount"',
      'textbox "Greeting"',
      'textbox "Your name on the packet"',
      'group "For whom"',
      'radio "Anyone with the link" [checked]',
      'button "Pay and send"',
    ])
      expect(form).toContain(part);
    await page.locator('#count').fill('1');
    await page.locator('#amount').fill('3');
    const said: string[] = [];
    await page.exposeFunction('hear', (text: string) => said.push(text));
    await page.evaluate(`{
      const region = document.querySelector('form [role=status]');
      const changes = { childList: true, subtree: true, characterData: true };
      new MutationObserver(() => hear(region.textContent)).observe(region, changes);
    }`);
    await press(page, 'Pay and send');
    await page.getByRole('heading', { name: 'Your red packets are ready' }).waitFor();
    expect(said).toContain('Sending…');
    const ready = await page.getByRole('main').ariaSnapshot();
    for (const part of [
      'img "QR code of the link"',
      'textbox "Link"',
      'button "Share"',
      'link "Who got what"',
    ])
      expect(ready).toContain(part);
    await page.getByRole('link', { name: 'Who got what' }).click();
    await page.getByRole('button', { name: /Best wishes!/ }).click();
    await says(page, 'No one has opened one yet.');
    const mine = await page.getByRole('main').ariaSnapshot();
    for (const part of [
      'heading "My red packets" [level=1]',
      'region "Wallet"',
      'button "Withdraw"',
      'button "Received"',
      'button "Sent" [pressed]',
      'region "Sent"',
      '[expanded]',
      'heading "Who got what" [level=3]',
    ])
      expect(mine).toContain(part);
    expect(await seriousFaults(page)).toEqual([]);
  });

  it.each(['/send', '/me'])(
    '%s never violates its own policy, and the policy blocks whatever others inject into the page',
    async (path) => {
      await stage.give('mia', '4.00');
      const visitor = await stage.visitor({ viewport: HAND });
      const { page } = visitor;
      await page.addInitScript(WATCH_POLICY);
      const directives = async () => (await violationsOf(page)).map((one) => one.split(' ')[0]!);
      const answer = await page.goto(`${stage.rain.url}${path}#token=${stage.rain.tokenOf('mia')}`);
      const policy = answer!.headers()['content-security-policy']!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe');
      expect(await answer!.text()).not.toMatch(/<script>|<style|\son\w+=|\sstyle=/);
      await page
        .getByText(/Balance: |Wallet/)
        .first()
        .waitFor();
      if (path === '/send') {
        await page.locator('#count').fill('1');
        await page.locator('#amount').fill('1');
        await press(page, 'Pay and send');
        await page.locator('.qr').waitFor();
      } else {
        await press(page, 'Withdraw');
        await page.getByRole('dialog').waitFor();
      }
      expect(await violationsOf(page)).toEqual([]);
      expect([...visitor.hosts]).toEqual([new URL(stage.rain.url).host]);

      visitor.expectsStrangers = true;
      const left: string[] = [];
      page.on('requestfinished', (request) => left.push(new URL(request.url()).host));
      for (const attempt of ATTEMPTS) await page.evaluate(attempt).catch(() => undefined);
      await page.route(`**${path}`, async (route) => {
        const response = await route.fetch();
        await route.fulfill({
          response,
          body: (await response.text()).replace('</body>', `${INJECTED}</body>`),
        });
      });
      const before = await directives();
      expect(before).toEqual(
        ['require-trusted-types-for', 'style-src-elem', 'img-src', 'connect-src'].flatMap((one, i) =>
          Array<string>(i === 0 ? 4 : 1).fill(one),
        ),
      );
      await page.reload();
      await waitFor(async () => (await directives()).length >= 3, { what: 'the violations of the markup' });
      expect((await directives()).sort()).toEqual(['script-src-attr', 'script-src-elem', 'script-src-elem']);
      expect(await page.evaluate('globalThis.broken')).toBeUndefined();
      expect(left).not.toContain('evil.example');
    },
  );

  it.each(Object.entries(MESSENGERS))(
    'the web view of %s needs no share sheet, clipboard or storage: a link and two taps open a packet',
    async (name, userAgent) => {
      const sender = `from-${name.toLowerCase()}`;
      await stage.give(sender, '4.00');
      const visitor = await stage.visitor({ viewport: HAND, userAgent, reducedMotion: 'reduce' });
      const { page, complaints } = visitor;
      await page.addInitScript(BARE);
      await page.goto(`${stage.rain.url}/send#token=${stage.rain.tokenOf(sender)}`);
      await page.locator('#count').fill('2');
      await page.locator('#amount').fill('4');
      await press(page, 'Pay and send');
      await press(page, 'Share');
      await says(page, /^Copy this link/);
      const link = await page.getByRole('textbox', { name: /^Copy this link/ }).inputValue();

      const { page: friend, complaints: theirs } = await stage.visitor({
        viewport: HAND,
        userAgent,
        reducedMotion: 'reduce',
      });
      await friend.addInitScript(BARE);
      await friend.goto(`${link}&token=${stage.rain.tokenOf(`to-${name.toLowerCase()}`)}`);
      await press(friend, 'Grab a red packet');
      await says(friend, 'In your wallet');
      expect([...complaints, ...theirs]).toEqual([]);
    },
  );
}
