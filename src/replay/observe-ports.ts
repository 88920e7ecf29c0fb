import { dirName, joinPath } from '../codec/path.ts'
import type { Git } from '../model/git.ts'
import type { Crypto, Files, Ports } from '../model/ports.ts'
import { treeKey } from './digest-trees.ts'
import { digestOfBytes, digestOfEntries, digestOfPaths, digestOfVariable } from './digests.ts'
import { noObservations, type Observations } from './observations.ts'
import { formatEntries } from './entry-text.ts'
import type { RememberedFiles } from './remembered-files.ts'
import { isYoung, kindOf } from './signature.ts'

/** Ports that note what is asked of them. */
export interface ObservedPorts {
  readonly ports: Ports
  readonly observations: Observations
  /**
   * True if a file holds bytes of this sha256, hex. Not read where an earlier run did, and it has not changed since.
   */
  readonly holds: (path: string, sha256: string) => Promise<boolean>
  /**
   * sha256, hex, of one line for each file at or below a folder of another one (absolute), as sha256sum lists them;
   * undefined where anything but files and folders lies there, or no earlier run has read all of it as it is now.
   */
  readonly below: (base: string, folder: string) => string | undefined
  /** The folder for which an earlier run has noted that it asks for {@link below}, and in which this one lies. */
  readonly treeAround: (base: string, folder: string) => string | undefined
  /** Notes that later runs may ask for {@link below} of a folder. */
  readonly noteTree: (base: string, folder: string) => void
  /** How many files and folders were read of which an earlier run knew nothing. */
  readonly looked: () => number
  /** False once something was asked whose answer cannot be compared later, or something was changed. */
  readonly isComparable: () => boolean
}

/** The options of observing. */
export interface ObserveOptions {
  /** When the run began, milliseconds since 1970. */
  readonly started: number
  /** Goes into the hashes of variables, whose values may be secret. */
  readonly salt: string
  /** True for a path that each run changes for itself, like a lock: it is not noted. */
  readonly isOwn: (path: string) => boolean
  /** The findings of an earlier run on disk. */
  readonly remembered: RememberedFiles
}

/**
 * Wraps the ports of a run, so that what it reads is noted. What belongs to a commit never changes; what a network, a
 * clock or chance says cannot be compared.
 */
export function observePorts(ports: Ports, options: ObserveOptions): ObservedPorts {
  const observations = noObservations()
  let isComparable = true
  let looked = 0
  const beyond = (): void => {
    isComparable = false
  }
  const { files, git, http, credentialHelpers, environment, packageFiles, crypto } = ports
  const { holds, below, treeAround, noteTree, ...observedFiles } = observeFiles(
    { files, crypto },
    {
      observations,
      beyond,
      options,
      onLook: () => looked++,
    },
  )
  return {
    holds,
    below,
    treeAround,
    noteTree,
    ports: {
      ...ports,
      files: observedFiles,
      git: observeGit({ git, crypto }, { observations, beyond }),
      packageFiles: observePackage({ packageFiles, crypto }, observations),
      http: {
        exchange: (request) => {
          beyond()
          return http.exchange(request)
        },
      },
      credentialHelpers: {
        get: (...asked) => {
          beyond()
          return credentialHelpers.get(...asked)
        },
      },
      environment: {
        get: (name) => {
          const value = environment.get(name)
          observations.variables.set(name, digestOfVariable(value, options.salt, crypto))
          return value
        },
      },
      get gitWriter() {
        beyond()
        return ports.gitWriter
      },
      get kube() {
        beyond()
        return ports.kube
      },
      get keys() {
        beyond()
        return ports.keys
      },
    },
    observations,
    isComparable: () => isComparable,
    looked: () => looked,
  }
}

interface Noting {
  readonly observations: Observations
  readonly beyond: () => void
}

