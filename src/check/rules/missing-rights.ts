import { dictAt, textAt } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { shownKind, shownName, shownObject } from '../../model/shown-name.ts'
import type { Dict } from '../../model/value.ts'
import { originOf, type UnitOrigin } from '../checked-unit.ts'
import { AccountRights } from '../references/account-rights.ts'
import { FolderRights, type NeededRights, treeFolderIn } from '../references/needed-rights.ts'
import { type ProjectDestination, refusedBy } from '../references/project-rights.ts'
import type { Rule, RuleFinding } from '../rule.ts'
import { groupOf } from '../schema/built-in-schemas.ts'

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
    if (tool === undefined) return { unit: () => [] }
    const needed = new FolderRights()
    const accounts = new AccountRights()
    const appliers = new Map<string, Applier>()
    const projects = new Map<string, Project>()
    const origins = new Map<Manifest, UnitOrigin>()
    for (const definition of definitions) accounts.define(definition)
    return {
      unit: (unit) => {
        needed.add(unit, ({ destination }) => tool === 'argocd' || destination === 'management')
        for (const { destination, manifests } of unit.folders)
          if (destination === 'management')
            for (const manifest of manifests) {
              accounts.add(manifest)
              if (manifest.kind.endsWith('Binding')) origins.set(manifest, originOf(unit))
              const applier = applierOf(manifest)
              if (applier !== undefined) appliers.set(applier.folder, applier)
              if (isOf(manifest, 'argoproj.io', 'AppProject'))
                projects.set(manifest.name, { manifest, of: originOf(unit) })
            }
        return []
      },
      end: () => {
        const byUnit = needed.byUnit(new Set(appliers.keys()))
        const found = new Map<string, RuleFinding>()
        for (const [folder, rights] of byUnit) {
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
      },
    }
  },
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

interface Project {
  readonly manifest: Manifest
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
  origins: ReadonlyMap<Manifest, UnitOrigin>,
): Judge {
  const rights = accounts.of(account)
  return (needed) => {
    const lacking = rights?.lacks(needed) ?? []
    if (rights === undefined || lacking.length === 0) return undefined
    const { binding } = rights
    const of = origins.get(binding)
    return {
      message: `Flux may not ${lacking.join(', ')} ${whatOf(needed)}: service account ${shownName(account.namespace)}/${shownName(account.name)} has no right to`,
      ...placeIn(binding, 'roleRef'),
      ...(of !== undefined && { of }),
      hint: `Add it to the role that ${shownObject({ ...binding, namespace: binding.namespace })} names, or bind the account to another one, too.`,
    }
  }
}

function judgeProject({ project, destination }: ProjectApplier, projects: ReadonlyMap<string, Project>): Judge {
  const known = projects.get(project)
  return (needed) => {
    const refused = known && refusedBy(known.manifest.object, destination, needed)
    if (known === undefined || refused === undefined) return undefined
    return {
      message: `Argo CD does not apply ${whatOf(needed)}: ${refused.field} of AppProject ${shownName(project)} ${refused.what}`,
      ...placeIn(known.manifest, 'spec', refused.field),
      of: known.of,
      hint: 'Allow it in the template of AppProjects of the fleet, or leave the object out.',
    }
  }
}

function whatOf({ kind, namespace }: NeededRights): string {
  return `${shownKind(kind)} ${namespace === undefined ? 'of the cluster scope' : `in namespace ${shownName(namespace)}`}`
}
