import type { Command as Parser } from 'commander';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** The name under which people have the program, or an alias of theirs. */
const NAME = 'hongbao-admin';

/** Returns a script that knows the whole tree, so that no key press starts a program. */
export function completionScript(program: Parser, shell: (typeof SHELLS)[number]): string {
  if (shell === 'fish') return fishScript(program);
  const bash = bashScript(program);
  return shell === 'zsh' ? `autoload -U +X bashcompinit && bashcompinit\n${bash}` : bash;
}

interface Subcommand {
  /** Words that were typed before, such as `activities list`. */
  readonly words: string;
  readonly parser: Parser;
}

export const subcommandsOf = (parser: Parser, words = ''): Subcommand[] => [
  { words, parser },
  ...parser.commands.flatMap((one) => subcommandsOf(one, `${words} ${one.name()}`.trim())),
];

const offersOf = (parser: Parser): string[] => [
  ...parser.commands.map((one) => one.name()),
  ...parser.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  ...parser.options.map(({ long }) => long!),
];

function bashScript(program: Parser): string {
  const places = subcommandsOf(program);
  const offers = places.map(
    ({ words, parser }) => `    '${words}') offers='${offersOf(parser).join(' ')}' ;;`,
  );
  const values = places.flatMap(({ words, parser }) =>
    parser.options.flatMap(({ long, argChoices, required }) =>
      required ? [`    '${words} ${long}') offers='${argChoices?.join(' ') ?? ''}' ;;`] : [],
    ),
  );
  return `_hongbao_admin() {
  local place='' offers='' before="\${COMP_WORDS[COMP_CWORD-1]}" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${place:+$place }$word" in
      ${places
        .map(({ words }) => `'${words}'`)
        .slice(1)
        .join('|')}) place="\${place:+$place }$word" ;;
    esac
  done
  case "$place" in
${offers.join('\n')}
  esac
  case "$place $before" in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offers" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _hongbao_admin ${NAME}
`;
}

function fishScript(program: Parser): string {
  const lines = subcommandsOf(program).flatMap(({ words, parser }) => [
    ...parser.commands.map(
      (one) => `${fishLine(`^${words}$`)} -f -a ${one.name()} -d ${quoted(one.description())}`,
    ),
    ...parser.options.map(
      ({ long, required, argChoices, description }) =>
        `${fishLine(`^${words}( |$)`)} -l ${long!.slice(2)}${required ? ' -r' : ''}` +
        `${argChoices ? ` -f -a ${quoted(argChoices.join(' '))}` : ''} -d ${quoted(description)}`,
    ),
  ]);
  return `function __hongbao_admin_at
  set -l words (commandline -opc)
  set -e words[1]
  string match -qr -- $argv[1] "$words"
end
${lines.join('\n')}
`;
}

const fishLine = (place: string): string =>
  `complete -c ${NAME} -n ${quoted(`__hongbao_admin_at '${place}'`)}`;

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
