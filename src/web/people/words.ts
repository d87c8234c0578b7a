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
  /** The same on a button beside that to withdraw. */
  readonly sendShort: string;
  readonly mine: string;
  /** The same on a link beside a title. */
  readonly mineShort: string;
  readonly signedOut: string;
  readonly asGuest: string;
  /** What a guest gets. */
  readonly guestHint: string;
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
  readonly example: (value: string) => string;
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
    readonly people: (least: string, most: string) => string;
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
  sendShort: 'Send',
  mine: 'My red packets',
  mineShort: 'Wallet',
  signedOut: 'Open this page in your app to use your wallet.',
  asGuest: 'Continue as a guest',
  guestHint: 'Guests try it with a new wallet.',
  askApp: 'Sign in again',
  loading: 'One moment…',
  again: 'Try again',
  hurdle: {
    busy: 'So many people are here! Still trying…',
    away: 'A short delay. Still trying…',
    unreachable: "No connection. We'll carry on when it's back.",
    reserved: 'Waiting for confirmation…',
  },
  split: 'Type',
  splits: { random: 'Random amounts', equal: 'Equal amounts' },
  count: 'Packets',
  total: 'Total amount',
  each: 'Amount per packet',
  holds: (money) => `Balance: ${money}`,
  packetHolds: (money) => `· up to ${money} per packet`,
  currency: 'Currency',
  greeting: 'Greeting',
  greetingDefault: 'Best wishes!',
  sender: 'Your name on the packet',
  optional: 'Optional',
  example: (value) => `e.g. ${value}`,
  whom: 'For whom',
  whoms: { link: 'Anyone with the link', people: 'Specific people', password: 'Anyone with a password' },
  people: 'User IDs',
  peopleHint: 'Separate them with commas. No one else sees these packets.',
  password: 'Password',
  passwordHint: 'Not case-sensitive; spaces are ignored.',
  sending: 'Sending…',
  isAsked: 'Waiting for approval. Once approved, it appears under “My red packets”.',
  isStaff: 'This page is for users. Staff create red packets in the console.',
  fill: 'Pay and send',
  comesBack: 'Anything unclaimed after 24 hours returns to your wallet.',
  tooLittle: (money) => `Not enough in your wallet (${money}).`,
  faults: {
    atLeast: (least) => `At least ${least}.`,
    atMost: (most) => `At most ${most}.`,
    size: (least, most) => `Enter ${least}–${most} characters.`,
    people: (least, most) => `Enter ${least}–${most} people.`,
    decimals: (most) =>
      most === '0' ? 'Whole amounts only.' : `Up to ${most} decimal ${most === '1' ? 'place' : 'places'}.`,
    amount: (example) => `Enter an amount such as ${example}.`,
    number: 'Enter a whole number.',
    missing: 'This is missing.',
    wrong: "This can't be used.",
  },
  refused: "That didn't work. Please try again.",
  refusals: {
    'activity.too_many': 'You have too many open red packets. Wait until some have ended.',
    'activity.too_many_packets': "You've reached the number of packets you can send in one day.",
    'auth.forbidden': "This account can't send red packets.",
    'sender.day_full': "That's more than you can send today. Try again tomorrow.",
    'wallet.insufficient_funds': 'Not enough in your wallet.',
    'wallet.frozen': 'Your wallet is frozen. Please contact support.',
    'wallet.budget_exceeded': "That's more than you can send today.",
    'thanks.packet_void': 'This packet was voided.',
  },
  ready: 'Your red packets are ready',
  packets: (count, greeting) => (count === 1 ? `1 packet: ${greeting}` : `${count} packets: ${greeting}`),
  code: 'QR code of the link',
  howTo: 'Let friends scan it, or send them the link.',
  link: 'Link',
  tellPassword: (password) => `Password: ${password}`,
  onlyFor: (ids) => `Only for ${ids}`,
  drawn: { sponsor: 'Drawn by your device and the server', server: 'Drawn by the server alone' },
  keepWord: 'Your device added this random number. Keep it as proof that no one picked the amounts alone:',
  wordMissing: "The server left out your device's random number: the published terms don't have it.",
  sendOn: 'Share',
  copied: 'Link copied.',
  copyThis: 'Copy this link:',
  openOwn: 'Grab one yourself',
  another: 'Send more',
  wallet: 'Wallet',
  onItsWay: (money) => `${money} is on its way.`,
  received: 'Received',
  sent: 'Sent',
  nothingReceived: 'No red packets yet.',
  nothingInCurrency: 'No red packets in this currency yet.',
  nothingSent: 'Nothing sent yet.',
  receivedSum: (money, packets) => `${money} from ${packets} ${packets === 1 ? 'packet' : 'packets'}`,
  seeCode: 'View code',
  codes: 'Codes',
  noCodeSeen: 'Codes you have viewed stay here.',
  copyCode: 'Copy code',
  codeCopied: 'Code copied.',
  copyByHand: 'Please copy the code by hand.',
  sentSum: (money, returned) => `${money} sent${returned ? `, ${returned} returned` : ''}`,
  from: (sender) => `From ${sender}`,
  grabbed: (some, all) => `${some} of ${all} opened`,
  ofPackets: (all) => (all === 1 ? '1 packet' : `${all} packets`),
  cameBack: (money) => `${money} returned`,
  comesBackAt: (moment) => `Anything unclaimed returns to you on ${moment}.`,
  more: 'Show more',
  whoGot: 'Who got what',
  nobodyYet: 'No one has opened one yet.',
  you: 'You',
  best: 'Best luck',
  thank: 'Say thanks',
  thankInWords: 'In your own words',
  thanks: ['Thank you!', 'You made my day!'],
  youSaid: (text) => `You said: ${text}`,
  settlements: {
    held: "It's yours. We're reviewing it before paying it out.",
    'dead-letter': "It's yours. Payment is delayed, and we're on it.",
    void: "It was voided and won't be paid.",
  },
  hasThanked: (who, text) => `${who} says: ${text}`,
  thankedBy: (count) => (count === 1 ? '1 person said thanks.' : `${count} people said thanks.`),
};

