import { MAX_NESTING } from '../../codec/max-nesting.ts'
import { isCode } from '../../model/error-codes.ts'
import { Dict, GoBytes, GoInt } from '../../model/value.ts'
import { findingParts } from '../expand/expanded-unit.ts'
import type { PackedCluster } from '../expand/packed-contents.ts'
import { count, fields, listOf, mapOf, oneOf, type Shape, text } from './shape.ts'

/** The clusters of one part of a shard, each under the digest of its inputs. */
export interface PartClusters {
  readonly digests: readonly string[]
  readonly clusters: readonly PackedCluster[]
}

const texts = listOf(text)
const source = fields({ name: text, text }, { path: text, holds: oneOf('values'), revision: text })
const span = fields({ source, start: count, end: count })
const subject = fields({}, { release: text, cluster: text, addon: text })
const code: Shape = (value) => typeof value === 'string' && isCode(value)

/** A finding whose place is known: one that still looks for it in an object is not carried. */
const finding = fields(
  { code, severity: oneOf('error', 'warning', 'note'), message: text },
  {
    at: span,
    file: text,
    trace: listOf(fields({ what: text }, { at: span })),
    hint: text,
    about: subject,
    object: text,
    isNew: oneOf(true),
  },
)
const findings = listOf(finding)

const step = fields(
  {
    action: oneOf(
      'create',
      'keep',
      'addons',
      'class',
      'wait',
      'freeze',
      'prepare',
      'delete',
      'release',
      'remove',
      'gone',
    ),
    summary: text,
    before: texts,
  },
  { className: text, addons: text, units: texts },
)
const clusterName = fields({ namespace: text, name: text })
const steps = listOf(
  fields(
    {
      cluster: clusterName,
      due: step,
      then: listOf(step),
      content: oneOf('rendered', 'committed', 'none'),
      clusterObject: oneOf('as-is', 'held', 'out'),
      classes: texts,
      suspends: oneOf('none', 'addons', 'all'),
    },
    {
      target: text,
      decommission: fields({
        step: oneOf('prepare', 'delete', 'release'),
        limit: oneOf('prepare', 'delete', 'finish'),
      }),
      mayDelete: oneOf('cluster', 'everything'),
    },
  ),
)

/** Without the folder that a cluster named like that of the stacks shares with them. */
const note = fields({
  cluster: clusterName,
  units: listOf(
    fields(
      {
        name: text,
        namespace: text,
        path: text,
        release: text,
        target: oneOf('management', 'workload'),
        kind: oneOf('stack', 'cluster', 'addons', 'own-addons', 'addon', 'condition'),
        dependsOn: listOf(fields({ unit: text }, { namespace: text })),
        namespaces: texts,
        kinds: listOf(fields({ group: text, kind: text })),
      },
      { cluster: clusterName },
    ),
  ),
})

const problemParts = ['render', 'shared', 'bound', 'secrets', 'storage', 'units', 'tool']
const byPart = (parts: readonly string[]): Shape =>
  fields({}, Object.fromEntries(parts.map((part) => [part, findings])))

const runtime = fields({ supplied: texts, asked: texts })

const summary = fields(
  { kind: oneOf('rendered'), findings: byPart(findingParts), problems: byPart(problemParts), steps },
  { used: fields({ patches: texts, values: texts, addons: texts, runtime }, { absent: texts }), note, charts: texts },
)

const leaving = fields({
  objects: texts,
  paths: texts,
  units: listOf(fields({ name: text, namespace: text, release: text, path: text }, { cluster: clusterName })),
})

const folder = fields(
  { path: text, objects: count, names: texts, hashes: texts, sizes: listOf(count) },
  {
    list: fields({ includes: texts }, { more: (value) => value instanceof Dict && isValue(value), committed: text }),
    own: mapOf(text, texts),
    problems: findings,
  },
)

const cluster = fields({ summary, folders: listOf(folder) }, { leaving })

/** True for what a shard may carry of a cluster; what it may not, the join renders by itself. */
export const isCarried: Shape = cluster

/** True for the clusters of a part. */
export function isPartClusters(value: unknown): value is PartClusters {
  return fields({ digests: texts, clusters: listOf(cluster) })(value)
}

/** True for a value of a document. */
function isValue(value: unknown, depth = 0): boolean {
  if (depth > MAX_NESTING) return false
  if (value === null || ['string', 'boolean', 'number'].includes(typeof value)) return true
  if (value instanceof GoInt || value instanceof GoBytes) return true
  if (value instanceof Dict)
    return [...value].every(([key, item]) => isValue(key, depth + 1) && isValue(item, depth + 1))
  return Array.isArray(value) && value.every((item) => isValue(item, depth + 1))
}
