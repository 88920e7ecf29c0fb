import { dictAt, textAt } from '../../model/field.ts'
import type { GitopsTool } from '../../model/gitops-tool.ts'
import type { Manifest } from '../../model/manifest.ts'
import { shownKind, shownName, shownObject } from '../../model/shown-name.ts'
import type { Dict } from '../../model/value.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import {
  AccountRights,
  type NotedBinding,
  noteResource,
  noteRights,
  type RightsNote,
} from '../references/account-rights.ts'
import { type NeededRights, rightsByUnit, rightsFor, treeFolderIn } from '../references/needed-rights.ts'
import { type ProjectDestination, type ProjectLists, readProject, refusedBy } from '../references/project-rights.ts'
import type { Noted, Rule, RuleFinding } from '../rule.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import { type NotedObject, noteObject, type UnitOrigin } from '../unit-origin.ts'

/** Kinds that the GitOps tool may not write where the tree has them. */
export const missingRights: Rule = {
  code: 'RIGHTS_MISSING',
  severity: 'error',
  explanation: [
    'Flux applies the units of the management cluster as the service account that the fleet names, and Argo CD lets through what the AppProject of an Application allows. Of what they may not write the whole unit is refused.',
    'Under Flux, the account is judged where the tree binds it to roles that it has, too: `get`, `create` and `patch` for each kind and namespace. Under Argo CD, the lists of kinds and the destinations of each AppProject of the tree are. Each kind is said once.',
    'Units of workload clusters under Flux use the kubeconfig of the cluster, and are not judged.',
  ],
  begin: ({ tool, definitions }) => {
    if (tool === undefined) return {}
    return {
      note: (unit) => noteOf(unit, tool),
      end: (notes: readonly Noted<AppliedNote>[]) => judgeRights(notes, definitions),
    }
  },
}

interface AppliedNote {
  /** The rights that applying each folder needs. */
  readonly needed: readonly (readonly [folder: string, rights: readonly NeededRights[]])[]
  readonly rights: readonly RightsNote[]
  readonly appliers: readonly Applier[]
  readonly projects: readonly NotedProject[]
}

interface NotedProject {
  readonly object: NotedObject
  readonly lists: ProjectLists
}

function noteOf({ folders }: CheckedUnit, tool: GitopsTool): AppliedNote {
  const management = folders.filter(({ destination }) => destination === 'management')
  return {
    needed: (tool === 'argocd' ? folders : management).map(({ path, manifests }) => [path, rightsFor(manifests)]),
    rights: management
      .map(({ path, manifests }) => noteRights(manifests, path))
      .filter(({ bindings, roles, resources }) => bindings.length + roles.length + resources.length > 0),
    appliers: management.flatMap(({ manifests }) => manifests.flatMap((manifest) => applierOf(manifest) ?? [])),
    projects: management.flatMap(({ path, manifests }) =>
      manifests
        .filter((manifest) => isOf(manifest, 'argoproj.io', 'AppProject'))
        .map((manifest) => ({ object: noteObject(manifest, path), lists: readProject(manifest.object) })),
    ),
  }
}

function judgeRights(notes: readonly Noted<AppliedNote>[], definitions: readonly Dict[]): readonly RuleFinding[] {
  const accounts = new AccountRights([
    { resources: definitions.map(noteResource) },
    ...notes.flatMap(({ note }) => note.rights),
  ])
  const origins = new Map(
    notes.flatMap(({ note, of }) =>
      note.rights.flatMap(({ bindings }) => bindings.map((binding) => [binding, of] as const)),
    ),
  )
  const appliers = new Map(notes.flatMap(({ note }) => note.appliers.map((applier) => [applier.folder, applier])))
  const projects = new Map(
    notes.flatMap(({ note, of }) => note.projects.map((project) => [project.object.name, { ...project, of }])),
  )
  const needed = notes.flatMap(({ note }) => note.needed)
  const found = new Map<string, RuleFinding>()
  for (const [folder, rights] of rightsByUnit(needed, new Set(appliers.keys()))) {
    const applier = appliers.get(folder)
    if (applier === undefined) continue
    const judge =
      'account' in applier ? judgeAccount(applier.account, accounts, origins) : judgeProject(applier, projects)
    for (const one of rights) {
      const finding = judge(one)
      if (finding !== undefined && !found.has(finding.message)) found.set(finding.message, finding)
    }
  }
  return [...found.values()]
}

