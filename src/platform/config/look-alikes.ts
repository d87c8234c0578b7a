import { getMetadataStorage } from 'class-validator';
import { AppConfig } from './app-config';

export const settingNames = (): string[] => [
  ...new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(AppConfig, '', true, false)
      .map(({ propertyName }) => propertyName),
  ),
];

/** Returns a sentence for each variable that is one typo away from a setting. */
export function lookAlikes(env: NodeJS.ProcessEnv): string[] {
  const settings = settingNames().filter((name) => name.includes('_'));
  return Object.keys(env).flatMap((name) => {
    const meant = settings.includes(name) ? undefined : settings.find((setting) => isOneSlip(name, setting));
    return meant === undefined ? [] : [`${name} is not a setting and has no effect. Did you mean ${meant}?`];
  });
}

/** Whether one letter is missing, added or different, or two neighbours are swapped. */
function isOneSlip(name: string, setting: string): boolean {
  let start = 0;
  while (start < name.length && name[start] === setting[start]) start += 1;
  let kept = Math.min(name.length, setting.length) - start;
  while (kept > 0 && !name.endsWith(setting.slice(-kept))) kept -= 1;
  const typed = name.slice(start, name.length - kept);
  const meant = setting.slice(start, setting.length - kept);
  return (typed.length <= 1 && meant.length <= 1) || (typed.length === 2 && typed === meant[1]! + meant[0]!);
}
