import type { TreeObject } from '../model/tree-change.ts'

/** The API group of an object; '' for core. */
export function groupOf({ apiVersion }: Pick<TreeObject, 'apiVersion'>): string {
  return apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0))
}

/** Group and kind: `apps/Deployment`, `/Service`. */
export function groupKindOf(object: Pick<TreeObject, 'apiVersion' | 'kind'>): string {
  return `${groupOf(object)}/${object.kind}`
}