interface AccountApplier {
  readonly folder: string
  readonly account: { readonly namespace: string; readonly name: string }
}

interface ProjectApplier {
  readonly folder: string
  readonly project: string
  readonly destination: ProjectDestination
}

/** Who applies a folder. */
type Applier = AccountApplier | ProjectApplier

interface Project extends NotedProject {
  readonly of: UnitOrigin
}

function isOf({ apiVersion, kind }: Manifest, group: string, wanted: string): boolean {
  return kind === wanted && groupOf(apiVersion) === group
}

function applierOf(manifest: Manifest): Applier | undefined {
  const { object, namespace = '' } = manifest
  if (isOf(manifest, 'kustomize.toolkit.fluxcd.io', 'Kustomization')) {
    const folder = treeFolderIn(textAt(object, 'spec', 'path'))
    const name = textAt(object, 'spec', 'serviceAccountName')
    const isRemote = dictAt(object, 'spec', 'kubeConfig') !== undefined
    return folder === undefined || name === '' || isRemote ? undefined : { folder, account: { namespace, name } }
  }
  if (isOf(manifest, 'argoproj.io', 'Application')) return applicationOf(dictAt(object, 'spec'))
  if (isOf(manifest, 'argoproj.io', 'ApplicationSet')) return applicationOf(dictAt(object, 'spec', 'template', 'spec'))
  return undefined
}

function applicationOf(spec: Dict | undefined): ProjectApplier | undefined {
  const folder = spec === undefined ? undefined : treeFolderIn(textAt(spec, 'source', 'path'))
  if (spec === undefined || folder === undefined) return undefined
  const [server, name] = [textAt(spec, 'destination', 'server'), textAt(spec, 'destination', 'name')]
  return { folder, project: textAt(spec, 'project'), destination: { server, name } }
}

type Judge = (needed: NeededRights) => RuleFinding | undefined

function judgeAccount(
  account: AccountApplier['account'],
  accounts: AccountRights,
  origins: ReadonlyMap<NotedBinding, UnitOrigin>,
): Judge {
  const rights = accounts.of(account)
  return (needed) => {
    const lacking = rights?.lacks(needed) ?? []
    if (rights === undefined || lacking.length === 0) return undefined
    const { binding } = rights
    const of = origins.get(binding)
    return {
      message: `Flux may not ${lacking.join(', ')} ${whatOf(needed)}: service account ${shownName(account.namespace)}/${shownName(account.name)} has no right to`,
      noted: { object: binding.object, path: ['roleRef'] },
      of,
      hint: `Add it to the role that ${shownObject({ ...binding.object, namespace: binding.object.namespace })} names, or bind the account to another one, too.`,
    }
  }
}

function judgeProject({ project, destination }: ProjectApplier, projects: ReadonlyMap<string, Project>): Judge {
  const known = projects.get(project)
  return (needed) => {
    const refused = known && refusedBy(known.lists, destination, needed)
    if (known === undefined || refused === undefined) return undefined
    return {
      message: `Argo CD does not apply ${whatOf(needed)}: ${refused.field} of AppProject ${shownName(project)} ${refused.what}`,
      noted: { object: known.object, path: ['spec', refused.field] },
      of: known.of,
      hint: 'Allow it in the template of AppProjects of the fleet, or leave the object out.',
    }
  }
}

function whatOf({ kind, namespace }: NeededRights): string {
  return `${shownKind(kind)} ${namespace === undefined ? 'of the cluster scope' : `in namespace ${shownName(namespace)}`}`
}
