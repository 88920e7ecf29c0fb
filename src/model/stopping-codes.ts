import type { Code } from './error-codes.ts'

/**
 * Codes that are errors of rendering wherever they are found, so that nothing is left to judge: a fleet can neither
 * lower nor acknowledge them. Those that are errors at one place and warnings at another are not among them.
 */
export const stoppingCodes: ReadonlySet<Code> = new Set<Code>([
  'CONFIG_SYNTAX',
  'CONFIG_DUPLICATE_KEY',
  'CONFIG_MISSING_FIELD',
  'CONFIG_WRONG_TYPE',
  'VERSION_REFUSED',
  'RELEASE_NOT_FOUND',
  'RELEASE_INCOMPLETE',
  'RELEASE_TOO_LARGE',
  'ARCHIVE_INVALID',
  'ARCHIVE_PATH_TRAVERSAL',
  'ARCHIVE_LINK',
  'ARCHIVE_SPECIAL_FILE',
  'ARCHIVE_TOO_LARGE',
  'ARCHIVE_DUPLICATE_ENTRY',
  'FILE_OUTSIDE',
  'INPUT_NOT_CHECKED_OUT',
  'FETCH_DIGEST_MISMATCH',
  'SIGNATURE_MISSING',
  'SIGNATURE_INVALID',
  'LOCK_MISSING',
  'LOCK_INVALID',
  'CHART_INVALID',
  'CHART_NOT_INSTALLABLE',
  'CHART_DEPENDENCY_MISSING',
  'CHART_KUBE_VERSION',
  'CHART_VALUES_INVALID',
  'CHART_VALUES_SCHEMA',
  'CHART_OUTPUT_INVALID',
  'TEMPLATE_PARSE',
  'TEMPLATE_EXECUTION',
  'TEMPLATE_FAIL',
  'TEMPLATE_LIMIT_STEPS',
  'TEMPLATE_LIMIT_DEPTH',
  'TEMPLATE_LIMIT_OUTPUT',
  'TEMPLATE_LIMIT_TIME',
  'SECRET_OUTSIDE_SECRET',
  'OBJECT_INVALID',
  'OBJECT_NAME_INVALID',
  'OBJECT_DUPLICATE',
  'OBJECT_SCOPE_UNKNOWN',
  'OBJECT_TYPED_LOSS',
  'PATCH_TARGET_NOT_FOUND',
  'PATCH_FAILED',
  'HANDOFF_NAME_TOO_LONG',
  'HANDOFF_NAME_CONFLICT',
  'COMMITTED_TREE_BROKEN',
  'OUTPUT_OUTSIDE',
  'HANDOFF_TOOL_CHANGES',
  'UPGRADE_SKIPS_MINOR',
  'UPGRADE_CHANGES_STACK',
  'UPGRADE_NOT_UNDER_WAY',
  'DECOMMISSION_UNDER_WAY',
  'STEPS_TOGETHER',
  'MERGE_UNDER_WAY',
])

/** Codes that tell how a command ended, so that there is nothing to judge either. */
const endingCodes: ReadonlySet<Code> = new Set<Code>(['RENDER_STALE', 'USAGE', 'INTERNAL'])

/** Why a fleet can neither lower nor acknowledge a code, as a clause; undefined if it can. */
export function whyFixed(code: Code): string | undefined {
  if (stoppingCodes.has(code)) return 'it stops rendering'
  return endingCodes.has(code) ? 'it tells how a command ended' : undefined
}
