import type { Hurdle } from '../../../libs/client';
import type { ProofVerdict } from '../kit/check-proof';
import type { CheckedDrawer } from '../kit/drawer';
import type { Win } from './player';

/** The texts of the extras. */
export interface ExtraWords {
  readonly password: {
    readonly form: string;
    readonly label: string;
    readonly submit: string;
    readonly asking: string;
    readonly wrong: string;
    readonly tooMany: (seconds: number) => string;
  };
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
  readonly copied: string;
  readonly copyThis: string;
  readonly bestLuck: string;
  readonly you: string;
}

const en: ExtraWords = {
  password: {
    form: 'Open with a password',
    label: 'Have a red-packet password?',
    submit: 'Open',
    asking: 'One moment…',
    wrong: "That password isn't right. Check it and try again.",
    tooMany: (seconds) =>
      `Too many wrong passwords. Try again in ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
  },
  codes: {
    coming: 'Your code is on its way. Stay here.',
    settlement: {
      held: "It's yours. We're reviewing it before showing its code.",
      'dead-letter': "It's yours. Your code is delayed, and we're on it.",
      void: 'It was voided and has no code.',
    },
    hurdle: {
      busy: 'So many people are asking for codes! Still trying for you…',
      away: "We can't show your code right now. It's still yours. Still trying…",
      unreachable: "No connection. Your code appears when it's back.",
    },
    keep: "Keep it safe and don't show it to anyone. You can find it again on this page.",
    gone: 'This code can no longer be shown here. Please contact support.',
    copy: 'Copy code',
    copied: 'Code copied.',
    copyByHand: 'Code selected. Copy it by hand.',
  },
  check: 'Was it fair?',
  checked: {
    checking: 'Checking…',
    before: 'Verified: this packet existed before the rain began.',
    added: 'Verified: this packet existed before it could be won.',
    refused: "Verification failed: this packet isn't among the published ones.",
    failed: "Couldn't check this right now.",
  },
  drawn: {
    sponsor: 'The sponsor and the server drew the amounts together, so neither could pick them.',
    server: 'The server drew the amounts alone.',
    claimed: 'The server says the sponsor took part in the draw. Check again after the end.',
  },
  rainCheck: {
    check: 'Is it fair? Check the draw',
    checking: 'Checking…',
    unknown: 'Nothing is published here, or the red packets are for someone else.',
    failed: "Couldn't check this. Please try again.",
  },
  share: 'Share link',
  copied: 'Link copied.',
  copyThis: 'Copy this link:',
  bestLuck: 'Best luck',
  you: 'You',
};

const zh: ExtraWords = {
  password: {
    form: '输入口令',
    label: '红包口令',
    submit: '打开',
    asking: '请稍候…',
    wrong: '口令不对，请检查后再试',
    tooMany: (seconds) => `口令输错次数过多，请在 ${seconds} 秒后再试`,
  },
  codes: {
    coming: '兑换码正在发放，请留在本页面',
    settlement: {
      held: '审核中，通过后可看到兑换码',
      'dead-letter': '兑换码延迟，客服正在处理',
      void: '红包已作废，没有兑换码',
    },
    hurdle: {
      busy: '人太多了，正在继续为您获取兑换码…',
      away: '暂时无法显示，兑换码仍是您的，正在继续获取…',
      unreachable: '网络已断开，恢复后自动显示兑换码',
    },
    keep: '请妥善保管，不要给别人看。再次打开本页面还能看到。',
    gone: '兑换码已无法在此显示，请联系客服',
    copy: '复制兑换码',
    copied: '兑换码已复制',
    copyByHand: '已选中兑换码，请手动复制',
  },
  check: '核对是否公平',
  checked: {
    checking: '正在核对…',
    before: '已核对：这个红包在红包雨开始之前就已存在。',
    added: '已核对：这个红包在可以抢之前就已存在。',
    refused: '核对未通过：这个红包不在已公布的红包之中。',
    failed: '暂时无法核对',
  },
  drawn: {
    sponsor: '由发起方与服务器共同抽取，任何一方都不能单独决定金额。',
    server: '由服务器单独抽取。',
    claimed: '公布称由发起方与服务器共同抽取，结束后可核对。',
  },
  rainCheck: {
    check: '公平吗？核对抽取结果',
    checking: '正在核对…',
    unknown: '这里没有公布任何内容，或者红包是发给别人的',
    failed: '暂时无法核对，请再试一次',
  },
  share: '分享链接',
  copied: '链接已复制',
  copyThis: '请复制此链接：',
  bestLuck: '手气最佳',
  you: '您',
};

export const EXTRA_WORDS: Readonly<Record<'en' | 'zh', ExtraWords>> = { en, zh };
