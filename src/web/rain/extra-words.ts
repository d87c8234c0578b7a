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
    label: 'Do you have a password?',
    submit: 'Open',
    asking: 'One moment…',
    wrong: 'This password opens nothing here.',
    tooMany: (seconds) => `Too many wrong passwords. Try again in ${seconds} seconds.`,
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
  check: 'Was it fair?',
  checked: {
    checking: 'Checking…',
    before: 'Checked: this packet existed before the rain began.',
    added: 'Checked: this packet existed before it could be won.',
    refused: 'This packet is not among those that were published.',
    failed: 'It could not be checked.',
  },
  drawn: {
    sponsor: 'Drawn by the sponsor and the server together, so neither could choose the amounts.',
    server: 'Drawn by the server alone.',
    claimed: 'Said to be drawn by the sponsor and the server together: check again after the end.',
  },
  rainCheck: {
    check: 'Is it fair? Check the draw',
    checking: 'Checking…',
    unknown: 'Nothing is published here, or the red packets are for someone else.',
    failed: 'It could not be checked. Please try again.',
  },
  share: 'Share the link',
  copied: 'The link is copied.',
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
    wrong: '口令不对，或没有这个红包。',
    tooMany: (seconds) => `口令输错次数过多，请在 ${seconds} 秒后再试。`,
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
  check: '核对是否公平',
  checked: {
    checking: '正在核对…',
    before: '已核对：这个红包在红包雨开始之前就已存在。',
    added: '已核对：这个红包在可以抢之前就已存在。',
    refused: '这个红包不在已公布的红包之中。',
    failed: '暂时无法核对。',
  },
  drawn: {
    sponsor: '由发起方与服务器共同抽取，任何一方都不能单独决定金额。',
    server: '由服务器单独抽取。',
    claimed: '公布称由发起方与服务器共同抽取，结束后可核对。',
  },
  rainCheck: {
    check: '公平吗？核对抽取结果',
    checking: '正在核对…',
    unknown: '这里没有公布任何内容，或者红包是发给别人的。',
    failed: '暂时无法核对，请再试一次。',
  },
  share: '分享链接',
  copied: '链接已复制。',
  copyThis: '请复制此链接：',
  bestLuck: '手气最佳',
  you: '您',
};

export const EXTRA_WORDS: Readonly<Record<'en' | 'zh', ExtraWords>> = { en, zh };
