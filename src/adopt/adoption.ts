import type { Diagnostic } from '../model/diagnostic.ts'
import type { ReleaseName } from '../model/release.ts'
import { describeLive, type LiveObject } from './live-object.ts'

/** A Cluster that can be taken over. */
export interface AdoptedCluster {
  readonly live: LiveObject
  /** The release that its class is. */
  readonly release: ReleaseName
  readonly classNamespace: string
  readonly version: string
}

/** Something that was not taken, and why. */
export function skipped(live: LiveObject, reason: string, hint?: string): Diagnostic {
  return note('ADOPT_LEFT_OUT', live, `${describeLive(live)} was left out: ${reason}`, hint)
}

/** Something that should be settled before the tool takes over. */
export function notReady(live: LiveObject, reason: string, hint?: string): Diagnostic {
  return note('ADOPT_NOT_READY', live, `${describeLive(live)}: ${reason}`, hint)
}

function note(
  code: 'ADOPT_LEFT_OUT' | 'ADOPT_NOT_READY',
  { file }: LiveObject,
  message: string,
  hint: string | undefined,
): Diagnostic {
  return { code, severity: 'warning', message, file, hint }
}
