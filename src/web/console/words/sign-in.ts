interface SignInWords {
  readonly title: string;
  readonly otherLanguage: string;
  readonly loading: string;
  /** Said of whatever is loaded after the first screen. */
  readonly missing: string;
  readonly reload: string;
  readonly notStaff: string;
  readonly hasEnded: string;
  readonly token: string;
  readonly tokenHint: string;
  readonly signIn: string;
  readonly byAccount: string;
  /** Between the two ways. */
  readonly or: string;
  readonly blocked: string;
  readonly invalid: (fault: string) => string;
  readonly refused: (error: string) => string;
}

/** The texts that are shown before the others have loaded. */
export const SIGN_IN_WORDS: Readonly<Record<'en' | 'zh', SignInWords>> = {
  en: {
    title: 'Hongbao console',
    otherLanguage: '中文',
    loading: 'Loading…',
    missing: 'Part of this page did not load. Reload the page.',
    reload: 'Reload',
    notStaff:
      'The token is not that of staff: it must name the role operator, campaign, finance or support, or that of a channel, where this installation reads roles.',
    hasEnded: 'Your sign-in has ended. Sign in again to continue where you were.',
    token: 'Token',
    tokenHint:
      'The one you were given, as staff or for a payout channel. The tabs of this browser share it until you sign out.',
    signIn: 'Sign in',
    byAccount: 'Sign in with your account',
    or: 'or',
    blocked: 'The browser did not open a tab for the sign-in. Allow it, or use a token.',
    invalid: (fault) => `The sign-in service gave no valid answer: ${fault}`,
    refused: (error) => `The sign-in service refused: ${error}`,
  },
  zh: {
    title: '红包控制台',
    otherLanguage: 'English',
    loading: '加载中…',
    missing: '页面有一部分未能加载，请刷新页面。',
    reload: '刷新',
    notStaff:
      '该令牌不属于工作人员：按本系统读取角色的方式，其中须有 operator、campaign、finance、support 或渠道的角色。',
    hasEnded: '登录已到期，重新登录后可从原处继续。',
    token: '令牌',
    tokenHint: '发给您的令牌：工作人员的，或提现渠道的。本浏览器的各标签页共用，退出登录后即清除。',
    signIn: '登录',
    byAccount: '用您的账号登录',
    or: '或',
    blocked: '浏览器没有打开登录标签页，请允许弹出，或改用令牌。',
    invalid: (fault) => `登录服务的应答无效：${fault}`,
    refused: (error) => `登录服务拒绝了登录：${error}`,
  },
};
