import { fieldAt, withField } from '../../model/field.ts'
import type { ArgoHandoff } from '../../model/handoff-config.ts'
import type { Unit } from '../../model/handoff.ts'
import type { Manifest } from '../../model/manifest.ts'
import { Dict, dict, type Value } from '../../model/value.ts'
import type { Demand, Demands } from '../demand.ts'
import { metadataDemands } from '../metadata-demands.ts'
import { sourceDemands, syncDemands, unitSync } from './application-data.ts'
import { refuseExpressions, refuseOptions, refuseOverrides } from './set-checks.ts'

/**
 * The template data of an ApplicationSet that gives `application` its values with `patches`, Go templates: Argo CD
 * evaluates every string of the Application in it as a Go template, so that text of ours is written as one that says
 * just that.
 */
export function applicationSetData(application: Manifest, unit: Unit, patches: readonly Value[]): Dict {
  const { object } = application
  const metadata = dict([
    ['name', application.name],
    ['namespace', application.namespace ?? null],
    ...(['labels', 'annotations'] as const).map((key) => [key, fieldAt(object, 'metadata', key) ?? dict()] as const),
  ])
  const inert = inertCopy(
    dict([
      ['metadata', metadata],
      ['spec', fieldAt(object, 'spec') ?? null],
    ]),
  )
  const template = inert instanceof Dict ? inert : dict()
  return dict([
    ['name', application.name],
    ['namespace', application.namespace ?? null],
    ['labels', fieldAt(object, 'metadata', 'labels') ?? dict()],
    ['wave', fieldAt(object, 'metadata', 'annotations', 'argocd.argoproj.io/sync-wave') ?? '0'],
    ['clusterNamespace', unit.cluster?.namespace ?? null],
    ['clusterName', unit.cluster?.name ?? null],
    ['template', withField(template, ['spec', 'source', 'kustomize'], dict([['patches', [...patches]]]))],
  ])
}

/** The values that an ApplicationSet is to give, and what its template saw. */
export interface SetPlan {
  readonly patches: readonly Value[]
  readonly data: Dict
  readonly config: ArgoHandoff
}

/**
 * Whatever a fleet's own template says: the controller gives its Applications a finalizer that deletes all they
 * applied, unless told to preserve it.
 */
export function applicationSetDemands(application: Manifest, unit: Unit, { patches, data, config }: SetPlan): Demands {
  const { name, namespace, object } = application
  const places = [
    ['project'],
    ...['repoURL', 'targetRevision', 'path'].map((field) => ['source', field]),
    ...['name', 'server'].map((field) => ['destination', field]),
  ]
  return [
    [['apiVersion'], 'argoproj.io/v1alpha1'],
    [['kind'], 'ApplicationSet'],
    [['metadata', 'name'], name],
    [['metadata', 'namespace'], namespace],
    [['metadata', 'finalizers'], undefined],
    [['spec', 'goTemplate'], true],
    [['spec', 'goTemplateOptions', 0], 'missingkey=error'],
    [['spec', 'goTemplateOptions'], refuseOptions],
    [['spec', 'generators'], refuseOverrides],
    [['spec', 'syncPolicy', 'preserveResourcesOnDeletion'], true],
    [
      ['spec', 'syncPolicy', 'applicationsSync'],
      (found) => (found === undefined || found === 'sync' || found === 'create-update' ? undefined : 'must be "sync"'),
    ],
    // Argo CD then syncs only what a step of it names
    [['spec', 'strategy', 'type'], (found) => (found === 'RollingSync' ? 'takes the automatic sync away' : undefined)],
    [['spec', 'template'], refuseExpressions(data.get('template') ?? null)],
    ...metadataDemands(['spec', 'template', 'metadata']),
    [['spec', 'template', 'metadata', 'name'], name],
    [['spec', 'template', 'metadata', 'finalizers'], undefined],
    [['spec', 'templatePatch'], undefined],
    ...places.map((path): Demand => {
      const planned = fieldAt(object, 'spec', ...path)
      return [['spec', 'template', 'spec', ...path], typeof planned === 'string' ? inertText(planned) : undefined]
    }),
    ...sourceDemands(['spec', 'template', 'spec'], patches),
    ...syncDemands(['spec', 'template', 'spec', 'syncPolicy'], unitSync(unit, config)),
  ]
}

function inertCopy(value: Value): Value {
  if (typeof value === 'string') return inertText(value)
  if (Array.isArray(value)) return value.map(inertCopy)
  if (value instanceof Dict) return dict([...value].map(([key, child]) => [key, inertCopy(child)]))
  return value
}

function inertText(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}')
}
