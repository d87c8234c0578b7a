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
    largest: (money) => `up to ${money} at a time`,
    perUserPerDay: (money) => `up to ${money} a day`,
  },
  tooLittle: (money) => `Withdrawals start at ${money}.`,
  noWay: "Withdrawals aren't available right now.",
  codesStay: "Codes can't be withdrawn. Find the ones you have viewed in “My red packets” under “Codes”.",
  asking: 'Withdrawing…',
  asked: (money) => `${money} is on its way.`,
  askedForReview: (money) => `${money} is in review. It leaves your wallet once approved.`,
  mine: 'Withdrawals',
  none: 'No withdrawals yet.',
  states: {
    review: 'In review',
    reserved: 'Queued',
    sending: 'Sending',
    unknown: 'Sent. Awaiting confirmation.',
    processing: 'Processing',
    'needs-user': 'Waiting for you',
    paid: 'Paid',
    refused: 'Failed. Returned to wallet.',
    returned: 'Sent back. Returned to wallet.',
  },
  codes: {
    'user-unknown': 'You have no account there.',
    'user-closed': 'Your account there is closed.',
    'limit-user': "You've reached your limit there.",
    currency: "This currency isn't accepted there.",
    amount: "This amount isn't accepted there.",
    'review-rejected': "It wasn't approved.",
    'review-expired': "It wasn't approved in time.",
    resolved: "We checked: it wasn't paid.",
  },
  refusals: {
    'request.invalid': 'Enter an amount above zero in digits, with no more decimals than your balance has.',
    'wallet.insufficient_funds': 'Not enough in your wallet.',
    'wallet.frozen': 'Your wallet is frozen. Please contact support.',
    'payout.below_smallest': "That's less than the smallest withdrawal.",
    'payout.above_largest': "That's more than the largest withdrawal.",
    'payout.limit_reached': "You've reached the daily limit, or too much is already on its way.",
    'payout_channel.paused': 'Withdrawals are paused right now. Please try again later.',
    'payout_channel.not_found': 'This way to withdraw is no longer available.',
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
  tooLittle: (money) => `余额满 ${money} 即可提现`,
  noWay: '暂不支持提现',
  codesStay: '兑换码不能提现，看过的兑换码在“我的红包”的“兑换码”里',
  asking: '正在提现…',
  asked: (money) => `${money} 提现处理中`,
  askedForReview: (money) => `${money} 审核中，通过后从钱包提现`,
  mine: '提现记录',
  none: '暂无提现记录',
  states: {
    review: '审核中',
    reserved: '排队中',
    sending: '提现中',
    unknown: '已提交，等待对方确认',
    processing: '对方处理中',
    'needs-user': '等待您操作',
    paid: '已到账',
    refused: '提现失败，已退回钱包',
    returned: '对方退回，已存回钱包',
  },
  codes: {
    'user-unknown': '您在对方没有账户',
    'user-closed': '您在对方的账户已关闭',
    'limit-user': '您在对方的额度已用完',
    currency: '对方不支持该币种',
    amount: '对方不接受该金额',
    'review-rejected': '审核未通过',
    'review-expired': '未在规定时间内通过审核',
    resolved: '经核实，款项没有到账',
  },
  refusals: {
    'request.invalid': '请用数字填写大于零的金额，小数位数不能多于余额的小数位数',
    'wallet.insufficient_funds': '钱包余额不足',
    'wallet.frozen': '钱包已冻结，请联系客服',
    'payout.below_smallest': '低于单笔最低提现金额',
    'payout.above_largest': '超过单笔最高提现金额',
    'payout.limit_reached': '已达到每日限额，或处理中的提现过多',
    'payout_channel.paused': '提现暂停中，请稍后再试',
    'payout_channel.not_found': '该提现方式已不再提供',
  },
};

export const PURSE_WORDS: Readonly<Record<'en' | 'zh', PurseWords>> = { en, zh };
export type { PurseWords };
