import type { Hurdle, ProblemCode } from '../../../libs/client';
import type { CheckedDrawer } from '../kit/drawer';
import type { ProofVerdict } from '../kit/check-proof';
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
  readonly password: {
    readonly form: string;
    readonly needed: string;
    readonly label: string;
    readonly submit: string;
    readonly asking: string;
    readonly wrong: string;
    readonly tooMany: (seconds: number) => string;
  };
  readonly opensIn: string;
  readonly getReady: string;
  readonly moreIn: string;
  readonly tapsAgain: string;
  readonly open: string;
  /** In place of those above and below, for packets that are not for everyone: most are from a friend. */
  readonly gift: { readonly open: (packets: number) => string; readonly closed: string };
  readonly grab: string;
  readonly asking: string;
  readonly hurdle: Readonly<Record<Hurdle, string>>;
  readonly won: string;
  readonly wonBefore: string;
  readonly settlement: Readonly<Record<Win['settlement'], string>>;
  readonly codes: {
    readonly coming: string;
    readonly settlement: Readonly<Partial<Record<Win['settlement'], string>>>;
    readonly hurdle: Readonly<Partial<Record<Hurdle, string>>>;
    readonly keep: string;
    readonly gone: string;
    readonly copy: string;
    readonly copied: string;
    readonly copyByHand: string;
  };
  /** It is no longer, or not yet, part of the balance beside it. */
  readonly wasCredited: string;
  readonly check: string;
  readonly checked: Readonly<Record<ProofVerdict | 'checking' | 'failed', string>>;
  /** Who drew a packet, or all of them. */
  readonly drawn: Readonly<Record<CheckedDrawer, string>>;
  readonly rainCheck: {
    readonly check: string;
    readonly checking: string;
    readonly unknown: string;
    readonly failed: string;
  };
  readonly share: string;
  readonly sendOwn: string;
  readonly mine: string;
  readonly copied: string;
  readonly copyThis: string;
  readonly soldOut: string;
  readonly wait: string;
  readonly waitHint: string;
  readonly joining: string;
  readonly place: (position: number) => string;
  readonly placeHint: string;
  readonly full: string;
  readonly closed: string;
  readonly closedHint: string;
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
  readonly bestLuck: string;
  readonly you: string;
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
  signedOut: 'Please open this page from your app, so that we know which wallet is yours.',
  playAsGuest: 'Play as a guest',
  unknown: 'There are no red packets here.',
  unknownHint: 'The link may be old or incomplete, or they are for somebody else.',
  password: {
    form: 'Open with a password',
    needed: 'These red packets open with a password.',
    label: 'Do you have a password?',
    submit: 'Open',
    asking: 'One moment…',
    wrong: 'This password opens nothing here.',
    tooMany: (seconds) => `Too many wrong passwords. Try again in ${seconds} seconds.`,
  },
  opensIn: 'It rains in',
  getReady: 'Stay here: it begins by itself.',
  moreIn: 'More red packets fall in',
  tapsAgain: 'Stay here: we will tap again for you.',
  open: 'It is raining. Tap a red packet!',
  gift: {
    open: (packets) =>
      packets === 1 ? 'A red packet is waiting. Tap to open it!' : 'Red packets are waiting. Tap one!',
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
    sent: 'On its way out of your wallet to you',
    paid: 'Paid out to you',
    held: 'It is yours, and is being checked before it is paid.',
    'dead-letter': 'It is yours. Our team is looking after the payment.',
    void: 'It was declared void and will not be paid.',
  },
  codes: {
    coming: 'Your code comes in a moment. Stay here.',
    settlement: {
      held: 'It is yours, and is being checked before its code is shown.',
      'dead-letter': 'It is yours. Our team makes sure that you get its code.',
      void: 'It was declared void, and gives no code.',
    },
    hurdle: {
      busy: 'A great many people are asking for their codes. Yours comes by itself.',
      away: 'Your code cannot be shown at the moment. It stays yours, and comes by itself.',
      unreachable: 'Your network is down. Your code comes when it is back.',
    },
    keep: 'Keep it safe, and do not show it to anyone. You can find it again on this page.',
    gone: 'The code of this packet can no longer be shown here. Please ask our team.',
    copy: 'Copy the code',
    copied: 'The code is copied.',
    copyByHand: 'The code is selected: copy it by hand.',
  },
  wasCredited: 'Added to your wallet',
  check: 'Was it fair? Check your packet',
  checked: {
    checking: 'Checking…',
    before: 'Checked: this packet existed before the rain began.',
    added: 'Checked: this packet existed before it could be won.',
    refused: 'This packet is not among those that were published.',
    failed: 'It could not be checked.',
  },
  drawn: {
    sponsor: 'Drawn with the sponsor’s word.',
    server: 'Drawn by the server alone.',
    claimed: 'A word of the sponsor is named: check it after the end.',
  },
  rainCheck: {
    check: 'Is it fair? Check the draw',
    checking: 'Checking…',
    unknown: 'Nothing is published here, or the red packets are for somebody else.',
    failed: 'It could not be checked. Please try again.',
  },
  share: 'Share the link',
  sendOwn: 'Send one too',
  mine: 'Who got what',
  copied: 'The link is copied.',
  copyThis: 'Copy this link:',
  soldOut: 'All red packets are gone.',
  wait: 'Join the waiting list',
  waitHint: 'When more are added, people on the waiting list get theirs first.',
  joining: 'Joining the waiting list…',
  place: (position) => `You are number ${position} on the waiting list.`,
  placeHint: 'Stay here: your red packet comes by itself.',
  full: 'The waiting list is full. More red packets may still be added: stay here.',
  closed: 'The rain is over.',
  closedHint: 'What you have won is in your wallet.',
  limit: 'You have won as often as this sponsor allows. This red packet is for somebody else.',
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
  bestLuck: 'Best luck',
  you: 'You',
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
  signedOut: '请从您的应用中打开本页，这样我们才知道红包该进谁的钱包。',
  playAsGuest: '以访客身份参加',
  unknown: '这里没有红包。',
  unknownHint: '链接可能已失效或不完整，或者红包是发给别人的。',
  password: {
    form: '输入口令',
    needed: '这是口令红包，输入口令即可领取。',
    label: '红包口令',
    submit: '打开',
    asking: '请稍候…',
    wrong: '口令不对，或没有这个红包。',
    tooMany: (seconds) => `口令输错次数过多，请在 ${seconds} 秒后再试。`,
  },
  opensIn: '距离开始还有',
  getReady: '请留在此页，到点自动开始。',
  moreIn: '距离下一波红包还有',
  tapsAgain: '请留在本页，我们会自动为您再抢一次。',
  open: '红包雨来了，快点红包！',
  gift: {
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
  codes: {
    coming: '兑换码马上就到，请留在此页。',
    settlement: {
      held: '红包是您的，核对后即可看到兑换码。',
      'dead-letter': '红包是您的，我们的同事会确保您拿到兑换码。',
      void: '该红包已作废，没有兑换码。',
    },
    hurdle: {
      busy: '查看兑换码的人太多了，您的稍后会自动出现。',
      away: '暂时无法显示兑换码。它一直是您的，稍后会自动出现。',
      unreachable: '网络断开了，恢复后会自动显示兑换码。',
    },
    keep: '请妥善保管，不要给别人看。再次打开本页还能看到它。',
    gone: '该红包的兑换码已无法在此显示，请联系我们。',
    copy: '复制兑换码',
    copied: '兑换码已复制。',
    copyByHand: '已选中兑换码，请手动复制。',
  },
  wasCredited: '已存入过您的钱包',
  check: '公平吗？核对我的红包',
  checked: {
    checking: '正在核对…',
    before: '已核对：这个红包在红包雨开始之前就已存在。',
    added: '已核对：这个红包在可以抢之前就已存在。',
    refused: '这个红包不在已公布的红包之中。',
    failed: '暂时无法核对。',
  },
  drawn: {
    sponsor: '发起方的随机数参与了抽取。',
    server: '由服务器单独抽取。',
    claimed: '条款中有发起方的随机数，结束后可核对。',
  },
  rainCheck: {
    check: '公平吗？核对抽取结果',
    checking: '正在核对…',
    unknown: '这里没有公布任何内容，或者红包是发给别人的。',
    failed: '暂时无法核对，请再试一次。',
  },
  share: '分享链接',
  sendOwn: '我也发红包',
  mine: '领取详情',
  copied: '链接已复制。',
  copyThis: '请复制此链接：',
  soldOut: '红包抢完了。',
  wait: '加入候补',
  waitHint: '如果追加红包，候补的人先得。',
  joining: '正在加入候补…',
  place: (position) => `您在候补名单中排第 ${position} 位。`,
  placeHint: '请留在此页，有红包时会自动发给您。',
  full: '候补名单已满。仍可能追加红包，请留在此页。',
  closed: '红包雨结束了。',
  closedHint: '您抢到的红包都在钱包里。',
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
  bestLuck: '手气最佳',
  you: '您',
  offline: '您已离线，网络恢复后会自动继续。',
  lasts: (from, to) => `本场红包雨：${from} 至 ${to}。`,
  wonSoFar: (money) => `您已抢到 ${money}，红包是您的。`,
};

export const WORDS: Readonly<Record<'en' | 'zh', Words>> = { en, zh };
export type { Words };

/** The API's own sentences are English, so the page has its own. */
export const refusalText = (code: ProblemCode | undefined, { refusals, refused }: Words): string =>
  (code && refusals[code]) ?? refused;
