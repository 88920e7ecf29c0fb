import type { Git } from './git.ts'
import type { GitWriter } from './git-writer.ts'
import type { CredentialHelpers } from './credentials.ts'
import type { Http } from './http.ts'
import type { KubeConnector } from './kube-access.ts'
import type { Listener } from './listener.ts'
import type { Metrics } from './metrics.ts'

/** The type of the file at a path. Links are never followed by `entries` and `stat`. */
export type FileType = 'file' | 'directory' | 'link' | 'pipe' | 'socket' | 'device' | 'other'

/** The result of `stat`. */
export interface FileStat {
  readonly type: FileType
  readonly size: number
  /** When it was last written or touched, milliseconds since 1970. */
  readonly modified: number
}

/**
 * Numbers of one path in the answer of `signatures`: its kind and rights, its size, when its content and when anything
 * about it changed last (milliseconds since 1970), its number on its device, the device. All 0: nothing is there.
 */
export const SIGNATURE_LENGTH = 6

/** One name in a folder. */
export interface DirectoryEntry {
  readonly name: string
  readonly type: FileType
}

/**
 * Files of this machine. Paths use `/`. Every failure throws {@link FileError}; `stat` of nothing gives undefined.
 */
export interface Files {
  /**
   * A whole file. Anything else that stands there (a pipe, a device, a socket) is of the wrong type, and is not waited
   * for; a file that a person names on the command line may be a `stream`, such as /dev/stdin. A `record` is one that
   * this program keeps for itself, or one that is only hashed: nothing of what it holds is ever shown, so nobody has to
   * look through it for what must not be.
   */
  readonly read: (path: string, from?: 'stream' | 'record') => Promise<Uint8Array>
  /**
   * A whole file that is expected to hold `known`: those very bytes where it does, so that nobody has to keep, or look
   * through, what is known already.
   */
  readonly readKnown: (path: string, known: Uint8Array) => Promise<Uint8Array>
  /** Sorted by name in code unit order, whatever the file system's order. */
  readonly entries: (path: string) => Promise<readonly DirectoryEntry[]>
  readonly stat: (path: string) => Promise<FileStat | undefined>
  /**
   * The system's facts about each path, which is not opened: {@link SIGNATURE_LENGTH} numbers each, others once
   * somebody wrote, replaced, renamed or touched it. Links are not followed; what cannot be looked at counts as not
   * there.
   */
  readonly signatures: (paths: readonly string[]) => Promise<Float64Array>
  /** The path with every link resolved. */
  readonly realPath: (path: string) => Promise<string>
  /**
   * Writes the whole file, creating parent folders; not atomic: see `rename`. `durable` waits until it would survive a
   * power failure; any other write survives the end of this process, however it ends.
   */
  readonly write: (path: string, content: FileParts, durability?: 'durable') => Promise<void>
  /**
   * Gives what a file holds now a second name, creating parent folders and replacing what has that name: it stays
   * there when something else is moved over the file. A copy where the file system has no links.
   */
  readonly keep: (path: string, name: string) => Promise<void>
  /** Gives a file the rights of another one; on a system without rights of files it does nothing. */
  readonly copyRights: (from: string, to: string) => Promise<void>
  /** Atomic: moves over an existing file. */
  readonly rename: (from: string, to: string) => Promise<void>
  /** Removes a file; fine when it is not there. */
  readonly remove: (path: string) => Promise<void>
  /** Removes a folder if it is empty; says whether it is gone. */
  readonly removeEmptyDirectory: (path: string) => Promise<boolean>
  readonly makeDirectory: (path: string) => Promise<void>
  /** Sets the file's time of modification to now; fine when it is not there. */
  readonly touch: (path: string) => Promise<void>
  /**
   * A whole file of this program that nobody else can have written: it and its folder are the user's own, no links, and
   * others may not write them. Undefined for any other file.
   */
  readonly readOwn: (path: string) => Promise<Uint8Array | undefined>
  /**
   * Writes such a file, atomically, and its folder where it is missing; false, with nothing written, where others may
   * write to the folder.
   */
  readonly replaceOwn: (path: string, content: FileParts) => Promise<boolean>
  /** Creates the file, whole or not at all, only if nothing is there; false when something is. */
  readonly createExclusive: (path: string, bytes: Uint8Array) => Promise<boolean>
}

/** The content of a file, whole or in parts; those can be made anew each time that they are asked for. */
export type FileParts = Uint8Array | Iterable<Uint8Array>

/** Why a file operation failed. */
export type FileErrorReason = 'not-found' | 'not-permitted' | 'read-only' | 'wrong-type' | 'no-space' | 'other'

/**
 * Thrown by {@link Files}; `path` is what was asked for, `found` what lies there when it is of the wrong type, or a
 * link that leads to nothing.
 */
export class FileError extends Error {
  readonly reason: FileErrorReason
  readonly path: string
  readonly found: FileType | undefined

