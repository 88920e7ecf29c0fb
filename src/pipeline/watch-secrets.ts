import { HIDDEN } from '../report/tree-change/format-field.ts'
import { collectSecretTexts, KnownLines } from '../codec/text/secret-texts.ts'
import { decodeBase64 } from '../codec/bytes/base64.ts'
import { MaskTexts } from '../codec/text/mask-texts.ts'
import { decodeUtf8 } from '../codec/bytes/utf8.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { GitRemote } from '../model/git.ts'
import type { Ports } from '../model/ports.ts'
import { isNameOfSecret } from '../model/sensitive-name.ts'

/** The amount of text that is kept unread until a message needs it; beyond this it is looked through at once. */
const MOST_KEPT = 24 * 1024 * 1024
/**
 * The amount of text that is remembered as looked through: the trees of many clusters hold the same files, and a second
 * look finds nothing new.
 */
const MOST_REMEMBERED = 16 * 1024 * 1024
const ENTRY = 512

/** The secrets that a run got, and their removal from all its output. */
export interface SecretWatch {
  /** The ports, which note what is read through them. */
  readonly ports: Ports
  /** Notes a text that did not come through a port: words of the command line, standard input. */
  readonly note: (text: string | Uint8Array) => void
  /** Takes names that are shown even where they equal a secret: of objects, and of what they are in or refer to. */
  readonly spare: (names: Iterable<string>) => void
  /** A text as it may be shown. */
  readonly mask: (text: string) => string
  /** A finding as it may be shown; here short plain words are hidden, too. */
  readonly maskFinding: (finding: Diagnostic) => Diagnostic
  /** A text of a JSON report as it may be shown; `field` is the name of its field. */
  readonly maskField: (field: string, text: string) => string
}

/** Watches over one run. `environment` holds the variables that it can read. */
export function watchSecrets(
  ports: Ports,
  environment: Readonly<Record<string, string | undefined>> = {},
): SecretWatch {
  const masks = new MaskTexts()
  const add = (secret: string): void => {
    // our own word for one: a pull request that we wrote is read again
    if (secret === HIDDEN) return
    masks.add(secret)
  }
  let kept: (string | Uint8Array)[] = []
  let size = 0
  let isEnvironmentRead = false
  const seen = new Set<string>()
  const lines = new KnownLines()
  let remembered = 0
  const look = (text: string): void => {
    if (seen.has(text)) return
    collectSecretTexts(text, add, lines)
    if (text.length > MOST_REMEMBERED) return
    remembered += text.length
    if (remembered > MOST_REMEMBERED) {
      seen.clear()
      lines.clear()
      remembered = text.length
    }
    seen.add(text)
  }
  const lookThrough = (): void => {
    for (const item of kept) for (const text of textsOf(item)) look(text)
    kept = []
    size = 0
  }
  const note = (item: string | Uint8Array): void => {
    kept.push(item)
    size += item.length
    if (size > MOST_KEPT) lookThrough()
  }
  const known = (): MaskTexts => {
    lookThrough()
    if (!isEnvironmentRead) {
      isEnvironmentRead = true
      for (const [name, value = ''] of Object.entries(environment)) {
        if (isNameOfSecret(name) && !value.startsWith('/')) add(value)
        if (value.includes('@')) collectSecretTexts(value, add)
      }
    }
    return masks
  }
  const strict = (text: string): string => known().mask(text, 'strict')
  const mask = (text: string): string => known().mask(text, 'telling')
  return {
    ports: watchPorts(ports, note, add),
    note,
    spare: (names) => {
      for (const name of names) masks.spare(name)
    },
    mask,
    maskFinding: (finding) => maskFinding(finding, { strict, noteText: note }),
    maskField: (field, text) =>
      field === 'hint' ? maskAdvice(text, strict) : (FREE_TEXT.has(field) ? strict : mask)(text),
  }
}