function observeFiles(
  { files, crypto }: { readonly files: Files; readonly crypto: Crypto },
  {
    observations,
    beyond,
    options,
    onLook,
  }: Noting & {
    readonly options: ObserveOptions
    readonly onLook: () => void
  },
): Files & Pick<ObservedPorts, 'holds' | 'below' | 'treeAround' | 'noteTree'> {
  const { paths, places, links, trees } = observations
  const { remembered } = options
  const look = async (path: string): Promise<Float64Array | undefined> => {
    if (options.isOwn(path)) return undefined
    const known = paths.get(path)
    if (known !== undefined) return known.signature
    const signature = remembered.signatureOf(path) ?? (await files.signatures([path]))
    paths.add(path, signature)
    return signature
  }
  /** The signature as it is now, where that is the one that was noted, and something is there: else undefined. */
  const lookAgain = async (path: string): Promise<Float64Array | undefined> => {
    const isFirst = !paths.has(path)
    const noted = await look(path)
    if (noted === undefined || noted.every((value) => value === 0)) return undefined
    if (isFirst) return noted
    // the run itself may have made, or changed, what it reads
    const now = await files.signatures([path])
    return now.every((value, index) => value === noted[index]) ? noted : undefined
  }
  /** Notes what was read: by its signature, and by a hash where that is too young. */
  const noteContent = (path: string, signature: Float64Array | undefined, digest: () => string): void => {
    const noted = paths.get(path)
    if (signature === undefined || noted === undefined) return
    noted.isRead = true
    if (isYoung(signature, options.started)) noted.digest ??= digest()
  }
  const follow = async (path: string): Promise<string> => {
    const real = await files.realPath(path)
    if (real !== path) links.set(path, real)
    for (let at = dirName(path); !places.has(at); at = dirName(at)) places.add(at)
    return real
  }
  const reading = async (path: string, read: () => Promise<Uint8Array>): Promise<Uint8Array> => {
    const signature = await look(path)
    const isLink = signature !== undefined && kindOf(signature) === 'link'
    const target = isLink ? await follow(path) : path
    const own = isLink ? await look(target) : signature
    const bytes = await read()
    noteContent(target, own, () => digestOfBytes(bytes, crypto))
    return bytes
  }
  const changing = (path: string): void => {
    if (options.isOwn(path)) return
    beyond()
    remembered.forget()
  }
  return {
    read: (path, from) => {
      if (from === 'stream') {
        beyond()
        return files.read(path, from)
      }
      return reading(path, () => files.read(path, from))
    },
    holds: async (path, sha256) => {
      const signature = await lookAgain(path)
      const known = signature === undefined ? undefined : remembered.hashOf(path, signature)
      if (known === undefined) onLook()
      const hash = known ?? digestOfBytes(await files.read(path, 'record'), crypto)
      noteContent(path, signature, () => hash)
      const noted = signature === undefined ? undefined : paths.get(path)
      if (noted !== undefined) noted.hash = hash
      return hash === sha256
    },
    below: (base, folder) => {
      const key = treeKey({ base, folder })
      const carried = remembered.treeAt(key, joinPath(base, folder))
      trees.set(key, { base, folder, ...(carried !== undefined && { carried }) })
      return carried?.digest
    },
    treeAround: (base, folder) => {
      for (let at = folder; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/'))))
        if (remembered.hasTree(treeKey({ base, folder: at }))) return at
      return undefined
    },
    noteTree: (base, folder) => {
      const key = treeKey({ base, folder })
      if (!trees.has(key)) trees.set(key, { base, folder })
    },
    readKnown: (path, known) => reading(path, () => files.readKnown(path, known)),
    entries: async (path) => {
      const seen = await lookAgain(path)
      const isLink = seen !== undefined && kindOf(seen) === 'link'
      const target = isLink ? await follow(path) : path
      const signature = isLink ? await lookAgain(target) : seen
      const known = signature === undefined ? undefined : remembered.entriesOf(target, signature)
      if (known === undefined) onLook()
      const entries = known ?? (await files.entries(path))
      noteContent(target, signature, () => digestOfEntries(entries, crypto))
      const noted = signature === undefined ? undefined : paths.get(target)
      if (noted !== undefined) noted.entries = formatEntries(entries)
      return entries
    },
    stat: async (path) => {
      const signature = await look(path)
      const stat = await files.stat(path)
      if (signature !== undefined && kindOf(signature) === 'link') {
        // what leads nowhere may lead somewhere later
        if (stat === undefined || stat.type === 'link') beyond()
        else await look(await follow(path))
      }
      return stat
    },
    signatures: async (asked) => {
      for (const path of asked) await look(path)
      return files.signatures(asked)
    },
    realPath: async (path) => {
      await look(path)
      return follow(path)
    },
    write: (path, content, durability) => {
      changing(path)
      return files.write(path, content, durability)
    },
    keep: (path, name) => {
      changing(name)
      return files.keep(path, name)
    },
    rename: (from, to) => {
      changing(from)
      changing(to)
      return files.rename(from, to)
    },
    remove: (path) => {
      changing(path)
      return files.remove(path)
    },
    removeEmptyDirectory: (path) => {
      changing(path)
      return files.removeEmptyDirectory(path)
    },
    // making what is there, and the time of a last use, change no answer
    makeDirectory: files.makeDirectory,
    touch: files.touch,
    copyRights: files.copyRights,
    // what runs remember is no input
    readOwn: files.readOwn,
    replaceOwn: files.replaceOwn,
    createExclusive: (path, bytes) => {
      changing(path)
      return files.createExclusive(path, bytes)
    },
  }
}

function observeGit(
  { git, crypto }: { readonly git: Git; readonly crypto: Crypto },
  { observations, beyond }: Noting,
): Git {
  const noteState = async (folder: string, revision?: string): Promise<void> => {
    const key = `${folder}\0${revision ?? ''}`
    if (observations.states.has(key)) return
    observations.states.set(key, {
      folder,
      ...(revision !== undefined && { revision }),
      state: await git.stateOf(folder, revision),
    })
  }
  return {
    ...git,
    listRefs: (remote) => {
      beyond()
      return git.listRefs(remote)
    },
    fetch: (remote, ref, folder) => {
      beyond()
      return git.fetch(remote, ref, folder)
    },
    listLeftOut: async (folder) => {
      const paths = await git.listLeftOut(folder)
      // where there is none, all that a run depends on is on the disk
      if (paths.length > 0) beyond()
      return paths
    },
    listConverted: (folder, except) => {
      beyond()
      return git.listConverted(folder, except)
    },
    listUnchanged: (folder, within) => {
      beyond()
      return git.listUnchanged(folder, within)
    },
    findUncommitted: (folder, files) => {
      beyond()
      return git.findUncommitted(folder, files)
    },
    readCommitted: async (folder, isWanted, revision) => {
      await noteState(folder, revision)
      return git.readCommitted(folder, isWanted, revision)
    },
    listCommitted: async (folder, revision, within) => {
      await noteState(folder, revision)
      return git.listCommitted(folder, revision, within)
    },
    readEarlier: async (folder, isWanted, bounds) => {
      await noteState(folder, bounds.revision)
      return git.readEarlier(folder, isWanted, bounds)
    },
    sideLines: async (folder, isWanted, bounds) => {
      await noteState(folder, bounds.revision)
      return git.sideLines(folder, isWanted, bounds)
    },
    isInRepository: async (folder) => {
      await noteState(folder)
      return git.isInRepository(folder)
    },
    isDirectoryOf: async (folder, directory) => {
      await noteState(folder)
      return git.isDirectoryOf(folder, directory)
    },
    merging: async (folder) => {
      await noteState(folder)
      return git.merging(folder)
    },
    history: async (folder, line) => {
      await noteState(folder, line?.revision)
      return git.history(folder, line)
    },
    findUntracked: async (folder, kind, within) => {
      if (within !== undefined) {
        beyond()
        return git.findUntracked(folder, kind, within)
      }
      const paths = await git.findUntracked(folder, kind)
      observations.untracked.set(`${kind} ${folder}`, { folder, kind, digest: digestOfPaths(paths, crypto) })
      return paths
    },
  }
}

function observePackage(
  { packageFiles, crypto }: Pick<Ports, 'packageFiles' | 'crypto'>,
  { packaged }: Pick<Observations, 'packaged'>,
): Ports['packageFiles'] {
  return {
    names: async (folder) => {
      const names = await packageFiles.names(folder)
      packaged.set(`names ${folder}`, digestOfPaths(names, crypto))
      return names
    },
    below: async (folder) => {
      const paths = await packageFiles.below(folder)
      packaged.set(`below ${folder}`, digestOfPaths(paths, crypto))
      return paths
    },
    read: async (path) => {
      const bytes = await packageFiles.read(path)
      packaged.set(`read ${path}`, digestOfBytes(bytes, crypto))
      return bytes
    },
  }
}

/** The hash of what a package holds now, by the name under which it was noted. @throws what reading throws */
export async function askPackage(
  noted: string,
  { packageFiles, crypto }: Pick<Ports, 'packageFiles' | 'crypto'>,
): Promise<string> {
  const at = noted.indexOf(' ')
  const [how, path] = [noted.slice(0, at), noted.slice(at + 1)]
  if (how === 'read') return digestOfBytes(await packageFiles.read(path), crypto)
  return digestOfPaths(await (how === 'names' ? packageFiles.names(path) : packageFiles.below(path)), crypto)
}