const zh: Words = {
  otherLanguage: 'English',
  send: '发红包',
  sendShort: '发红包',
  mine: '我的红包',
  mineShort: '我的红包',
  signedOut: '请在 App 中打开本页面，才能使用您的钱包',
  asGuest: '以游客身份进入',
  guestHint: '游客使用一个新钱包试用',
  askApp: '重新登录',
  loading: '请稍候…',
  again: '再试一次',
  hurdle: {
    busy: '人太多了，正在继续尝试…',
    away: '稍有延迟，正在继续尝试…',
    unreachable: '网络已断开，恢复后自动继续',
    reserved: '正在确认…',
  },
  split: '红包类型',
  splits: { random: '拼手气红包', equal: '普通红包' },
  count: '红包个数',
  total: '总金额',
  each: '单个金额',
  holds: (money) => `钱包余额 ${money}`,
  packetHolds: (money) => `· 单个红包最高 ${money}`,
  currency: '币种',
  greeting: '祝福语',
  greetingDefault: '恭喜发财，大吉大利',
  sender: '署名',
  optional: '选填',
  example: (value) => `如 ${value}`,
  whom: '发给谁',
  whoms: { link: '有链接的人', people: '指定的人', password: '知道口令的人' },
  people: '用户编号',
  peopleHint: '用逗号分隔，其他人看不到这些红包',
  password: '口令',
  passwordHint: '不区分大小写，忽略空格',
  sending: '正在塞钱…',
  isAsked: '审批中，通过后会出现在“我的红包”',
  isStaff: '本页供用户使用，工作人员请在控制台创建红包。',
  fill: '塞钱进红包',
  comesBack: '24 小时后，没人领的金额自动退回钱包',
  tooLittle: (money) => `钱包余额不足（${money}）`,
  faults: {
    atLeast: (least) => `不能小于 ${least}`,
    atMost: (most) => `不能大于 ${most}`,
    size: (least, most) => `请输入 ${least}–${most} 个字符`,
    people: (least, most) => `请填写 ${least}–${most} 个用户`,
    decimals: (most) => (most === '0' ? '金额不能有小数' : `最多 ${most} 位小数`),
    amount: (example) => `请填写金额，如 ${example}`,
    number: '请填写整数',
    missing: '请填写',
    wrong: '填写有误',
  },
  refused: '操作没有成功，请再试一次',
  refusals: {
    'activity.too_many': '未结束的红包太多，请等部分结束后再发',
    'activity.too_many_packets': '今天发出的红包个数已达上限',
    'auth.forbidden': '该账号不能发红包',
    'sender.day_full': '已超出今天可发的限额，请明天再发',
    'wallet.insufficient_funds': '钱包余额不足',
    'wallet.frozen': '钱包已冻结，请联系客服',
    'wallet.budget_exceeded': '已超出今天可发的限额',
    'thanks.packet_void': '红包已作废',
  },
  ready: '红包已备好',
  packets: (count, greeting) => `共 ${count} 个 · ${greeting}`,
  code: '链接的二维码',
  howTo: '好友扫码或点开链接即可领取',
  link: '链接',
  tellPassword: (password) => `口令：${password}`,
  onlyFor: (ids) => `仅限 ${ids} 领取`,
  drawn: { sponsor: '由您的设备与服务器共同抽取', server: '由服务器单独抽取' },
  keepWord: '您的设备提供了这个随机数，保存它可证明金额不由任何一方单独决定：',
  wordMissing: '服务器没有用您设备的随机数抽取：公布的条款里没有它',
  sendOn: '发给好友',
  copied: '链接已复制',
  copyThis: '请复制此链接：',
  openOwn: '自己也抢一个',
  another: '再发一个',
  wallet: '钱包',
  onItsWay: (money) => `${money} 正在存入钱包`,
  received: '收到的红包',
  sent: '发出的红包',
  nothingReceived: '还没有收到红包',
  nothingInCurrency: '还没有收到该币种的红包',
  nothingSent: '还没有发过红包',
  receivedSum: (money, packets) => `共收到 ${money}，${packets} 个红包`,
  seeCode: '查看兑换码',
  codes: '兑换码',
  noCodeSeen: '看过的兑换码会保留在这里',
  copyCode: '复制兑换码',
  codeCopied: '兑换码已复制',
  copyByHand: '请手动复制兑换码',
  sentSum: (money, returned) => `共发出 ${money}${returned ? `，退回 ${returned}` : ''}`,
  from: (sender) => `来自 ${sender}`,
  grabbed: (some, all) => `已领取 ${some}/${all} 个`,
  ofPackets: (all) => `共 ${all} 个`,
  cameBack: (money) => `退回 ${money}`,
  comesBackAt: (moment) => `没人领的金额将于 ${moment} 退回`,
  more: '查看更多',
  whoGot: '领取详情',
  nobodyYet: '还没有人领取',
  you: '您',
  best: '手气最佳',
  thank: '答谢',
  thankInWords: '想说的话',
  thanks: ['谢谢老板', '恭喜发财'],
  youSaid: (text) => `您已答谢：${text}`,
  settlements: {
    held: '审核中，通过后到账',
    'dead-letter': '到账延迟，客服正在处理',
    void: '红包已作废，不会到账',
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
  if (rule === 'size' && maximum !== undefined)
    return faults[unit === 'items' ? 'people' : 'size'](minimum ?? '0', maximum);
  if (rule === 'minimum' && minimum !== undefined) return faults.atLeast(minimum);
  if (rule === 'maximum' && maximum !== undefined) return faults.atMost(maximum);
  if (expected === 'amount') return faults.amount(example);
  return expected === 'whole-number' ? faults.number : faults.wrong;
}

export const refusalText = (error: unknown, { refusals, refused }: Words): string =>
  (error instanceof ApiProblem ? refusals[error.code] : undefined) ?? refused;
