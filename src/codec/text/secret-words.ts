import { isNameOfSecret } from '../../model/sensitive-name.ts'
import { secretOfHeader } from './secret-lines.ts'
import { collectProgramWords } from './shell-secrets.ts'

/** Takes one text that must not be shown. */
type Add = (secret: string) => void

const MASK = '********'

/** A word of a command, with quotes or in a list in flow style. */
const WORD = /"(?:[^"\\]|\\.){0,1000}"|'[^']{0,1000}'|[^\s,[\]{}"']{1,1000}/g
/** Commands in quotes within one another: more is never written. */
const DEEPEST = 2
const FLAG = /^--?([A-Za-z][A-Za-z0-9_.-]{0,200})$/
const FLAG_WITH_VALUE = /^--?([A-Za-z][A-Za-z0-9_.-]{0,200})=(.{1,4000})$/s
/** Programs whose `-p` is the password. */
const ASKS_PASSWORD = /(?:^|\/)(?:mysql|mariadb|mongo|sshpass|ldap|redis|docker|podman|skopeo|helm|oras)[a-z-]{0,20}$/
/** Says only where the secret comes from: `--password-stdin`. */
const SWITCH = /-(?:stdin|fd|env)$/
/** A number of a port or process, or a word in small letters as flags of Go are: `-port`, `-p 8080:80`. */
const PLAIN_WORD = /^(?:[a-z]+(?:-[a-z]+)*(?:=.*)?|[\d:.]+|[=:/.].*)$/s
/** Letters and digits: behind `-p` of a program that nobody knows, what is no port and no path. */
const LOOKS_RANDOM = /^(?=.*\d)(?=.*[A-Za-z]).{6,200}$/s
/** Stands in for a value: a variable, or an action of a template. */
const STAND_IN = /^(?:\$[A-Za-z_({].*|\{\{.*|<<.*|%[A-Za-z_{].*)$/s
/** Ports that a program maps. */
const PORTS = /^(?:[\d.]{1,20}:)?\d{1,5}:\d{1,5}$/
/** A path is where a secret is, and none. */
const PATH = /^(?:\.{0,2}\/)?(?:etc|var|run|tmp|home|opt|usr|srv|root|mnt|data|certs?|secrets?|config|keys)\/[\w./-]*$/

/**
 * Finds the secrets among the words of a command: behind `--token`, in `--password=…`, `-p…`, and behind the colon of
 * `-u user:password`.
 */
export function collectSecretWords(words: readonly string[], add: (secret: string, index: number) => void): void {
  let before = ''
  let asksPassword = false
  for (const [index, word] of words.entries()) {
    const addOwn = (secret: string): void => {
      add(secret, index)
    }
    if (asksForSecret(before, asksPassword)) addValue(word, addOwn)
    else if (isUserFlag(before)) addUser(word, addOwn)
    else if (/^(?:-H|--header)$/.test(before)) addValue(secretOfHeader(word), addOwn)
    else if (/^(?:-b|--cookie)$/.test(before)) addCookie(word, addOwn)
    else if (before === '-p' && LOOKS_RANDOM.test(word) && !PLAIN_WORD.test(word)) addValue(word, addOwn)
    else collectFromWord(word, asksPassword, addOwn)
    asksPassword ||= ASKS_PASSWORD.test(word)
    before = word
  }
  collectProgramWords(words, add)
}

/** The words of a command as they may be shown. */
export function maskSecretWords(words: readonly string[]): readonly string[] {
  const shown = [...words]
  const starts = new Map<number, number>()
  collectSecretWords(words, (secret, index) => {
    const word = words[index] ?? ''
    const start = Math.min(starts.get(index) ?? word.length, Math.max(0, word.lastIndexOf(secret)))
    starts.set(index, start)
    shown[index] = word.slice(0, start) + MASK
  })
  return shown
}

/** True if the word behind this one is a secret. */
export function asksForSecret(word: string, asksPassword = false): boolean {
  if (word === '-p' || word === '-P') return asksPassword
  const [, name] = FLAG.exec(word) ?? []
  return name !== undefined && name.length > 1 && isNameOfSecret(name) && !SWITCH.test(name)
}

/** True if a line may be one of a command with words that are looked for. */
export function mayBeCommand(line: string): boolean {
  return /(?:^|[\s"',[=])-(?:[puUaHb]|-[A-Za-z])/.test(line)
}

/** The same of a line of a script, or of a list in flow style; a word in quotes may be a command of its own. */
export function collectFromCommand(line: string, add: Add, levels: number = DEEPEST): void {
  if (!mayBeCommand(line)) return
  const words = [...line.matchAll(WORD)].map(([word]) => word.replaceAll(/^["']|["']$/g, ''))
  collectSecretWords(words, (secret, index) => {
    add(secret)
    // a word in small letters is found alone, and here it is not
    const word = words[index] ?? ''
    if (/^-[A-Za-z][A-Za-z]?[a-z]+$/.test(word) && word.slice(2) === secret) add(word)
  })
  if (levels > 0) for (const word of words) if (/\s/.test(word)) collectFromCommand(word, add, levels - 1)
}

function isUserFlag(word: string): boolean {
  return word === '-u' || word === '-U' || /^--(?:proxy-)?user$/.test(word)
}

function collectFromWord(word: string, asksPassword: boolean, add: Add): void {
  if (!word.startsWith('-')) return
  const [, name = '', value = ''] = FLAG_WITH_VALUE.exec(word) ?? []
  if (isNameOfSecret(name)) addValue(value, add)
  else if (/^(?:proxy-)?user$/.test(name)) addUser(value, add)
  else if (name === 'header') addValue(secretOfHeader(value), add)
  else if (name === 'cookie') addCookie(value, add)
  else if (word.startsWith('-H')) addValue(secretOfHeader(word.slice(2)), add)
  else if (word.startsWith('-u')) addUser(word.slice(2), add)
  else if (/^-p./s.test(word) && (asksPassword || !PLAIN_WORD.test(word.slice(2)))) addValue(word.slice(2), add)
}

/** `user:password`; `1000:1000` are the numbers of a user and a group. */
function addUser(word: string, add: Add): void {
  const colon = word.indexOf(':')
  if (colon > 0 && !/^\d*:\d*$/.test(word)) addValue(word.slice(colon + 1), add)
}

/** `session=value`; without `=` it is a file. */
function addCookie(word: string, add: Add): void {
  const equals = word.indexOf('=')
  if (equals > 0) addValue(word.slice(equals + 1), add)
}

function addValue(word: string, add: Add): void {
  if (word !== '' && !word.startsWith('--') && ![STAND_IN, PATH, PORTS].some((form) => form.test(word))) add(word)
}
