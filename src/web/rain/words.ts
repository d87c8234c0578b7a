import type { Hurdle, ProblemCode } from '../../../libs/client';
import type { Win } from './player';

interface Words {
  readonly title: string;
  readonly rehearsal: string;
  readonly wallet: string;
  /** A payout from it needs the player. */
  readonly waitsForYou: string;
  readonly otherLanguage: string;
  readonly senses: string;
  readonly loading: string;
  readonly signedOut: string;
  readonly playAsGuest: string;
  readonly unknown: string;
  readonly unknownHint: string;
  readonly passwordNeeded: string;
  readonly opensIn: string;
  readonly getReady: string;
  readonly moreIn: string;
  readonly tapsAgain: string;
  readonly open: string;
  /** In place of those above and below, for packets that only some may know of, from a friend or a company. */
  readonly unlisted: { readonly open: (packets: number) => string; readonly closed: string };
  readonly grab: string;
  readonly asking: string;
  readonly hurdle: Readonly<Record<Hurdle, string>>;
  readonly won: string;
  readonly wonBefore: string;
  readonly settlement: Readonly<Record<Win['settlement'], string>>;
  /** It is no longer, or not yet, part of the balance beside it. */
  readonly wasCredited: string;
  readonly sendOwn: string;
  readonly mine: string;
  readonly soldOut: string;
  readonly wait: string;
  readonly waitHint: string;
  readonly joining: string;
  readonly place: (position: number) => string;
  readonly placeHint: string;
  readonly full: string;
  readonly closed: string;
  readonly closedHint: string;
  readonly cancelled: string;
  readonly limit: string;
  /** For each problem that has no sentence of its own. */
  readonly refused: string;
  readonly refusals: Readonly<Partial<Record<ProblemCode, string>>>;
  readonly code: (code: ProblemCode) => string;
  readonly again: string;
  readonly missing: string;
  readonly reload: string;
  readonly askApp: string;
  readonly frontPage: string;
  readonly openWallet: string;
  readonly quiet: string;
  readonly offline: string;
  readonly lasts: (from: string, to: string) => string;
  readonly wonSoFar: (money: string) => string;
}

const en: Words = {
  title: 'Red packet rain',
  rehearsal: 'Rehearsal: these red packets hold play money, which is worth nothing.',
  wallet: 'Wallet',
  waitsForYou: 'Waiting for you',
  otherLanguage: '中文',
  senses: 'Sound',
  loading: 'One moment…',
  signedOut: 'Open this page in your app to keep what you win.',
  playAsGuest: 'Play as a guest',
  unknown: 'There are no red packets here.',
  unknownHint: 'The link may be old, incomplete, or meant for someone else.',
  passwordNeeded: 'These red packets open with a password.',
  opensIn: 'It rains in',
  getReady: 'Stay here. It starts automatically.',
  moreIn: 'More red packets fall in',
  tapsAgain: "Stay here. We'll tap again for you.",
  open: "It's raining red packets. Tap one!",
  unlisted: {
    open: (packets) =>
      packets === 1 ? 'A red packet is waiting. Tap to open it!' : 'Red packets are falling. Tap one!',
    closed: 'These red packets can no longer be opened.',
  },
  grab: 'Grab a red packet',
  asking: 'Grabbing one for you…',
  hurdle: {
    busy: 'So many people are tapping! Still trying for you…',
    away: 'A short delay. Still trying for you…',
    unreachable: "No connection. We'll carry on when it's back.",
    reserved: 'One is set aside for you. Waiting for confirmation…',
  },
  won: 'You got a red packet!',
  wonBefore: 'You already got this one.',
  settlement: {
    pending: 'On its way to your wallet…',
    credited: 'In your wallet',
    sent: 'On its way to you',
    paid: 'Paid out to you',
    held: "It's yours. We're reviewing it before paying it out.",
    'dead-letter': "It's yours. Payment is delayed, and we're on it.",
    void: "It was voided and won't be paid.",
  },
  wasCredited: 'Added to your wallet',
  sendOwn: 'Send one too',
  mine: 'Who got what',
  soldOut: 'All red packets are gone.',
  wait: 'Join the waiting list',
  waitHint: 'If more are added, the waiting list gets them first.',
  joining: 'Joining the waiting list…',
  place: (position) => `You're number ${position} on the waiting list.`,
  placeHint: "Stay here. If one comes free, it's yours automatically.",
  full: 'The waiting list is full. Stay here in case more are added.',
  closed: 'The rain is over.',
  closedHint: 'Better luck next time!',
  cancelled: 'These red packets were cancelled.',
  limit: "You've reached this sponsor's limit. Leave this one for someone else!",
  refused: "That didn't work. Please try again.",
  refusals: {
    'activity.archived': 'This rain ended long ago.',
    'auth.forbidden': "This account can't take part. Open the rain from your app again.",
    'grab.ticket_invalid': "Your ticket isn't valid for this rain. Open it from your app again.",
    'grab.ticket_required': 'This rain needs a ticket. Open it from your app again.',
    internal: 'Something went wrong on our side. Please try again.',
  },
  code: (code) => `Code: ${code}`,
  again: 'Try again',
  missing: "Part of this page didn't load.",
  reload: 'Reload',
  askApp: 'Sign in again',
  frontPage: 'Go to the home page',
  openWallet: 'Open wallet',
  quiet: 'Reconnecting…',
  offline: "You're offline. We'll carry on when you're back.",
  lasts: (from, to) => `This rain runs from ${from} to ${to}.`,
  wonSoFar: (money) => `You got ${money}. It's yours.`,
};

