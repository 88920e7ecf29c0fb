import { normalizePath } from '../../codec/path.ts'
import { dictAt, fieldAt, textAt, type PathStep } from '../../model/field.ts'
import type { GitopsTool } from '../../model/gitops-tool.ts'
import type { FluxHandoff, FluxSourceReference, HandoffConfig } from '../../model/handoff-config.ts'
import type { Span } from '../../model/source.ts'
import { Dict } from '../../model/value.ts'
import type { ConfigDocument } from './config-document.ts'
import type { Reading } from './reading.ts'
import { formatPath, quote } from './schema-diagnostic.ts'

/** Where the output folder is, seen from stackmason.yaml. */
interface Context {
  readonly document: ConfigDocument
  readonly reading: Reading
  readonly output: string
}

/** `spec.handoff`, checked by the schema before; a path that cannot be found in the source is noted as a problem. */
export function readHandoffConfig(context: Context): HandoffConfig | undefined {
  const { value } = context.document
  const flux = dictAt(value, 'spec', 'handoff', 'flux')
  const common = fieldAt(value, 'spec', 'handoff', 'storageMigrations') === true && { storageMigrations: true as const }
  if (flux !== undefined)
    return {
      ...readFlux(flux, context),
      ...common,
      ...(textAt(value, 'spec', 'publish', 'oci', 'artifacts') === 'units' && { fromArtifacts: true }),
      // Applications make their namespaces by themselves
      ...(fieldAt(value, 'spec', 'handoff', 'createNamespaces') === true && { createNamespaces: true }),
    }
  const argo = dictAt(value, 'spec', 'handoff', 'argocd')
  if (argo === undefined) return undefined
  return {
    tool: 'argocd',
    ...common,
    namespace: textAt(argo, 'namespace') || 'argocd',
    project: readProject(argo, context),
    repoURL: textAt(argo, 'repoURL'),
    targetRevision: textAt(argo, 'targetRevision') || 'HEAD',
    path: readPath(argo, 'argocd', context),
    ...(fieldAt(argo, 'clusterSecrets') === true && { clusterSecrets: true }),
    ...(fieldAt(value, 'spec', 'retiredTool') !== undefined && { takesOver: true }),
  }
}

/** The places of all fields of `spec.handoff`, by their path below it: of a map its key, of others the value. */
export function readHandoffFields({ value, spanOf }: ConfigDocument): ReadonlyMap<string, Span> {
  const places = new Map<string, Span>()
  const visit = (map: Dict, path: readonly string[]): void => {
    for (const [key, child] of map) {
      const own = [...path, key]
      const full: readonly PathStep[] = ['spec', 'handoff', ...own]
      places.set(own.join('.'), child instanceof Dict ? spanOf(full, 'key') : spanOf(full))
      if (child instanceof Dict) visit(child, own)
    }
  }
  const handoff = dictAt(value, 'spec', 'handoff')
  if (handoff !== undefined) visit(handoff, [])
  return places
}

/** Argo CD's own project would lose all that others need of it. */
function readProject(argo: Dict, { document, reading }: Context): string {
  const at: readonly PathStep[] = ['spec', 'handoff', 'argocd', 'project']
  const project = textAt(argo, 'project') || 'handoff'
  if (project === 'default')
    reading.problems.push({
      code: 'CONFIG_INVALID_VALUE',
      severity: 'error',
      message: `${formatPath(at)}: ${quote(project)} is the AppProject that Argo CD makes for everybody`,
      at: document.spanOf(at),
      hint: 'Write a name that no other AppProject has, such as that of the fleet.',
    })
  return project
}

/** Nobody means a duration of zero: an object would be looked at without a pause, or never again. */
function refuseZeroTimes(flux: Dict, { document, reading }: Context): void {
  for (const field of ['interval', 'retryInterval', 'timeout']) {
    const text = textAt(flux, field)
    if (text === '' || /[1-9]/.test(text)) continue
    const at: readonly PathStep[] = ['spec', 'handoff', 'flux', field]
    reading.problems.push({
      code: 'CONFIG_INVALID_VALUE',
      severity: 'error',
      message: `${formatPath(at)}: ${quote(text)} is no time at all`,
      at: document.spanOf(at),
      hint: 'Write one like 10m, or leave it out for the default.',
    })
  }
}

function readFlux(flux: Dict, context: Context): FluxHandoff {
  refuseZeroTimes(flux, context)
  const decryption = dictAt(flux, 'decryption')
  const secretName = textAt(flux, 'decryption', 'secretName')
  const serviceAccountName = textAt(flux, 'serviceAccountName')
  const shard = textAt(flux, 'shard')
  return {
    tool: 'flux',
    source: readSource(flux),
    path: readPath(flux, 'flux', context),
    interval: textAt(flux, 'interval') || '1h',
    retryInterval: textAt(flux, 'retryInterval') || '2m',
    timeout: textAt(flux, 'timeout') || '30s',
    ...(serviceAccountName !== '' && { serviceAccountName }),
    ...(decryption !== undefined && {
      decryption: { provider: textAt(decryption, 'provider'), ...(secretName !== '' && { secretName }) },
    }),
    ...(shard !== '' && { shard }),
  }
}

function readSource(flux: Dict): FluxSourceReference {
  const kind = fieldAt(flux, 'source', 'kind')
  const namespace = textAt(flux, 'source', 'namespace')
  return {
    kind: kind === 'OCIRepository' || kind === 'ExternalArtifact' ? kind : 'GitRepository',
    name: textAt(flux, 'source', 'name'),
    ...(namespace !== '' && { namespace }),
  }
}

/** Without `./` and a slash at the end. */
function readPath(config: Dict, tool: GitopsTool, { document, reading, output }: Context): string {
  const at: readonly PathStep[] = ['spec', 'handoff', tool, 'path']
  const written = textAt(config, 'path')
  const path = normalizePath(written === '' ? output : written)
  if (path !== '..' && !path.startsWith('../') && !path.startsWith('/')) return path
  reading.problems.push(
    written === ''
      ? {
          code: 'CONFIG_MISSING_FIELD',
          severity: 'error',
          message: `${formatPath(at)} is missing: the output folder ${quote(output)} lies outside of the fleet's folder`,
          at: document.spanOf(at.slice(0, -1), 'key'),
          hint: 'Write where the output folder lies in the source, from its root.',
        }
      : {
          code: 'CONFIG_INVALID_VALUE',
          severity: 'error',
          message: `${formatPath(at)}: ${quote(written)} leads out of the source`,
          at: document.spanOf(at),
          hint: 'Write the path from the root of the source.',
        },
  )
  return path
}
