import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import { fieldAt, textAt } from '../../model/field.ts'
import type { Value } from '../../model/value.ts'
import { annotations, type ArtifactOrigin } from './artifact.ts'

/** The facts about an artifact in the file of the tree that pins it. */
export interface ArtifactPin {
  readonly digest: string
  readonly origin: ArtifactOrigin
}

/** The first line of its files. Another one than the rendered files have: `render` leaves them as they are. */
export const PIN_HEAD = '# Written by `stackmason publish` for artifacts that it has pushed. Do not edit.\n'

/** True if publishing wrote the file, which may then go. */
export function isPinFile(text: string): boolean {
  return text.startsWith('# Written by `stackmason publish` for artifacts ')
}

/** As `publish` writes it: the tag that an artifact gets is made of the commit. */
const REVISION = /^\S+@(?:sha1:[0-9a-f]{40}|sha256:[0-9a-f]{64})$/

/** Reads a pin; undefined for what is none. */
export function readPin(text: string): ArtifactPin | undefined {
  let value: Value
  try {
    value = parseGoYaml(text)
  } catch (error) {
    if (error instanceof YamlError) return undefined
    throw error
  }
  const digest = textAt(value, 'spec', 'ref', 'digest')
  const notes = fieldAt(value, 'metadata', 'annotations') ?? null
  const [source, revision, created] = [annotations.source, annotations.revision, annotations.created].map((name) =>
    textAt(notes, name),
  )
  if (digest === '' || source === undefined || !revision || !created || !REVISION.test(revision)) return undefined
  return { digest, origin: { source, revision, created } }
}
