import { execFile, spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Shells whose completion is tried as people use it. */
export type Shell = 'fish' | 'zsh'

/** How the script gets into the shell: `fpath` is a folder from which zsh loads it when it is first needed. */
type Install = 'sourced' | 'fpath'

/** True if the shell is on this machine. */
export function hasShell(shell: Shell): boolean {
  return spawnSync(shell, ['--version']).status === 0
}

/** What zsh does before somebody types: it notes what is offered, and no more than that, when Tab is pressed. */
const zshSetup = `PROMPT=
[[ $INSTALL == fpath ]] && fpath=($PWD $fpath)
autoload -Uz compinit
compinit -u -D
[[ $INSTALL == fpath ]] || source ./_stackmason
compadd() {
  # calls with these only ask what would match
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -A hits "$@"
  (( $#hits )) && print -rl -- "\${(@Q)hits}" >> offered
  builtin compadd "$@"
}
answer() { _main_complete; : > done }
zle -C answer list-choices answer
bindkey '^I' answer
: > ready
`

/** Types in a terminal, as zsh completes nowhere else. */
const zshTyping = `zmodload zsh/zpty zsh/zselect
zpty terminal zsh -f -i
await() { local -i tries; until [[ -e $1 ]]; do (( ++tries < 800 )) || exit 1; zselect -t 5; zpty -rt terminal shown; done }
zpty -w terminal 'source ./setup'
await ready
zpty -wn terminal "$1"$'\\t'
await done
zpty -d terminal
`

/** What the shell offers for a line that is being typed, sorted, each once; `folder` holds a program `stackmason`. */
export async function typeInShell(
  shell: Shell,
  line: string,
  { folder, script, install = 'sourced' }: ShellSetup,
): Promise<readonly string[]> {
  await writeFile(join(folder, '_stackmason'), script)
  const env = { HOME: folder, PATH: `${folder}:${process.env['PATH'] ?? ''}`, LC_ALL: 'C.UTF-8', TERM: 'dumb' }
  const options = { cwd: folder, encoding: 'utf8', env: { ...env, INSTALL: install } } as const
  if (shell === 'fish') {
    const { stdout } = await run('fish', ['--no-config', '-c', 'source _stackmason; complete -C "$LINE"'], {
      ...options,
      env: { ...options.env, LINE: line },
    })
    return sorted(stdout.split('\n').map((offer) => offer.replace(/\t.*/, '')))
  }
  await writeFile(join(folder, 'setup'), zshSetup)
  await writeFile(join(folder, 'typing'), zshTyping)
  await run('zsh', ['-f', 'typing', line], options)
  return sorted((await readFile(join(folder, 'offered'), 'utf8').catch(() => '')).split('\n'))
}

interface ShellSetup {
  readonly folder: string
  /** The completion script. */
  readonly script: string
  readonly install?: Install
}

function sorted(offers: readonly string[]): readonly string[] {
  return [...new Set(offers)].filter((offer) => offer !== '').sort()
}
