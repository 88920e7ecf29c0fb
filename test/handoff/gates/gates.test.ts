import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import {
  bootstrapHealth,
  imageHealth,
  ownKindsHealth,
  rolloutHealth,
  type HealthExpr,
} from '../../../src/handoff/gates/health-exprs.ts'
import { applicationPhases } from './application-phases.ts'
import { argoHealth } from './argo-health.ts'
import { clusterPhases } from './cluster-phases.ts'
import { fluxHealth } from './flux-health.ts'
import type { Health } from './health.ts'
import { imagePhases } from './image-phases.ts'
import { ownPhases } from './own-phases.ts'

const folder = fileURLToPath(new URL('../../../templates/handoff/argocd/health', import.meta.url))

/** What Argo CD calls it. Nothing is unknown to its scripts: what Flux cannot evaluate yet is on its way for them. */
const argoNames: Readonly<Record<Health, string>> = {
  current: 'Healthy',
  inProgress: 'Progressing',
  failed: 'Degraded',
  unknown: 'Progressing',
}

interface Row {
  readonly name: string
  readonly expr: HealthExpr
  readonly object: object
  readonly script: string
  readonly want: Health
}

const rows: readonly Row[] = [
  ...clusterPhases.flatMap(({ name, object, bootstrap, rollout }) => [
    ...bootstrapHealth().map((expr) => ({
      name: `bootstrap, ${name}`,
      expr,
      object,
      script: 'cluster.x-k8s.io_Cluster',
      want: bootstrap,
    })),
    ...rolloutHealth().map((expr) => ({
      name: `rollout, ${name}`,
      expr,
      object: annotated(object, { 'stackmason.dev/health': 'rollout' }),
      script: 'cluster.x-k8s.io_Cluster',
      want: rollout,
    })),
  ]),
  ...imagePhases.flatMap(({ name, object, health }) =>
    imageHealth().map((expr) => ({
      name: `image, ${name}`,
      expr,
      object,
      script: 'openstack.k-orc.cloud_Image',
      want: health,
    })),
  ),
  ...ownPhases.flatMap(({ name, object, health }) =>
    ownKindsHealth()
      .filter(({ kind }) => name.startsWith(`${kind}:`))
      .map((expr) => ({ name, expr, object, script: `stackmason.dev_${expr.kind}`, want: health })),
  ),
]

describe('gates over the phases of a life', () => {
  test.each(rows)('$name: $want', async ({ expr, object, script, want }) => {
    expect(fluxHealth(expr, object)).toBe(want)
    expect((await argoHealth(scriptOf(script), object)).status).toBe(argoNames[want])
  })

  test.each(applicationPhases)('application, $name: $argo', async ({ object, argo }) => {
    expect((await argoHealth(scriptOf('argoproj.io_Application'), object)).status).toBe(argo)
  })
})

function scriptOf(name: string): string {
  return readFileSync(join(folder, `${name}.lua`), 'utf8')
}

function annotated(object: object, annotations: object): object {
  return { ...object, metadata: { ...Reflect.get(object, 'metadata'), annotations } }
}