/** A text is one; an archive gives those of its entries that hold values. */
function* textsOf(item: string | Uint8Array): Iterable<string> {
  if (typeof item === 'string') {
    yield item
    return
  }
  const isArchive = item.length > ENTRY && String.fromCharCode(...item.subarray(257, 262)) === 'ustar'
  if (!isArchive) {
    // gzip
    if (item[0] !== 0x1f || item[1] !== 0x8b) yield decodeUtf8(item)
    return
  }
  for (let at = 0; at + ENTRY <= item.length;) {
    const name = decodeUtf8(item.subarray(at, at + 100)).replace(/\0.*$/s, '')
    const length = Number.parseInt(decodeUtf8(item.subarray(at + 124, at + 136)).replace(/\0.*$/s, ''), 8)
    const bytes = Number.isSafeInteger(length) && length > 0 ? length : 0
    at += ENTRY
    if (/\.(?:ya?ml|json|toml|env)$/i.test(name) && !/schema|(?:^|\/)crds\//i.test(name))
      yield decodeUtf8(item.subarray(at, at + bytes))
    at += Math.ceil(bytes / ENTRY) * ENTRY
  }
}

function watchPorts(ports: Ports, note: (item: string | Uint8Array) => void, add: (secret: string) => void): Ports {
  const noted = <Bytes extends Uint8Array>(bytes: Bytes): Bytes => {
    note(bytes)
    return bytes
  }
  const all = (files: ReadonlyMap<string, Uint8Array>): ReadonlyMap<string, Uint8Array> => {
    for (const bytes of files.values()) note(bytes)
    return files
  }
  const sent = <Remote extends Pick<GitRemote, 'authorization'>>(remote: Remote): Remote => {
    const header = remote.authorization?.reveal()
    if (header !== undefined) collectHeader(header, add)
    return remote
  }
  const { files, compression, git, gitWriter, http, environment, credentialHelpers } = ports
  return {
    ...ports,
    files: {
      ...files,
      read: async (path, from) => {
        const bytes = await files.read(path, from)
        return from === 'record' ? bytes : noted(bytes)
      },
      // the files of the tree, nearly all as this run makes them of inputs that were noted
      readKnown: async (path, known) => {
        const bytes = await files.readKnown(path, known)
        return bytes === known ? known : noted(bytes)
      },
    },
    compression: {
      ...compression,
      gunzip: (packed, maxBytes, from) => {
        const bytes = compression.gunzip(packed, maxBytes)
        return from === 'record' ? bytes : noted(bytes)
      },
    },
    git: {
      ...git,
      listRefs: (remote) => git.listRefs(sent(remote)),
      fetch: (remote, ref, folder) => git.fetch(sent(remote), ref, folder),
      readFiles: async (folder, objects) => all(await git.readFiles(folder, objects)),
      readBlobs: async (folder, objects) => all(await git.readBlobs(folder, objects)),
      readCommitted: async (folder, isWanted, revision) => all(await git.readCommitted(folder, isWanted, revision)),
    },
    gitWriter: {
      ...gitWriter,
      listRemote: (access) => gitWriter.listRemote(sent(access)),
      fetch: (access, ...asked) => gitWriter.fetch(sent(access), ...asked),
      push: (access, push) => gitWriter.push(sent(access), push),
    },
    http: {
      exchange: async (request) => {
        const authorization = request.headers.get('authorization')
        if (authorization !== undefined) collectHeader(authorization, add)
        const response = await http.exchange(request)
        if (/json|yaml|text/.test(response.headers.get('content-type') ?? '')) note(response.body)
        return response
      },
    },
    environment: {
      get: (name) => {
        const value = environment.get(name)
        if (value !== undefined && isNameOfSecret(name) && !value.startsWith('/')) add(value)
        return value
      },
    },
    credentialHelpers: {
      get: async (...asked) => {
        const answer = await credentialHelpers.get(...asked)
        if (answer !== undefined) add(answer.secret.reveal())
        return answer
      },
    },
  }
}

/** `Basic …` or `Bearer …`; of the first also the password. */
function collectHeader(header: string, add: (secret: string) => void): void {
  const token = header.replace(/^\S+\s+/, '')
  add(token)
  const plain = decodeBase64(token)
  if (plain !== undefined) add(decodeUtf8(plain).replace(/^[^:]*:/, ''))
}

interface FindingMask {
  readonly strict: (text: string) => string
  readonly noteText: (text: string) => void
}

/** The texts that a finding points into may come from where no port was asked. */
function maskFinding(finding: Diagnostic, { strict, noteText }: FindingMask): Diagnostic {
  if (finding.at !== undefined) noteText(finding.at.source.text)
  const { message, trace, hint } = finding
  // what a library says of a value that was not read as one: nobody wrote that message for people
  if (finding.code === 'INTERNAL') noteText(message)
  return {
    ...finding,
    message: strict(message),
    ...(trace === undefined ? {} : { trace: trace.map((step) => ({ ...step, what: strict(step.what) })) }),
    hint: hint === undefined ? undefined : maskAdvice(hint, strict),
  }
}

/** People paste what advice proposes, and a mask would be pasted with it. */
function maskAdvice(hint: string, strict: (text: string) => string): string {
  const masked = strict(hint)
  if (masked === hint) return hint
  const shown = masked.replaceAll(/"\*{8}"|\*{8}/g, '(hidden)')
  return `${shown}${/[.!?]$/.test(shown) ? '' : '.'} For (hidden) write what stands in the file: it equals a secret, so it is not shown.`
}

/** The fields with text of people or templates; all others hold names, paths and our own words. */
const FREE_TEXT: ReadonlySet<string> = new Set(['message', 'hint', 'what'])
