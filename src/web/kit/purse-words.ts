import type { ProblemCode } from '../../../libs/client';
import type { Payout } from './purse';

interface PurseWords {
  readonly close: string;
  readonly withdraw: string;
  readonly amount: string;
  readonly channel: string;
  readonly limits: {
    readonly smallest: (money: string) => string;
    readonly largest: (money: string) => string;
    readonly perUserPerDay: (money: string) => string;
  };
  readonly tooLittle: (money: string) => string;
  readonly noWay: string;
  readonly codesStay: string;
  readonly asking: string;
  readonly asked: (money: string) => string;
  readonly askedForReview: (money: string) => string;
  readonly mine: string;
  readonly none: string;
  readonly states: Readonly<Record<Payout['state'], string>>;
  /** The reasons of channels and of our own staff. */
  readonly codes: Readonly<Record<string, string>>;
  readonly refusals: Readonly<Partial<Record<ProblemCode, string>>>;
}

const en: PurseWords = {
  close: 'Close',
  withdraw: 'Withdraw',
  amount: 'Amount',
  channel: 'To',
  limits: {
    smallest: (money) => `At least ${money}`,
    largest: (money) => `at most ${money} at once`,
    perUserPerDay: (money) => `at most ${money} a day`,
  },
  tooLittle: (money) => `You can withdraw once your wallet holds ${money}.`,
  noWay: 'Nothing can be withdrawn here at the moment.',
  codesStay: 'Codes cannot be withdrawn. Those that you have opened are in “My red packets” under “Codes”.',
  asking: 'Withdrawing…',
  asked: (money) => `${money} is on its way.`,
  askedForReview: (money) => `${money} leaves your wallet once our team has approved it.`,
  mine: 'Your withdrawals',
  none: 'You have not withdrawn anything yet.',
  states: {
    review: 'Waiting for approval',
    reserved: 'Waiting for its turn',
    sending: 'Being sent',
    unknown: 'Sent, not confirmed yet. We keep asking.',
    processing: 'Being paid',
    'needs-user': 'Waiting for you',
    paid: 'Paid',
    refused: 'Not paid: it is back in your wallet',
    returned: 'Sent back: it is in your wallet again',
  },
  codes: {
    'user-unknown': 'You have no account there.',
    'user-closed': 'Your account there is closed.',
    'limit-user': 'Your limit there is reached.',
    currency: 'This currency is not accepted there.',
    amount: 'This amount is not accepted there.',
    'review-rejected': 'Our team has not approved it.',
    'review-expired': 'It was not approved in time.',
    resolved: 'Our team found that it was not paid.',
  },
  refusals: {
    'request.invalid':
      'Please enter an amount above zero in digits, with no more decimals than your balance has.',
    'wallet.insufficient_funds': 'Your wallet does not hold that much.',
    'wallet.frozen': 'Your wallet is locked. Please ask our team.',
    'payout.below_smallest': 'That is less than can be withdrawn at once.',
    'payout.above_largest': 'That is more than can be withdrawn at once.',
    'payout.limit_reached':
      'You have reached the daily limit, or too much of your money is already on its way.',
    'payout_channel.paused': 'Withdrawals are paused for the moment. Please try again later.',
    'payout_channel.not_found': 'This way to withdraw is no longer offered.',
  },
};

const zh: PurseWords = {
  close: '关闭',
  withdraw: '提现',
  amount: '金额',
  channel: '提现至',
  limits: {
    smallest: (money) => `最低 ${money}`,
    largest: (money) => `单笔最高 ${money}`,
    perUserPerDay: (money) => `每日最高 ${money}`,
  },
  tooLittle: (money) => `余额满 ${money} 即可提现。`,
  noWay: '目前暂不能提现。',
  codesStay: '兑换码不能提现，看过的兑换码在“我的红包”页的“兑换码”里。',
  asking: '正在提现…',
  asked: (money) => `${money} 正在转出。`,
  askedForReview: (money) => `${money} 将在我们审核通过后转出。`,
  mine: '提现记录',
  none: '您还没有提现过。',
  states: {
    review: '等待审核',
    reserved: '排队中',
    sending: '正在转出',
    unknown: '已转出，等待对方确认，我们正在查询',
    processing: '对方处理中',
    'needs-user': '等待您操作',
    paid: '已到账',
    refused: '未能转出，已退回钱包',
    returned: '已被退回，已存回钱包',
  },
  codes: {
    'user-unknown': '您在对方没有账户。',
    'user-closed': '您在对方的账户已关闭。',
    'limit-user': '您在对方的额度已用完。',
    currency: '对方不支持该币种。',
    amount: '对方不接受该金额。',
    'review-rejected': '审核未通过。',
    'review-expired': '未在规定时间内审核。',
    resolved: '经我们核实，款项没有支付。',
  },
  refusals: {
    'request.invalid': '请用数字填写大于零的金额，小数位数不能多于余额的小数位数。',
    'wallet.insufficient_funds': '钱包余额不足。',
    'wallet.frozen': '您的钱包已被锁定，请联系我们。',
    'payout.below_smallest': '低于单笔最低提现金额。',
    'payout.above_largest': '超过单笔最高提现金额。',
    'payout.limit_reached': '已达到每日限额，或正在转出的款项过多。',
    'payout_channel.paused': '提现暂停中，请稍后再试。',
    'payout_channel.not_found': '该提现方式已不再提供。',
  },
};

export const PURSE_WORDS: Readonly<Record<'en' | 'zh', PurseWords>> = { en, zh };
export type { PurseWords };
