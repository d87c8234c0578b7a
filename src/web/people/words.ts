import {
  ApiProblem,
  type FieldFault,
  type Hurdle,
  type ProblemCode,
  type Schema,
} from '../../../libs/client';
import type { Drawer } from '../kit/drawer';
import type { Wish } from './wish';

export interface Words {
  readonly otherLanguage: string;
  readonly send: string;
  readonly mine: string;
  readonly signedOut: string;
  readonly asGuest: string;
  readonly askApp: string;
  readonly loading: string;
  readonly again: string;
  readonly hurdle: Readonly<Record<Hurdle, string>>;
  readonly split: string;
  readonly splits: Readonly<Record<Wish['split'], string>>;
  readonly count: string;
  readonly total: string;
  readonly each: string;
  readonly holds: (money: string) => string;
  readonly packetHolds: (money: string) => string;
  readonly currency: string;
  readonly greeting: string;
  readonly greetingDefault: string;
  readonly sender: string;
  readonly optional: string;
  readonly whom: string;
  readonly whoms: Readonly<Record<Wish['whom'], string>>;
  readonly people: string;
  readonly peopleHint: string;
  readonly password: string;
  readonly passwordHint: string;
  readonly sending: string;
  readonly isAsked: string;
  readonly isStaff: string;
  readonly fill: string;
  readonly comesBack: string;
  readonly tooLittle: (money: string) => string;
  readonly faults: {
    readonly atLeast: (least: string) => string;
    readonly atMost: (most: string) => string;
    readonly size: (least: string, most: string) => string;
    readonly decimals: (most: string) => string;
    readonly amount: (example: string) => string;
    readonly number: string;
    readonly missing: string;
    readonly wrong: string;
  };
  /** For each problem that has no sentence of its own. */
  readonly refused: string;
  readonly refusals: Readonly<Partial<Record<ProblemCode, string>>>;
  readonly ready: string;
  readonly packets: (count: number, greeting: string) => string;
  readonly code: string;
  readonly howTo: string;
  readonly link: string;
  readonly tellPassword: (password: string) => string;
  readonly onlyFor: (ids: string) => string;
  /** Who drew the packets: the sender is their sponsor. */
  readonly drawn: Readonly<Record<Drawer, string>>;
  readonly keepWord: string;
  readonly wordMissing: string;
  readonly sendOn: string;
  readonly copied: string;
  readonly copyThis: string;
  readonly openOwn: string;
  readonly another: string;
  readonly wallet: string;
  readonly onItsWay: (money: string) => string;
  readonly received: string;
  readonly sent: string;
  readonly nothingReceived: string;
  readonly nothingInCurrency: string;
  readonly nothingSent: string;
  readonly receivedSum: (money: string, packets: number) => string;
  readonly seeCode: string;
  readonly codes: string;
  readonly noCodeSeen: string;
  readonly copyCode: string;
  readonly codeCopied: string;
  readonly copyByHand: string;
  readonly sentSum: (money: string, returned?: string) => string;
  readonly from: (sender: string) => string;
  readonly grabbed: (some: number, all: number) => string;
  readonly ofPackets: (all: number) => string;
  readonly cameBack: (money: string) => string;
  readonly comesBackAt: (moment: string) => string;
  readonly more: string;
  readonly whoGot: string;
  readonly nobodyYet: string;
  readonly you: string;
  readonly best: string;
  readonly thank: string;
  readonly thankInWords: string;
  readonly thanks: readonly string[];
  readonly youSaid: (text: string) => string;
  /** The unusual states of the money of a packet. */
  readonly settlements: Readonly<Partial<Record<Schema<'WonPacketDto'>['settlement'], string>>>;
  readonly hasThanked: (who: string, text: string) => string;
  readonly thankedBy: (count: number) => string;
}

