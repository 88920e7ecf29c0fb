import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  bootstrapHealth,
  imageHealth,
  ownKindsHealth,
  rolloutHealth,
  type HealthExpr,
} from '../../../src/handoff/gates/health-exprs.ts'
import { clusterPhases } from './cluster-phases.ts'
import type { Health } from './health.ts'
import { imagePhases } from './image-phases.ts'
import { ownPhases } from './own-phases.ts'

/** One object before one gate, in both engines. */
export interface GateRow {
  readonly name: string
  readonly expr: HealthExpr
  readonly object: object
  /** Text of the Lua script. */
  readonly script: string
  readonly want: Health
}

/** What Argo CD calls it. Nothing is unknown to its scripts: what Flux cannot evaluate yet is on its way for them. */
export const argoNames: Readonly<Record<Health, string>> = {
  current: 'Healthy',
  inProgress: 'Progressing',
  failed: 'Degraded',
  unknown: 'Progressing',
}

/** Reads a script of `templates/handoff/argocd/health`. */
export function readScript(name: string): string {
  return readFileSync(
    fileURLToPath(new URL(`../../../templates/handoff/argocd/health/${name}.lua`, import.meta.url)),
    'utf8',
  )
}

function annotated(object: object, annotations: object): object {
  return { ...object, metadata: { ...Object(Reflect.get(object, 'metadata')), annotations } }
}

const clusterScript = readScript('cluster.x-k8s.io_Cluster')
const imageScript = readScript('openstack.k-orc.cloud_Image')

/** Every phase before every gate that it concerns. */
export const gateRows: readonly GateRow[] = [
  ...clusterPhases.flatMap(({ name, object, bootstrap, rollout }) => [
    ...bootstrapHealth().map((expr) => ({
      name: `bootstrap, ${name}`,
      expr,
      object,
      script: clusterScript,
      want: bootstrap,
    })),
    ...rolloutHealth().map((expr) => ({
      name: `rollout, ${name}`,
      expr,
      object: annotated(object, { 'stackmason.dev/health': 'rollout' }),
      script: clusterScript,
      want: rollout,
    })),
  ]),
  ...imagePhases.flatMap(({ name, object, health }) =>
    imageHealth().map((expr) => ({ name: `image, ${name}`, expr, object, script: imageScript, want: health })),
  ),
  ...ownPhases.flatMap(({ name, object, health }) =>
    ownKindsHealth()
      .filter(({ kind }) => name.startsWith(`${kind}:`))
      .map((expr) => ({ name, expr, object, script: readScript(`stackmason.dev_${expr.kind}`), want: health })),
  ),
]
