import type { RefusedObject } from './refused/make-objects.ts'
import { refusedCorners } from './refused/corners.ts'
import { refusedDefinitions } from './refused/definitions.ts'
import { refusedDetails } from './refused/details.ts'
import { refusedExpressions } from './refused/expressions.ts'
import { refusedPods } from './refused/pods.ts'
import { refusedSparse } from './refused/sparse.ts'
import { refusedSettings } from './refused/settings.ts'
import { refusedWorkloads } from './refused/workloads.ts'

/**
 * Objects that API servers refuse though their OpenAPI allows them, and near ones that they take: for tests of `check`,
 * and of what a server answers.
 */
export const refusedObjects: readonly RefusedObject[] = [
  ...refusedPods,
  ...refusedWorkloads,
  ...refusedSettings,
  ...refusedDefinitions,
  ...refusedExpressions,
  ...refusedCorners,
  ...refusedSparse,
  ...refusedDetails,
]