const en: Words = {
  otherLanguage: '中文',
  send: 'Send red packets',
  mine: 'My red packets',
  signedOut: 'Please open this page from your app, so that we know which wallet is yours.',
  asGuest: 'Continue as guest',
  askApp: 'Sign in again',
  loading: 'One moment…',
  again: 'Try again',
  hurdle: {
    busy: 'A great many people are asking. We keep trying.',
    away: 'There is a short delay. We keep trying.',
    unreachable: 'Your network is down. We continue when it is back.',
    reserved: 'We are waiting for the confirmation.',
  },
  split: 'How it is split',
  splits: { random: 'By luck', equal: 'All the same' },
  count: 'How many packets',
  total: 'Total amount',
  each: 'Amount of each packet',
  holds: (money) => `Your wallet holds ${money}.`,
  packetHolds: (money) => `A packet can hold ${money} at most.`,
  currency: 'Currency',
  greeting: 'Greeting',
  greetingDefault: 'Best wishes!',
  sender: 'Your name on the packet',
  optional: 'Optional',
  whom: 'For whom',
  whoms: { link: 'Anyone with the link', people: 'People I name', password: 'Anyone with the password' },
  people: 'Their user ids',
  peopleHint: 'Separated by commas. Nobody else sees these packets.',
  password: 'Password',
  passwordHint: 'Case and spaces make no difference.',
  sending: 'Filling the red packets…',
  isAsked: 'Our team has to approve this first. Then it appears under “My red packets” by itself.',
  isStaff: 'This page is for users. Staff create red packets in the console.',
  fill: 'Fill the red packets',
  comesBack: 'What nobody takes within 24 hours comes back to your wallet.',
  tooLittle: (money) => `That is more than the ${money} in your wallet.`,
  faults: {
    atLeast: (least) => `At least ${least}.`,
    atMost: (most) => `At most ${most}.`,
    size: (least, most) => `From ${least} to ${most} characters or names.`,
    decimals: (most) => (most === '0' ? 'Whole amounts only.' : `Decimals: at most ${most}.`),
    amount: (example) => `Write an amount such as ${example}.`,
    number: 'Write a whole number.',
    missing: 'This is missing.',
    wrong: 'This cannot be used.',
  },
  refused: 'That did not work. Please try again.',
  refusals: {
    'activity.too_many': 'Too many of your red packets are still open. Wait until some have ended.',
    'activity.too_many_packets': 'You have sent as many packets as you may in one day.',
    'auth.forbidden': 'This account cannot send red packets.',
    'sender.day_full': 'That is more than you may send today. You can send again tomorrow.',
    'wallet.insufficient_funds': 'Your wallet does not hold enough.',
    'wallet.frozen': 'Your wallet is frozen. Please ask our team.',
    'wallet.budget_exceeded': 'That is more than you may send today.',
    'thanks.packet_void': 'This packet was declared void.',
  },
  ready: 'Your red packets are ready',
  packets: (count, greeting) => (count === 1 ? `One packet: ${greeting}` : `${count} packets: ${greeting}`),
  code: 'QR code of the link',
  howTo: 'Let friends scan it, or send them the link.',
  link: 'Link',
  tellPassword: (password) => `The password is: ${password}`,
  onlyFor: (ids) => `Only for ${ids}`,
  drawn: { sponsor: 'Drawn together with your device', server: 'Drawn by the server alone' },
  keepWord: 'Your device added this random number. Keep it to show that nobody chose the amounts alone:',
  wordMissing: 'The server left out the random number from your device: the published terms do not have it.',
  sendOn: 'Send it on',
  copied: 'The link is copied.',
  copyThis: 'Copy this link:',
  openOwn: 'Take one myself',
  another: 'Send more',
  wallet: 'Wallet',
  onItsWay: (money) => `${money} is on its way.`,
  received: 'Received',
  sent: 'Sent',
  nothingReceived: 'You have not received any yet.',
  nothingInCurrency: 'You have not received any in this currency yet.',
  nothingSent: 'You have not sent any yet.',
  receivedSum: (money, packets) => `${money} in ${packets} ${packets === 1 ? 'packet' : 'packets'}`,
  seeCode: 'See the code',
  codes: 'Codes',
  noCodeSeen: 'Codes that you have opened stay here.',
  copyCode: 'Copy the code',
  codeCopied: 'The code is copied.',
  copyByHand: 'Please copy the code by hand.',
  sentSum: (money, returned) => `${money} sent${returned ? `, of which ${returned} came back` : ''}`,
  from: (sender) => `From ${sender}`,
  grabbed: (some, all) => `${some} of ${all} taken`,
  ofPackets: (all) => `${all} packets`,
  cameBack: (money) => `${money} came back`,
  comesBackAt: (moment) => `What is left comes back to you on ${moment}.`,
  more: 'Show more',
  whoGot: 'Who got what',
  nobodyYet: 'Nobody has taken one yet.',
  you: 'You',
  best: 'Best luck',
  thank: 'Say thanks',
  thankInWords: 'In your own words',
  thanks: ['Thank you!', 'You made my day!'],
  youSaid: (text) => `You said: ${text}`,
  settlements: {
    held: 'It is yours, and is being checked before it is paid.',
    'dead-letter': 'It is yours. Our team is looking after the payment.',
    void: 'It was declared void and will not be paid.',
  },
  hasThanked: (who, text) => `${who} says: ${text}`,
  thankedBy: (count) => (count === 1 ? 'One of them said thanks.' : `${count} of them said thanks.`),
};

