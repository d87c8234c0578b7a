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
  signedOut: 'Please open this page from your app, so that your red packets reach your wallet.',
  playAsGuest: 'Play as a guest',
  unknown: 'There are no red packets here.',
  unknownHint: 'The link may be old, incomplete, or meant for someone else.',
  passwordNeeded: 'These red packets open with a password.',
  opensIn: 'It rains in',
  getReady: 'Stay here: it begins by itself.',
  moreIn: 'More red packets fall in',
  tapsAgain: 'Stay here: we will tap again for you.',
  open: 'It is raining. Tap a red packet!',
  unlisted: {
    open: (packets) =>
      packets === 1 ? 'A red packet is waiting. Tap to open it!' : 'Red packets are falling. Tap one!',
    closed: 'These red packets can no longer be opened.',
  },
  grab: 'Grab a red packet',
  asking: 'Opening your red packet…',
  hurdle: {
    busy: 'A great many people are tapping. We keep trying for you.',
    away: 'There is a short delay. We keep trying for you.',
    unreachable: 'Your network is down. We continue when it is back.',
    reserved: 'A red packet is set aside for you. We are waiting for the confirmation.',
  },
  won: 'You got a red packet!',
  wonBefore: 'This red packet is already yours.',
  settlement: {
    pending: 'On its way to your wallet…',
    credited: 'In your wallet',
    sent: 'On its way to you',
    paid: 'Paid out to you',
    held: 'It is yours, and is being checked before it is paid.',
    'dead-letter': 'It is yours. Our team is looking after the payment.',
    void: 'It was declared void and will not be paid.',
  },
  wasCredited: 'Added to your wallet',
  sendOwn: 'Send one too',
  mine: 'Who got what',
  soldOut: 'All red packets are gone.',
  wait: 'Join the waiting list',
  waitHint: 'If more are added, the waiting list gets them first.',
  joining: 'Joining the waiting list…',
  place: (position) => `You are number ${position} on the waiting list.`,
  placeHint: 'Stay here: your red packet comes by itself.',
  full: 'The waiting list is full. More red packets may still be added: stay here.',
  closed: 'The rain is over.',
  closedHint: 'Better luck next time!',
  cancelled: 'These red packets were cancelled.',
  limit: 'You have won as often as this sponsor allows. This red packet is for someone else.',
  refused: 'That did not work. Please try again.',
  refusals: {
    'activity.archived': 'This rain ended long ago.',
    'auth.forbidden': 'This account cannot take part. Open the rain from your app again.',
    'grab.ticket_invalid': 'Your ticket is not valid for this rain. Open it from your app again.',
    'grab.ticket_required': 'This rain needs a ticket. Open it from your app again.',
    internal: 'Something went wrong on our side. Please try again.',
  },
  code: (code) => `Code: ${code}`,
  again: 'Try again',
  missing: 'Part of this page did not load.',
  reload: 'Reload the page',
  askApp: 'Sign in again',
  frontPage: 'To the front page',
  openWallet: 'Open the wallet',
  quiet: 'Reconnecting…',
  offline: 'You are offline. We continue when your network is back.',
  lasts: (from, to) => `This rain lasts from ${from} to ${to}.`,
  wonSoFar: (money) => `You have won ${money}. It is yours.`,
};

const zh: Words = {
  title: '红包雨',
  rehearsal: '彩排：这些红包里是演练币，没有实际价值。',
  wallet: '钱包',
  waitsForYou: '等待您操作',
  otherLanguage: 'English',
  senses: '声音',
  loading: '请稍候…',
  signedOut: '请从您的应用中打开本页，红包才能存入您的钱包。',
  playAsGuest: '以访客身份参加',
  unknown: '这里没有红包。',
  unknownHint: '链接可能已失效或不完整，或者红包是发给别人的。',
  passwordNeeded: '这是口令红包，输入口令即可领取。',
  opensIn: '距离开始还有',
  getReady: '请留在此页，到点自动开始。',
  moreIn: '距离下一波红包还有',
  tapsAgain: '请留在本页，我们会自动为您再抢一次。',
  open: '红包雨来了，快点红包！',
  unlisted: {
    open: (packets) => (packets === 1 ? '红包来了，点开看看！' : '红包来了，快抢一个！'),
    closed: '红包已结束领取。',
  },
  grab: '抢红包',
  asking: '正在拆红包…',
  hurdle: {
    busy: '参加的人太多了，我们正在继续为您抢。',
    away: '稍有延迟，我们正在继续为您抢。',
    unreachable: '网络断开了，恢复后会自动继续。',
    reserved: '已为您留好一个红包，正在等待确认。',
  },
  won: '恭喜，您抢到红包了！',
  wonBefore: '这个红包已经是您的了。',
  settlement: {
    pending: '正在存入您的钱包…',
    credited: '已存入您的钱包',
    sent: '正在从钱包为您转出',
    paid: '已转给您',
    held: '红包是您的，付款前正在核对。',
    'dead-letter': '红包是您的，我们的同事正在处理付款。',
    void: '该红包已作废，不会付款。',
  },
  wasCredited: '已存入过您的钱包',
  sendOwn: '我也发红包',
  mine: '领取详情',
  soldOut: '红包抢完了。',
  wait: '加入候补',
  waitHint: '如果追加红包，候补的人先得。',
  joining: '正在加入候补…',
  place: (position) => `您在候补名单中排第 ${position} 位。`,
  placeHint: '请留在此页，有红包时会自动发给您。',
  full: '候补名单已满。仍可能追加红包，请留在此页。',
  closed: '红包雨结束了。',
  closedHint: '这次没有抢到，下次好运！',
  cancelled: '这些红包已取消。',
  limit: '您抢到的红包数已达到发起方的上限，这个红包留给别人。',
  refused: '操作没有成功，请再试一次。',
  refusals: {
    'activity.archived': '这场红包雨早已结束。',
    'auth.forbidden': '该账号不能参加红包雨，请从您的应用中重新打开。',
    'grab.ticket_invalid': '您的入场券不适用于这场红包雨，请从您的应用中重新打开。',
    'grab.ticket_required': '这场红包雨需要入场券，请从您的应用中重新打开。',
    internal: '系统出错了，请再试一次。',
  },
  code: (code) => `代码：${code}`,
  again: '再试一次',
  missing: '页面有一部分未能加载。',
  reload: '刷新页面',
  askApp: '重新登录',
  frontPage: '返回首页',
  openWallet: '打开钱包',
  quiet: '正在重新连接…',
  offline: '您已离线，网络恢复后会自动继续。',
  lasts: (from, to) => `本场红包雨：${from} 至 ${to}。`,
  wonSoFar: (money) => `您已抢到 ${money}，红包是您的。`,
};

export const WORDS: Readonly<Record<'en' | 'zh', Words>> = { en, zh };
export type { Words };

/** The API's own sentences are English, so the page has its own. */
export const refusalText = (code: ProblemCode | undefined, { refusals, refused }: Words): string =>
  (code && refusals[code]) ?? refused;