  constructor(
    reason: FileErrorReason,
    path: string,
    options?: ErrorOptions & { readonly found?: FileType | undefined },
  ) {
    super(`${path}: ${reason}`, options)
    this.name = 'FileError'
    this.reason = reason
    this.path = path
    this.found = options?.found
  }
}

/**
 * Hashes, ciphers and signatures as pure functions; deterministic for equal arguments, but for signatures that are
 * `random`.
 */
export interface Crypto {
  readonly hash: (algorithm: 'sha256' | 'sha1' | 'sha512', bytes: Uint8Array) => Uint8Array
  /** sha256 in lower-case hex: what is asked most, for each file of a tree. */
  readonly sha256Hex: (bytes: Uint8Array) => string
  /** sha256 of what the parts make together. */
  readonly hashParts: (parts: Iterable<Uint8Array>) => Uint8Array
  /** HMAC with SHA-256 (RFC 2104). */
  readonly hmacSha256: (key: Uint8Array, bytes: Uint8Array) => Uint8Array
  /** scrypt (RFC 7914); takes 128 * cost * blockSize bytes of memory. */
  readonly scrypt: (request: ScryptRequest) => Uint8Array
  /**
   * AES-256 in CBC mode (NIST SP 800-38A) over whole blocks: padding is the caller's. @throws Error for bytes that are
   * no whole blocks
   */
  readonly encryptAesCbc: (key: CipherKey, bytes: Uint8Array) => Uint8Array
  /** The inverse of `encryptAesCbc`. */
  readonly decryptAesCbc: (key: CipherKey, bytes: Uint8Array) => Uint8Array
  /**
   * Checks a signature over `bytes` with a public key in PEM (ECDSA with SHA-256 in DER form, RSA PKCS #1 v1.5 or PSS
   * with SHA-256, Ed25519, by the key's kind).
   * @throws Error when the text holds no public key
   */
  readonly verify: (publicKey: string, bytes: Uint8Array, signature: Uint8Array) => boolean
  /**
   * Reads a private key in PEM. `repeatable` signatures are the same for equal bytes, and for previews only: making
   * them takes more or less time by the key.
   * @throws Error when it is none, or of a kind that signs no certificates
   */
  readonly signerOf: (privateKey: string, signatures: 'random' | 'repeatable') => Signer
}

/** The parameters of scrypt; `cost` is a power of two. */
export interface ScryptRequest {
  readonly password: Uint8Array
  readonly salt: Uint8Array
  readonly length: number
  readonly cost: number
  readonly blockSize: number
  readonly parallelization: number
}

/** A key of 32 bytes and an initialization vector of 16. */
export interface CipherKey {
  readonly key: Uint8Array
  readonly vector: Uint8Array
}

/** A private key at work. */
export interface Signer {
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Uint8Array
  readonly algorithm: 'ed25519' | 'rsa-sha256' | 'ecdsa-sha256' | 'ecdsa-sha384' | 'ecdsa-sha512'
  /** True if a public key, SubjectPublicKeyInfo in DER, is the other half of it. */
  readonly belongsTo: (publicKey: Uint8Array) => boolean
  readonly sign: (bytes: Uint8Array) => Uint8Array
}

/** Compression with a bound on what it may unpack to. */
export interface Compression {
  /**
   * A `record` is what this program keeps for itself, as in {@link Files.read}.
   * @throws RangeError when the result would be larger than `maxBytes`; Error when the data is damaged
   */
  readonly gunzip: (bytes: Uint8Array, maxBytes: number, from?: 'record') => Uint8Array
  /** Deterministic: no mtime, no name. As small as it gets, or `quick`: somewhat larger, in a third of the time. */
  readonly gzip: (bytes: Uint8Array, how?: 'quick') => Uint8Array
}

/** For progress, durations, deadlines and the age of cached files; never reaches rendered output. */
export interface Clock {
  /** Milliseconds from some fixed start. */
  readonly monotonic: () => number
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Resolves after that many milliseconds, or at once when the signal is aborted. */
  readonly sleep: (duration: number, signal?: AbortSignal) => Promise<void>
}

/** The time that clocks on a wall show. */
export interface WallTime {
  /** Of the week, from Monday, which is 0. */
  readonly day: number
  /** `HH:MM`. */
  readonly time: string
}

/** The time zones that this machine knows. */
export interface TimeZones {
  /**
   * The time that clocks show at a moment (milliseconds since 1970) in a zone of the IANA database; undefined for no
   * such zone.
   */
  readonly wallTime: (moment: number, timeZone: string) => WallTime | undefined
}