const zh: Words = {
  otherLanguage: 'English',
  send: '发红包',
  mine: '我的红包',
  signedOut: '请从您的应用中打开本页，这样我们才知道是谁的钱包。',
  asGuest: '以访客身份进入',
  askApp: '重新登录',
  loading: '请稍候…',
  again: '再试一次',
  hurdle: {
    busy: '使用的人太多了，我们正在继续尝试。',
    away: '稍有延迟，我们正在继续尝试。',
    unreachable: '网络断开了，恢复后会自动继续。',
    reserved: '正在等待确认。',
  },
  split: '红包类型',
  splits: { random: '拼手气', equal: '普通红包' },
  count: '红包个数',
  total: '总金额',
  each: '单个金额',
  holds: (money) => `钱包余额 ${money}。`,
  packetHolds: (money) => `单个红包最高 ${money}。`,
  currency: '币种',
  greeting: '祝福语',
  greetingDefault: '恭喜发财，大吉大利',
  sender: '署名',
  optional: '选填',
  whom: '发给谁',
  whoms: { link: '有链接的人', people: '指定的人', password: '知道口令的人' },
  people: '用户编号',
  peopleHint: '用逗号分隔，其他人看不到这些红包。',
  password: '口令',
  passwordHint: '不区分大小写和空格。',
  sending: '正在塞钱…',
  isAsked: '需要工作人员审批。通过后，红包会自动出现在“我的红包”里。',
  isStaff: '本页供用户使用，工作人员请在控制台创建红包。',
  fill: '塞钱进红包',
  comesBack: '24 小时内未被领取的金额会退回您的钱包。',
  tooLittle: (money) => `钱包余额不足，仅有 ${money}。`,
  faults: {
    atLeast: (least) => `不能小于 ${least}。`,
    atMost: (most) => `不能大于 ${most}。`,
    size: (least, most) => `须为 ${least} 至 ${most} 个。`,
    decimals: (most) => (most === '0' ? '金额不能有小数。' : `最多 ${most} 位小数。`),
    amount: (example) => `请填写金额，如 ${example}。`,
    number: '请填写整数。',
    missing: '请填写。',
    wrong: '填写有误。',
  },
  refused: '操作没有成功，请再试一次。',
  refusals: {
    'activity.too_many': '您未结束的红包太多，请等部分结束后再发。',
    'activity.too_many_packets': '您今天发出的红包个数已达上限。',
    'auth.forbidden': '该账号不能发红包。',
    'sender.day_full': '已超出您今天可发的限额，请明天再发。',
    'wallet.insufficient_funds': '钱包余额不足。',
    'wallet.frozen': '您的钱包已被冻结，请联系我们。',
    'wallet.budget_exceeded': '超出您今天可发的金额。',
    'thanks.packet_void': '该红包已作废。',
  },
  ready: '红包已备好',
  packets: (count, greeting) => `共 ${count} 个 · ${greeting}`,
  code: '链接的二维码',
  howTo: '好友扫码或点开链接即可领取。',
  link: '链接',
  tellPassword: (password) => `口令：${password}`,
  onlyFor: (ids) => `仅限 ${ids} 领取`,
  drawn: { sponsor: '由您的设备与服务器共同抽取', server: '由服务器单独抽取' },
  keepWord: '您的设备提供了这个随机数。请保存它，用来证明没有人能单独决定金额：',
  wordMissing: '服务器没有用您的设备提供的随机数抽取：公布的条款里没有它。',
  sendOn: '发给好友',
  copied: '链接已复制。',
  copyThis: '请复制此链接：',
  openOwn: '自己也抢一个',
  another: '再发一个',
  wallet: '钱包',
  onItsWay: (money) => `${money} 正在存入钱包`,
  received: '收到的红包',
  sent: '发出的红包',
  nothingReceived: '您还没有收到红包。',
  nothingInCurrency: '您还没有收到该币种的红包。',
  nothingSent: '您还没有发过红包。',
  receivedSum: (money, packets) => `共收到 ${money}，${packets} 个红包`,
  seeCode: '查看兑换码',
  codes: '兑换码',
  noCodeSeen: '看过的兑换码会保留在这里。',
  copyCode: '复制兑换码',
  codeCopied: '兑换码已复制。',
  copyByHand: '请手动复制兑换码。',
  sentSum: (money, returned) => `共发出 ${money}${returned ? `，退回 ${returned}` : ''}`,
  from: (sender) => `来自 ${sender}`,
  grabbed: (some, all) => `已领取 ${some}/${all} 个`,
  ofPackets: (all) => `共 ${all} 个`,
  cameBack: (money) => `退回 ${money}`,
  comesBackAt: (moment) => `未被领取的将于 ${moment} 退回`,
  more: '查看更多',
  whoGot: '领取详情',
  nobodyYet: '还没有人领取。',
  you: '您',
  best: '手气最佳',
  thank: '答谢',
  thankInWords: '想说的话',
  thanks: ['谢谢老板', '恭喜发财'],
  youSaid: (text) => `您已答谢：${text}`,
  settlements: {
    held: '红包是您的，付款前正在核对。',
    'dead-letter': '红包是您的，我们的同事正在处理付款。',
    void: '该红包已作废，不会付款。',
  },
  hasThanked: (who, text) => `${who} 答谢：${text}`,
  thankedBy: (count) => `${count} 人已答谢`,
};

export const WORDS: Readonly<Record<'en' | 'zh', Words>> = { en, zh };

/**
 * Says what a field needs, in the language of the page: the API's own sentences are English.
 * @param example an amount in the currency of the request
 */
export function faultText(
  { rule, unit, expected, minimum, maximum }: FieldFault,
  { faults }: Words,
  example: string,
): string {
  if (rule === 'required') return faults.missing;
  if (unit === 'decimals' && maximum !== undefined) return faults.decimals(maximum);
  if (rule === 'size' && maximum !== undefined) return faults.size(minimum ?? '0', maximum);
  if (rule === 'minimum' && minimum !== undefined) return faults.atLeast(minimum);
  if (rule === 'maximum' && maximum !== undefined) return faults.atMost(maximum);
  if (expected === 'amount') return faults.amount(example);
  return expected === 'whole-number' ? faults.number : faults.wrong;
}

export const refusalText = (error: unknown, { refusals, refused }: Words): string =>
  (error instanceof ApiProblem ? refusals[error.code] : undefined) ?? refused;
