import type { KubeObject } from '../../../tools/servers/kube-client.ts'
import { at } from './is-record.ts'
import type { Contents, Objects } from './world.ts'

/** The permissions that AppProjects give. */
export interface Permissions {
  /** True if the project of an Application, as it is now, permits this content where the Application has it. */
  readonly has: (objects: Objects, application: KubeObject, content: number) => boolean
}

/** Where the AppProject of an Application is; undefined for the one that permits all. */
export function projectKey(application: KubeObject): string | undefined {
  const project = at(application, 'spec', 'project')
  return typeof project === 'string' ? `management AppProject argocd/${project}` : undefined
}

/** Asks AppProjects as Argo CD does (pkg/apis/application/v1alpha1, `IsGroupKindNamePermitted`). */
export function createPermissions(contents: Contents): Permissions {
  const known = new Map<string, boolean>()
  return {
    has: (objects, application, content) => {
      const key = projectKey(application)
      if (key === undefined) return true
      const project = objects.get(key)?.content
      if (project === undefined) return false
      const question = [project, contents.numberOf(application), content].join(' ')
      const answer = known.get(question) ?? isPermitted(contents.at(project), application, contents.at(content))
      known.set(question, answer)
      return answer
    },
  }
}

function isPermitted(project: KubeObject, application: KubeObject, object: KubeObject): boolean {
  const { namespace, name } = object.metadata
  const [group = ''] = object.apiVersion.includes('/') ? object.apiVersion.split('/') : []
  const list = listAt(project, namespace === undefined ? 'clusterResourceWhitelist' : 'namespaceResourceWhitelist')
  const isKind = (entry: unknown): boolean =>
    matches(at(entry, 'group'), group) &&
    matches(at(entry, 'kind'), object.kind) &&
    (at(entry, 'name') === undefined || matches(at(entry, 'name'), name))
  // without a list all that is namespaced, and nothing else
  if (list === undefined ? namespace === undefined : !list.some(isKind)) return false
  if (namespace === undefined) return true
  const destination = at(application, 'spec', 'destination')
  const places = listAt(project, 'destinations') ?? []
  return places.some(
    (place) =>
      at(place, 'server') === at(destination, 'server') &&
      at(place, 'name') === at(destination, 'name') &&
      matches(at(place, 'namespace'), namespace),
  )
}

function listAt(project: KubeObject, field: string): readonly unknown[] | undefined {
  const list = at(project, 'spec', field)
  return Array.isArray(list) ? list : undefined
}

function matches(pattern: unknown, text: string): boolean {
  return pattern === '*' || pattern === text
}