const zh: Words = {
  title: '红包雨',
  rehearsal: '彩排：这些红包里是演练币，没有实际价值。',
  wallet: '钱包',
  waitsForYou: '等待您操作',
  otherLanguage: 'English',
  senses: '声音',
  loading: '请稍候…',
  signedOut: '请在 App 中打开本页面，红包才能存入您的钱包',
  playAsGuest: '以游客身份参加',
  unknown: '这里没有红包',
  unknownHint: '链接可能已失效或不完整，或者红包是发给别人的',
  passwordNeeded: '这是口令红包，输入口令即可领取',
  opensIn: '距离开始还有',
  getReady: '请留在本页面，到点自动开始',
  moreIn: '距离下一波红包还有',
  tapsAgain: '请留在本页面，会自动为您再抢一次',
  open: '红包雨来了，快抢！',
  unlisted: {
    open: (packets) => (packets === 1 ? '红包来了，点开看看！' : '红包来了，快抢一个！'),
    closed: '领取已结束',
  },
  grab: '抢红包',
  asking: '正在为您抢红包…',
  hurdle: {
    busy: '人太多了，正在继续为您抢…',
    away: '稍有延迟，正在继续为您抢…',
    unreachable: '网络已断开，恢复后自动继续',
    reserved: '已为您留好一个红包，正在确认…',
  },
  won: '恭喜，抢到红包！',
  wonBefore: '您已领过这个红包',
  settlement: {
    pending: '正在存入钱包…',
    credited: '已存入钱包',
    sent: '正在到账…',
    paid: '已到账',
    held: '审核中，通过后到账',
    'dead-letter': '到账延迟，客服正在处理',
    void: '红包已作废，不会到账',
  },
  wasCredited: '已存入过钱包',
  sendOwn: '我也发红包',
  mine: '领取详情',
  soldOut: '手慢了，红包抢完了',
  wait: '加入候补',
  waitHint: '如有追加红包，候补优先',
  joining: '正在加入候补…',
  place: (position) => `候补第 ${position} 位`,
  placeHint: '请留在本页面，有空出的红包会自动发给您',
  full: '候补名单已满，可能还会追加红包，请留在本页面',
  closed: '红包雨结束了',
  closedHint: '祝您下次好运！',
  cancelled: '活动已取消',
  limit: '您已抢到上限，把机会留给别人吧',
  refused: '操作没有成功，请再试一次',
  refusals: {
    'activity.archived': '这场红包雨早已结束',
    'auth.forbidden': '该账号不能参加，请在 App 中重新打开',
    'grab.ticket_invalid': '入场券不适用于这场红包雨，请在 App 中重新打开',
    'grab.ticket_required': '这场红包雨需要入场券，请在 App 中重新打开',
    internal: '系统出错了，请再试一次',
  },
  code: (code) => `代码：${code}`,
  again: '再试一次',
  missing: '页面部分内容未能加载',
  reload: '刷新页面',
  askApp: '重新登录',
  frontPage: '返回首页',
  openWallet: '打开钱包',
  quiet: '正在重新连接…',
  offline: '网络已断开，恢复后自动继续',
  lasts: (from, to) => `本场红包雨：${from} 至 ${to}`,
  wonSoFar: (money) => `您已抢到 ${money}`,
};

export const WORDS: Readonly<Record<'en' | 'zh', Words>> = { en, zh };
export type { Words };

/** The API's own sentences are English, so the page has its own. */
export const refusalText = (code: ProblemCode | undefined, { refusals, refused }: Words): string =>
  (code && refusals[code]) ?? refused;
