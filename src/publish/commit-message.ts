import type { Crypto } from '../model/ports.ts'
import { digestOfWords, fleetTrailer, trailers } from './own-commits.ts'

/** A file of the tree that changes. */
export interface PublishedFile {
  readonly path: string
  readonly change: 'added' | 'changed' | 'removed'
}

/** The facts in the message of a commit. */
export interface CommitFacts {
  /** The commit that was rendered. */
  readonly source: string
  /** Its stackmason.yaml, from the root of the repository. */
  readonly fleet: string
  /** The tree of the commit that is made. */
  readonly tree: string
  /** Of the lock; undefined where there is none. */
  readonly digest: string | undefined
}

/** The message of a commit: a text, without what would be read as trailers of ours, and those trailers. */
export function commitMessage(text: string, { source, fleet, tree, digest }: CommitFacts, crypto: Crypto): string {
  const lines = text
    .replace(/[\0-\x09\x0b-\x1f\x7f-\x9f]/g, '')
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => !/^stackmason-[a-z]+:/i.test(line))
  const words = lines
    .join('\n')
    .trim()
    .replace(/\n{3,}/g, '\n\n')
  return [
    words,
    '',
    `${trailers.source}: ${source}`,
    `${trailers.fleet}: ${fleetTrailer(fleet)}`,
    ...(digest === undefined ? [] : [`${trailers.lock}: ${digest}`]),
    `${trailers.message}: ${digestOfWords(words, crypto)}`,
    `${trailers.tree}: ${tree}`,
    '',
  ].join('\n')
}