/** Ends work that no counter sees. */
export interface Deadline {
  /**
   * Runs the work, and stops it when it takes longer, wherever it is: no `catch` and no `finally` of it runs then, so
   * what it changed is to be thrown away. Only for work without waiting.
   * @throws DeadlineError when it was stopped; else what the work throws
   */
  readonly within: <T>(milliseconds: number, work: () => T) => T
  /**
   * Runs work that has deadlines of its own under one watch for all of them, because each costs a thread. Work that
   * takes longer as a whole is done again from the start, each deadline for itself: it must come to the same.
   * @throws what the work throws
   */
  readonly together: <T>(milliseconds: number, work: () => T) => T
}

/** Thrown by {@link Deadline}. */
export class DeadlineError extends Error {
  constructor(milliseconds: number, options?: ErrorOptions) {
    super(`stopped after ${milliseconds} ms`, options)
    this.name = 'DeadlineError'
  }
}

/** A message between threads: bytes are handed over, and lost to whoever sends them. */
export interface ThreadMessage {
  readonly text: string
  readonly parts: readonly Uint8Array[]
}

/** A thread that works on one message after the other. */
export interface Thread {
  /** The answer to a message; several may wait. @throws ThreadError when the thread ends before */
  readonly ask: (message: ThreadMessage) => Promise<ThreadMessage>
  /** Ends it, whatever it does. */
  readonly end: () => void
}

/** Threads of this process that expand clusters. */
export interface Threads {
  /** How many of them this machine can run at once. */
  readonly parallelism: () => number
  /** Starts one; undefined where the program is in no form that can. */
  readonly start: () => Thread | undefined
}

/** Thrown by {@link Thread}: it failed, was ended, or has no memory left. */
export class ThreadError extends Error {
  constructor(options?: ErrorOptions) {
    super('a thread ended', options)
    this.name = 'ThreadError'
  }
}

/** The kinds of private keys that are made. */
export type KeyKind = 'rsa-2048' | 'rsa-4096' | 'dsa-2048' | 'p-256' | 'ed25519'

/** A key that nobody has had before, in DER. */
export interface NewKey {
  /** PKCS #8. */
  readonly privateKey: Uint8Array
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array
}

/** Makes private keys; never reaches rendered output. RSA and DSA take seconds, in a thread of their own. */
export interface Keys {
  readonly generate: (kind: KeyKind) => Promise<NewKey>
}

/** For jitter, the names of temporary files, and secrets that are made in a cluster; never reaches rendered output. */
export interface Random {
  readonly bytes: (count: number) => Uint8Array
}

/** Variables of the environment by name; never reaches templates. */
export interface Environment {
  readonly get: (name: string) => string | undefined
}

/** A process as others may know it, also on other machines. */
export interface ProcessIdentity {
  readonly process: number
  /** The name of its machine or container: for people. */
  readonly host: string
  /** The start of the system that it runs on; absent where nothing tells. */
  readonly boot?: string
  /** The namespace in which it has its number; there wherever `boot` is. */
  readonly namespace?: string
  /** When it started, in some unit of its system: a later process may get the same number. */
  readonly started?: string
}

/** `unknown` for one on another machine, or in another container that gives no sign. */
export type ProcessState = 'running' | 'ended' | 'unknown'

/** A sign that a process keeps up while it lives. */
export interface ProcessSign {
  readonly end: () => Promise<void>
}

/** Facts about processes. */
export interface Process {
  readonly id: number
  readonly identity: () => ProcessIdentity
  /** True if a process of this number runs here. */
  readonly isRunning: (id: number) => boolean
  /** The state of a process that may have left a sign at the path. */
  readonly stateOf: (holder: ProcessIdentity, sign: string) => Promise<ProcessState>
  /**
   * Shows at the path, where nothing may lie, that this process lives: it ends with it, however that ends. Undefined
   * where it cannot be shown.
   */
  readonly giveSign: (path: string) => Promise<ProcessSign | undefined>
}

/** How the outside ends a program that would run for ever. */
export interface Termination {
  /** From the first call on, being asked to end aborts the signal, and does not end the process. */
  readonly signal: () => AbortSignal
}

/** Files that come with the program: templates. Paths are relative to the package. */
export interface PackageFiles {
  /** Names of the files directly in a folder, sorted. */
  readonly names: (folder: string) => Promise<readonly string[]>
  /** Paths of all files below a folder, relative to it, sorted. */
  readonly below: (folder: string) => Promise<readonly string[]>
  readonly read: (path: string) => Promise<Uint8Array>
}

/** Everything a room may need from outside, passed as one object. */
export interface Ports {
  readonly files: Files
  readonly crypto: Crypto
  readonly keys: Keys
  readonly compression: Compression
  readonly clock: Clock
  readonly timeZones: TimeZones
  readonly deadline: Deadline
  readonly threads: Threads
  readonly process: Process
  readonly random: Random
  readonly environment: Environment
  readonly http: Http
  readonly kube: KubeConnector
  readonly listener: Listener
  readonly metrics: Metrics
  readonly termination: Termination
  readonly git: Git
  readonly gitWriter: GitWriter
  readonly credentialHelpers: CredentialHelpers
  readonly packageFiles: PackageFiles
}
