import { isNameOfSecret } from '../../model/sensitive-name.ts'
import { type Program, programs } from './command-programs.ts'
import { readCommands, type ShellCommand } from './shell-line.ts'

/** Takes one text that must not be shown. */
type Add = (secret: string) => void

/** Takes a secret among the words of a command, and the place of its word. */
type AddWord = (secret: string, index: number) => void

const MARKS = new RegExp(programs.flatMap(({ mark }) => (mark === undefined ? [] : [`(?:${mark.source})`])).join('|'))
/** A line with any of these may take part, besides those with a mark. */
const OTHERS = /pass|<<|>|\btee\b|\bsecret\b/
/** Programs that run others, whose words follow. */
const RUNS_OTHERS =
  /^(?:sudo|doas|env|exec|time|timeout|nohup|command|xargs|chroot|nsenter|unshare|su|runuser|ssh|sshpass|docker|podman|nerdctl|kubectl|oc|k3s|rke2|crictl|ctr|if|then|else|elif|do|while|until|!|\{|\(|RUN|CMD|ENTRYPOINT)$/
const ASSIGNMENT = /^[A-Za-z_]\w*=/
/** The key and the marks before a command in YAML, and in files of containers. */
const BEFORE = /^\s*(?:[-?]\s+)*(?:["']?[A-Za-z0-9_./-]{1,200}["']?\s*:\s+)?(?:[|>][-+0-9]*\s*)?[[(]?\s*/
/** Stands in for a value, or is none. */
const STAND_IN = /^(?:\$[A-Za-z_({@*#?]|\{\{|<<|%[A-Za-z_{]|`|<\w|@|-|\.{0,2}\/|[!*x]*$)/
/** Commands within words of one another: more is never written. */
const DEEPEST = 2
/** A file that has more than one secret, each with its name beside it, or lines that are known by their form. */
const OF_MANY =
  /(?:kubeconfig|npmrc|pypirc|netrc|dockercfg|dockerconfigjson|\.(?:crt|cer|ya?ml|json|conf|cnf|ini|env|toml|sh|py))$/i
/** The end of a text that a script has within it is not far. */
const MOST_LINES = 200

/** True if a text may hold a command that is looked for, though no name of a secret is in it. */
export function mayHoldShellSecret(text: string): boolean {
  return MARKS.test(text)
}

/** Finds secrets that scripts give to programs: as words, through pipes, and in texts within the script. */
export function collectFromShell(document: string, add: Add): void {
  if (!MARKS.test(document) && !OTHERS.test(document)) return
  const lines = document.replaceAll(/\\\r?\n[ \t]*/g, ' ').split(/\r?\n/)
  const bodies = new Bodies(lines)
  for (const [index, line] of lines.entries()) {
    if (/^\s*#/.test(line) || !(MARKS.test(line) || OTHERS.test(line))) continue
    const body = (word: string): readonly string[] => bodies.behind(index, word)
    collectFromLine(line.slice(BEFORE.exec(line)?.[0].length ?? 0), { add, body, levels: DEEPEST })
  }
}

/** The same of words that are known to be those of one command. */
export function collectProgramWords(words: readonly string[], add: AddWord): void {
  for (const { program, start } of programsOf(words)) collectOf(program, words, start, add)
}

interface LineContext {
  readonly add: Add
  /** The lines of the text behind `<<`. */
  readonly body: (word: string) => readonly string[]
  readonly levels: number
}

function collectFromLine(line: string, { add, body, levels }: LineContext): void {
  const commands = readCommands(line)
  for (const [index, command] of commands.entries()) {
    const before = commands[index - 1]
    const input = inputOf(command, before?.isPiped === true ? before : undefined, body)
    for (const { program, start } of programsOf(command.words)) {
      collectOf(program, command.words, start, (secret) => {
        add(secret)
      })
      if (program.reads !== undefined && meets(program, command.words, start)) addInput(program.reads, input, add)
    }
    collectWritten(command, input, { add, body })
    if (command.words[0] === 'read' && command.words.slice(1).some((word) => isNameOfSecret(word)))
      addInput('secret', input, add)
    if (levels > 0)
      for (const word of command.words)
        if (/\s/.test(word)) collectFromLine(inner(word), { add, body, levels: levels - 1 })
  }
}

/** A command within a word: what stands around it in a list in flow style, or puts its output there, is none of it. */
function inner(word: string): string {
  return word.replaceAll(/^[[(]+|[\]),]+$/g, '').replaceAll('$(', ';')
}

interface FoundProgram {
  readonly program: Program
  /** Where its own words begin. */
  readonly start: number
}

/** The programs that words run: the first one, and those behind one that runs others. */
function programsOf(words: readonly string[]): readonly FoundProgram[] {
  const found: FoundProgram[] = []
  let mayFollow = true
  for (const [index, word] of words.entries()) {
    if (!mayFollow || index > 40) break
    const name = word.slice(word.lastIndexOf('/') + 1).replace(/^\$?\(/, '')
    for (const program of programs) if (program.name.test(name)) found.push({ program, start: index + 1 })
    mayFollow =
      ASSIGNMENT.test(word) || RUNS_OTHERS.test(name) || words.slice(0, index).some((one) => RUNS_OTHERS.test(one))
  }
  return found
}

function meets({ words: wanted = [], needs, valued }: Program, words: readonly string[], start: number): boolean {
  const own = words.slice(start)
  if (needs !== undefined && !own.some((word) => needs.test(word))) return false
  const plain = plainWords(words, start, valued)
  return wanted.every((form, index) => form.test(plain[index]?.word ?? ''))
}

/** The words without a flag. */
function plainWords(
  words: readonly string[],
  start: number,
  valued: RegExp | undefined,
): readonly { readonly word: string; readonly index: number }[] {
  return words.flatMap((word, index) => {
    const isFlag = /^-./.test(word)
    const isValue = index > start && valued?.test(words[index - 1] ?? '') === true
    return index < start || isFlag || isValue ? [] : [{ word, index }]
  })
}

function collectOf(program: Program, words: readonly string[], start: number, add: AddWord): void {
  if (!meets(program, words, start)) return
  const { secret, login, literal, valued, words: wanted = [], operand, loginOperand, literals } = program
  for (let index = start; index < words.length; index++) {
    const word = words[index] ?? ''
    const next = words[index + 1] ?? ''
    const [, flag = '', value] = /^(--?[^=\s]+?)(?:=(.*))?$/s.exec(word) ?? []
    const place = value === undefined ? index + 1 : index
    if (secret?.test(flag) === true) addValue(value ?? next, place, add)
    else if (secret?.test(word.slice(0, 2)) === true && /^-[A-Za-z]./.test(word)) addValue(word.slice(2), index, add)
    if (login?.test(flag) === true) addLogin(value ?? next, place, add)
    if (literal?.test(flag) === true) addLiteral(value ?? next, place, add)
  }
  const plain = plainWords(words, start, valued).slice(wanted.length)
  const at = (place: number | undefined): { readonly word: string; readonly index: number } | undefined =>
    place === undefined ? undefined : plain.at(place)
  const own = at(operand)
  if (own !== undefined && !/^[a-z_]+=./.test(own.word)) addValue(own.word, own.index, add)
  const user = at(loginOperand)
  if (user !== undefined) addLogin(user.word, user.index, add)
  if (literals !== undefined) for (const { word, index } of plain.slice(literals)) addLiteral(word, index, add)
}

function addValue(value: string, index: number, add: AddWord): void {
  // a list in flow style has commas and brackets behind its words
  const own = value.replace(/[\],]+$/, '')
  if (own.length > 2 && !STAND_IN.test(own)) add(own, index)
}

function addLogin(value: string, index: number, add: AddWord): void {
  const sign = value.search(/[:%]/)
  if (sign > 0 && !/^(?:env|fd|file):/.test(value)) addValue(value.slice(sign + 1), index, add)
}

function addLiteral(value: string, index: number, add: AddWord): void {
  const sign = value.indexOf('=')
  if (sign > 0) addValue(value.slice(sign + 1), index, add)
}

/** The lines that a command reads, as far as the script has them. */
function inputOf(
  { hereString, heredoc: end }: ShellCommand,
  before: ShellCommand | undefined,
  body: LineContext['body'],
): readonly string[] {
  if (hereString !== undefined) return linesOf(hereString)
  if (end !== undefined) return body(end)
  if (before === undefined) return []
  return before.heredoc === undefined ? writtenBy(before.words) : body(before.heredoc)
}

/** The lines that `echo` or `printf` writes. */
function writtenBy(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => /^(?:echo|printf)$/.test(word.slice(word.lastIndexOf('/') + 1)))
  if (at === -1) return []
  const own = words.slice(at + 1).filter((word, index) => !(index < 2 && /^-[neE]{1,3}$|^--$/.test(word)))
  const [format = '', ...rest] = own
  if (!words[at]?.endsWith('printf') || rest.length === 0 || !format.includes('%')) return linesOf(own.join(' '))
  if (format.startsWith('%s:%s')) return [`${rest[0] ?? ''}:${rest[1] ?? ''}`]
  return rest.flatMap((word) => linesOf(`${format.slice(0, format.indexOf('%'))}${word}`))
}

/** Where lines are written with escapes, also with the letter of one: nothing stands between that and the word. */
function linesOf(text: string): readonly string[] {
  const lines = text.split(/\\{1,2}[nr]|[\r\n]+/)
  return text.includes('\n') ? lines : [...lines, ...lines.slice(1).map((line) => `n${line}`)]
}

function addInput(kind: 'secret' | 'logins', lines: readonly string[], add: Add): void {
  const take = (secret: string): void => {
    add(secret)
  }
  for (const line of lines)
    if (kind === 'secret') addValue(line.trim(), 0, take)
    else for (const word of line.trim().split(/\s+/)) addLogin(word, 0, take)
}

/** Takes what is written into a file that is called for a secret: by `>`, `tee`, or a text within the script. */
function collectWritten(
  { words, target, heredoc: end }: ShellCommand,
  input: readonly string[],
  { add, body }: Pick<LineContext, 'add' | 'body'>,
): void {
  const tee = words.findIndex((word) => /^(?:.*\/)?tee$/.test(word))
  const files = tee === -1 ? (target === undefined ? [] : [target]) : words.slice(tee + 1)
  for (const file of files) {
    const name = file.slice(file.lastIndexOf('/') + 1)
    if (OF_MANY.test(name) || !(isNameOfSecret(name) || /^\.?(?:pgpass|htpasswd)$/.test(name))) continue
    const lines = tee === -1 ? (end === undefined ? writtenBy(words) : body(end)) : input
    // keys are found by their heads, and what is public is shown
    if (lines.some((line) => line.includes('-----BEGIN'))) continue
    for (const line of lines) addLine(name, line.trim(), add)
  }
}

function addLine(name: string, line: string, add: Add): void {
  const take = (secret: string): void => {
    add(secret)
  }
  if (name.endsWith('htpasswd')) addLogin(line, 0, take)
  else if (name.endsWith('pgpass')) addValue(line.slice(line.lastIndexOf(':') + 1), 0, take)
  else if (!/[\s#]/.test(line)) addValue(line, 0, take)
}

/** The texts that a script has within it. */
class Bodies {
  readonly #lines: readonly string[]
  readonly #ends: ReadonlySet<string>
  #isCut = false

  constructor(lines: readonly string[]) {
    this.#lines = lines
    this.#ends = new Set(lines.map((line) => line.trim()))
  }

  /** The lines behind one, up to a word; once also up to the end, where the script was cut. */
  behind(index: number, word: string): readonly string[] {
    const hasEnd = this.#ends.has(word)
    if (!hasEnd && this.#isCut) return []
    this.#isCut ||= !hasEnd
    const own = this.#lines.slice(index + 1, index + 1 + MOST_LINES)
    const end = own.findIndex((line) => line.trim() === word)
    return end === -1 ? own : own.slice(0, end)
  }
}
