import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Diagnostic, StackmasonError } from '../../src/model/diagnostic.ts'
import type { Ports } from '../../src/model/ports.ts'
import { positionAt, type Span } from '../../src/model/source.ts'
import { check, type CheckOptions } from '../../src/pipeline/commands/check.ts'
import { excerptOf } from '../../src/report/excerpt.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { bothClusters, cluster, type HandoffFleet, handoffFleet } from './handoff-fleet.ts'

const HOUR = 3_600_000
/** Another cluster than that of {@link cluster}. */
export const other = 'clusters/team-b/batch/cluster.yaml'

/** Lines of `spec` of stackmason.yaml, by what they are about. */
export type Settings = Map<string, string>

export interface CheckedFleet {
  readonly fleet: HandoffFleet
  readonly cache: string
  /** As files were changed long ago: then it is told by their metadata that they are the same. */
  readonly ports: Ports
  readonly settings: Settings
  /** How often a run has looked at the tree, and was not replayed. */
  looks: number
}

export async function openFleet(): Promise<CheckedFleet> {
  const fleet = await handoffFleet('flux', bothClusters)
  const [ports, cache] = [createNodePorts(), await tempFolder()]
  const opened: CheckedFleet = {
    fleet,
    cache,
    settings: new Map([
      ['scopes', 'scopes: [{group: example.com, kind: Box, scope: Namespaced}]'],
      ['schemas', 'check: {schemas: [crds]}'],
    ]),
    looks: 0,
    ports: {
      ...ports,
      clock: { ...ports.clock, now: () => ports.clock.now() + HOUR },
      environment: { get: (name) => (name === 'STACKMASON_CACHE' ? cache : undefined) },
      git: {
        ...ports.git,
        readCommitted: (...asked) => {
          opened.looks++
          return ports.git.readCommitted(...asked)
        },
      },
    },
  }
  fleet.write('crds/box.yaml', definition(9, 'true'))
  fleet.write(cluster, fleet.read(cluster) + document(box('web', 3)))
  fleet.write(other, fleet.read(other) + document(box('batch', 3)))
  configure(opened)
  await fleet.render()
  fleet.commit()
  return opened
}

export function configure({ fleet, settings }: CheckedFleet): void {
  fleet.handTo('flux', ...settings.values())
}

export const document = (text: string): string => `---\n${text}\n`
export const box = (name: string, size: number): string =>
  `{apiVersion: example.com/v1, kind: Box, metadata: {name: ${name}}, spec: {size: ${String(size)}}}`
export const definition = (maximum: number, rule: string): string =>
  `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boxes.example.com}
spec:
  {group: example.com, names: {kind: Box, plural: boxes}, scope: Namespaced, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer, maximum: ${String(maximum)}}}, x-kubernetes-validations: [{rule: "${rule}", message: broken}]}}}}}]}
`
export const policy = (most: number): string => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: few}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [example.com], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [boxes]}]}
  validations: [{expression: "object.spec.size <= ${String(most)} && (oldObject == null || oldObject.spec.size <= object.spec.size)"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: few}
spec: {policyName: few, validationActions: [Deny]}
`
export const healthCheck = (name: string, namespace: string): string =>
  `{apiVersion: cluster.x-k8s.io/v1beta1, kind: MachineHealthCheck, metadata: {name: ${name}, namespace: ${namespace}}, spec: {clusterName: nobody}}`

export function recordsOf({ cache }: CheckedFleet): readonly string[] {
  const folder = join(cache, 'v1/runs')
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : []
}

/** What a check says, with what an earlier one has kept; it must say the same without. */
export async function bothChecks(checked: CheckedFleet): Promise<string> {
  const reuses = { program: 'test', isClean: () => true }
  const one = await told(checked, { reuses })
  const same = await told(checked, {})
  if (one !== same) throw new Error(`with what was kept:\n${one}\nwithout:\n${same}`)
  return one
}

export async function told({ fleet, ports }: CheckedFleet, more: Partial<CheckOptions>): Promise<string> {
  const options = { start: fleet.folder, clusters: [], stacks: [], ...more }
  try {
    const { duration: _duration, findings, ...result } = await check(options, ports, () => undefined)
    return [JSON.stringify(result, plain), ...findings.map(shownFinding)].join('\n')
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return error.diagnostics.map(shownFinding).join('\n')
  }
}

/** All that any form of a report says of a finding. */
function shownFinding({ at, trace = [], ...finding }: Diagnostic): string {
  const steps = trace.map(({ at: place, ...step }) => ({ ...step, at: place && shownPlace(place) }))
  return JSON.stringify({ ...finding, at: at && shownPlace(at), steps }, plain)
}

function shownPlace(span: Span): unknown {
  const { name, path, holds, revision } = span.source
  return [name, path, holds, revision, positionAt(span.source, span.start), excerptOf(span)]
}

function plain(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}
