import type { Manifest } from '../model/manifest.ts'
import { dict } from '../model/value.ts'

/** Where a note lies, what it says, and what it comes from. */
export interface Note {
  readonly name: string
  readonly namespace: string
  readonly data: Readonly<Record<string, string>>
  readonly origin: Manifest['origin']
}

/** A ConfigMap of ours that nothing reads but people: tools take no empty folder for what it is. */
export function noteManifest({ name, namespace, data, origin }: Note): Manifest {
  const object = dict([
    ['apiVersion', 'v1'],
    ['kind', 'ConfigMap'],
    [
      'metadata',
      dict([
        ['name', name],
        ['namespace', namespace],
      ]),
    ],
    ['data', dict(Object.entries(data))],
  ])
  return { apiVersion: 'v1', kind: 'ConfigMap', name, namespace, object, origin }
}
